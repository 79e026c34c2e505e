package chunk

// Slice returns the text from start to end. Half of a surrogate pair at either end becomes U+FFFD.
func (t indexedText) Slice(start, end int) string {
	first, text, last := t.slice(start, end)
	return first + text + last
}
