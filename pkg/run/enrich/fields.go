package enrich

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
)

// Bounds of the fields. All are in characters, except the last.
const (
	maxGist     = 500
	maxTopic    = 80
	maxKeyword  = 60
	maxKeywords = 10 // number of keywords, not characters
)

// maxAnswer limits the size, in bytes, of an answer that is parsed.
const maxAnswer = 64 << 10

// Fields are the model's description of an entry. The names in JSON are those of the columns.
type Fields struct {
	Gist                     string   `json:"gist" col:"gist,always"`                   // one or two sentences
	TopicPrimary             string   `json:"topic_primary" col:"topic_primary,always"` // one to four words, lower case
	TopicPrimaryConfidence   float64  `json:"topic_primary_confidence" col:"topic_primary_confidence"`
	TopicSecondary           string   `json:"topic_secondary" col:"topic_secondary,always"` // "" if there is none
	TopicSecondaryConfidence float64  `json:"topic_secondary_confidence" col:"topic_secondary_confidence"`
	Keywords                 []string `json:"keywords"`
}

// schema is the JSON schema of Fields. It uses only JSON schema keywords that every service supports; the parser
// enforces the bounds.
var schema = llm.Schema{Name: "tier1", JSON: json.RawMessage(`{
"type":"object","additionalProperties":false,
"required":["gist","topic_primary","topic_primary_confidence","topic_secondary","topic_secondary_confidence","keywords"],
"properties":{
"gist":{"type":"string","description":"What the entry says, in one or two sentences in its own language"},
"topic_primary":{"type":"string","description":"Its main topic in one to four words, lower case"},
"topic_primary_confidence":{"type":"number","description":"From 0 to 1"},
"topic_secondary":{"type":"string","description":"Another topic, or empty if there is none"},
"topic_secondary_confidence":{"type":"number","description":"From 0 to 1; 0 if there is none"},
"keywords":{"type":"array","items":{"type":"string"},"description":"Up to ten names and terms by which somebody would look for it"}}}`)}

// parse reads the answer of a model, to a single request or from a batch. Errors: Blocked for a refusal, which is
// final; Unavailable for an unusable answer, for which a retry may help: it is cut off, not JSON, or has no gist or
// no main topic.
//
// parse tolerates what models write around the JSON: their thoughts, prose, Markdown fences, a list. Only one object
// may have a gist and a main topic. Parse also tolerates additional fields, a missing secondary topic, missing
// keywords, numbers in quotes, and keywords in one text. It limits confidences to their range,
// collapses spaces and control characters, cuts texts at their bounds and drops repeated keywords.
func parse(a llm.Answer) (Fields, error) {
	switch {
	case a.Finish == llm.Refused:
		return Fields{}, fault.New(fault.Blocked, "the model refuses: %.200s", line(a.Text, 200))
	case a.Finish == llm.Truncated:
		return Fields{}, fault.New(fault.Unavailable, "the model's answer is cut off after %d tokens", a.Usage.Out)
	case len(a.Text) > maxAnswer:
		return Fields{}, fault.New(fault.Unavailable, "the model's answer has %d bytes, more than %d", len(a.Text), maxAnswer)
	}
	f, err := find(a.Text)
	if err != nil {
		return Fields{}, fault.New(fault.Unavailable, "the model's answer %w", err)
	}
	return f, nil
}

// bound cuts every field to its bounds.
func (f *Fields) bound() {
	f.Gist = line(f.Gist, maxGist)
	f.TopicPrimary, f.TopicPrimaryConfidence = topic(f.TopicPrimary, f.TopicPrimaryConfidence)
	f.TopicSecondary, f.TopicSecondaryConfidence = topic(f.TopicSecondary, f.TopicSecondaryConfidence)
	if f.TopicSecondary == f.TopicPrimary {
		f.TopicSecondary, f.TopicSecondaryConfidence = "", 0
	}
	keywords := []string{}
	for _, k := range f.Keywords {
		if k = line(k, maxKeyword); k != "" && len(keywords) < maxKeywords && !slices.Contains(keywords, k) {
			keywords = append(keywords, k)
		}
	}
	f.Keywords = keywords
}

// topic returns a topic in the form that is stored. An empty topic has no confidence.
func topic(name string, confidence float64) (string, float64) {
	name = line(strings.ToLower(name), maxTopic)
	if name == "" {
		return "", 0
	}
	return name, math.Min(math.Max(confidence, 0), 1)
}

// line is text on one line, of at most max characters.
func line(text string, max int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if runes := []rune(text); len(runes) > max {
		text = strings.TrimSpace(string(runes[:max]))
	}
	return text
}
