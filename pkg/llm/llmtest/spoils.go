package llmtest

// Spoil changes a model's answer.
type Spoil func(c *Completion)

// Spoil sets changes to the next answers, one for each, including answers in batches. A nil Spoil means no change.
func (s *Server) Spoil(spoils ...Spoil) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoils = append(s.spoils, spoils...)
}

// TooLong truncates the answer, as a limit of tokens does.
func TooLong(c *Completion) {
	text := *c.Choices[0].Message.Content
	text = text[:len(text)/2]
	c.Choices[0].Message.Content, c.Choices[0].FinishReason = &text, "length"
}

// Refusal makes the model refuse.
func Refusal(c *Completion) {
	no := "I cannot help with that."
	c.Choices[0].Message = Message{Role: "assistant", Refusal: &no}
}

// Filtered makes a filter withhold the answer.
func Filtered(c *Completion) {
	none := ""
	c.Choices[0].Message.Content, c.Choices[0].FinishReason = &none, "content_filter"
}

// Says makes the model answer with the given text.
func Says(text string) Spoil {
	return func(c *Completion) { c.Choices[0].Message.Content = &text }
}

// EndsWith gives the answer another reason for its end.
func EndsWith(reason string) Spoil {
	return func(c *Completion) { c.Choices[0].FinishReason = reason }
}

// Nothing sends a response without an answer.
func Nothing(c *Completion) { c.Choices = nil }
