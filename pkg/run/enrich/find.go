package enrich

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// maxObjects limits the number of places in an answer where an object may begin, because most of the answer is read
// again for each.
const maxObjects = 200

// thoughts matches what models that reason write before they answer. The first tag may be missing, because some
// services put it into the question.
var thoughts = regexp.MustCompile(`(?is)^.*</(?:think|thinking|thought|reasoning)>`)

// find returns the fields of the one object in a text that has a gist and a main topic.
func find(text string) (f Fields, err error) {
	text = thoughts.ReplaceAllString(text, "")
	err = errors.New("is not the JSON that was asked for: it has no object")
	found := false
	for range maxObjects {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		text = text[at:]
		one, size, failed := object(text)
		switch {
		case failed == nil && found:
			return Fields{}, errors.New("has two objects with a gist")
		case failed == nil:
			f, found = one, true
		case !found:
			err = failed
		}
		text = text[size:]
	}
	if found {
		return f, nil
	}
	return Fields{}, err
}

// object reads the object at the beginning of a text, and returns the number of bytes that were read: at least one.
func object(text string) (f Fields, size int, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	var a answered
	if err := d.Decode(&a); err != nil {
		return f, 1, fmt.Errorf("is not the JSON that was asked for: %w", err)
	}
	f = Fields{
		Gist: a.Gist, TopicPrimary: a.TopicPrimary, TopicPrimaryConfidence: float64(a.TopicPrimaryConfidence),
		TopicSecondary: a.TopicSecondary, TopicSecondaryConfidence: float64(a.TopicSecondaryConfidence),
		Keywords: a.Keywords,
	}
	f.bound()
	if f.Gist == "" || f.TopicPrimary == "" { // it may contain the object that was asked for
		return f, 1, errors.New("has no gist or no topic_primary")
	}
	return f, int(d.InputOffset()), nil
}

// answered has the fields as models write them that do not follow the schema.
type answered struct {
	Gist                     string     `json:"gist"`
	TopicPrimary             string     `json:"topic_primary"`
	TopicPrimaryConfidence   confidence `json:"topic_primary_confidence"`
	TopicSecondary           string     `json:"topic_secondary"`
	TopicSecondaryConfidence confidence `json:"topic_secondary_confidence"`
	Keywords                 keywords   `json:"keywords"`
}

// confidence is a number, which may be in quotes.
type confidence float64

// UnmarshalJSON implements [json.Unmarshaler].
func (c *confidence) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `" `)
	if text == "null" || text == "" {
		return nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != n {
		return fmt.Errorf("%.20q is not a confidence", text)
	}
	*c = confidence(n)
	return nil
}

// keywords is a list of texts, or one text with commas.
type keywords []string

// UnmarshalJSON accepts everything; what is not a text is no keyword.
func (k *keywords) UnmarshalJSON(b []byte) error {
	var one string
	var list []any
	if json.Unmarshal(b, &one) == nil {
		*k = strings.FieldsFunc(one, func(r rune) bool { return strings.ContainsRune(",;\n、，", r) })
		return nil
	}
	_ = json.Unmarshal(b, &list) // leaves the list empty
	for _, item := range list {
		if text, ok := item.(string); ok {
			*k = append(*k, text)
		}
	}
	return nil
}
