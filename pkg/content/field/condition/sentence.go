package condition

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
)

// sentences are examples of what fromText reads.
var sentences = []string{"price < 80 EUR", "price < the lowest value", "price changes by 10 %",
	"availability from OutOfStock to InStock", "version changes", "price disappears"}

const firstToo = ", also at the first check"

// quoted is a text in quotes, or without.
const quoted = `("(?:[^"\\]|\\.)*"|.+?)`

// The forms of sentences. A name may be in quotes. Spaces around the parts do not matter.
var (
	compares   = regexp.MustCompile(`^("(?:[^"\\]|\\.)*"|[^<>="]*?)\s*(<=|>=|<|>|=)\s*(.*)$`)
	differs    = regexp.MustCompile(`^(.*?)\s+changes by\s+(?:at least\s+)?(.+)$`)
	becomes    = regexp.MustCompile(`^(.*?)\s+(?:goes\s+)?from\s+` + quoted + `\s+to\s+(.+)$`)
	becomesOne = regexp.MustCompile(`^(.*?)\s+goes to\s+(.+)$`)
	comes      = regexp.MustCompile(`^(.*?)\s+(appears|disappears)$`)
	changes    = regexp.MustCompile(`^(.*?)\s+changes$`)

	againstSeen = regexp.MustCompile(`(?:^|\s+)(?:against\s+)?the (previous|first|lowest|highest)(?: value)?$`)
)

// fromText reads a condition that is written as a sentence, as [Condition.String] writes it or shorter. Whether it
// makes sense is for [Parse] to say. Errors: Invalid if the text has none of the forms.
func fromText(text string) (c api.Condition, err error) {
	text, c.First = strings.CutSuffix(strings.TrimSpace(text), firstToo)
	if m := compares.FindStringSubmatch(text); m != nil {
		c.Field, c.Op = fieldOf(m[1]), m[2]
		c.Value = constantOf(against(&c, m[3]))
		return c, nil
	}
	if m := comes.FindStringSubmatch(text); m != nil {
		c.Field, c.Op = fieldOf(m[1]), m[2]
		return c, nil
	}
	if m := changes.FindStringSubmatch(text); m != nil {
		c.Field, c.Op = fieldOf(m[1]), FromTo
		return c, nil
	}
	if m := differs.FindStringSubmatch(text); m != nil {
		c.Field, c.Op = fieldOf(m[1]), ChangedBy
		least := against(&c, m[2])
		if number, percent := strings.CutSuffix(least, "%"); percent {
			least, c.Unit = strings.TrimSpace(number), Percent
		}
		c.Value = api.Constant(least)
		return c, nil
	}
	if m := becomes.FindStringSubmatch(text); m != nil {
		c.Field, c.Op, c.From = fieldOf(m[1]), FromTo, constantOf(m[2])
		if m[3] != "another value" {
			c.To = constantOf(m[3])
		}
		return c, nil
	}
	if m := becomesOne.FindStringSubmatch(text); m != nil {
		c.Field, c.Op, c.To = fieldOf(m[1]), FromTo, constantOf(m[2])
		return c, nil
	}
	return c, fault.New(fault.Invalid, "%.80q is not a condition; examples: %s", text, strings.Join(sentences, "; "))
}

// against takes what is compared with from the end of a text, and returns the rest.
func against(c *api.Condition, text string) (rest string) {
	m := againstSeen.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	c.Against = m[1]
	return strings.TrimSpace(strings.TrimSuffix(text, m[0]))
}

// fieldOf returns the field that a sentence names: sale price is salePrice. A name in quotes is as it is.
func fieldOf(text string) string {
	if name := string(constantOf(text)); name != text {
		return name
	}
	return field.Named(text)
}

// nameOf writes the name of a field as [fieldOf] reads it.
func nameOf(name string) string {
	if field.Named(name) != name || strings.ContainsAny(name, `<>="`) {
		return strconv.Quote(name)
	}
	return name
}

// constantOf removes the quotes in which texts are written.
func constantOf(text string) api.Constant {
	if n := len(text); n > 1 && text[0] == '"' && text[n-1] == '"' {
		if plain, err := strconv.Unquote(text); err == nil {
			return api.Constant(plain)
		}
	}
	return api.Constant(text)
}
