package ui

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
)

// changes is what the form calls the operator fromTo with neither of its two values: any change from one to another.
const changes = "changes"

// An operator is a choice for what a condition wants of a field, with the parts of the sentence that it needs.
type operator struct {
	choice
	Needs string // words: see the parts of the template
}

// operators returns the choices for what a condition wants of a field.
func operators() (out []operator) {
	const comparison = "against constant value first"
	for _, o := range [][3]string{{"", "…", ""}, {"<", "is below", comparison}, {"<=", "is at most", comparison},
		{"=", "is", comparison}, {">=", "is at least", comparison}, {">", "is above", comparison},
		{changes, "changes", ""}, {"changedBy", "changes by at least", "value unit since"},
		{"fromTo", "goes from … to …", "from to first"}, {"appears", "appears", "first"},
		{"disappears", "disappears", "first"}} {
		out = append(out, operator{choice{Value: o[0], Text: o[1]}, o[2]})
	}
	return out
}

// needs returns the parts of the sentence that an operator needs.
func needs(op string) []string {
	for _, o := range operators() {
		if o.Value == op {
			return strings.Fields(o.Needs)
		}
	}
	return nil
}

// references returns the choices for a value that was seen before the check.
func references() []choice {
	return choices("previous", "the previous value", "lowest", "the lowest value",
		"highest", "the highest value", "first", "the first value")
}

// conditionValues adds to the values of the form what its sentence has besides the parts of a condition.
func conditionValues(f url.Values, c *api.Condition) {
	if c != nil && c.Op == "fromTo" && c.From == "" && c.To == "" {
		f.Set("when.op", changes)
	}
	f.Set("when.since", f.Get("when.against"))
}

// withCondition returns a form whose sentence is read: with the parts of a condition that the
// operator needs, because the others are not seen, and without any if there is no condition.
func withCondition(typed url.Values) (url.Values, error) {
	f := maps.Clone(typed)
	name, op := strings.TrimSpace(f.Get("when.field")), f.Get("when.op")
	switch {
	case name == "" && op != "":
		return nil, wrongField("when.field", "name the value that this is about, such as price or availability")
	case name != "" && op == "":
		return nil, wrongField("when.op", "choose what has to happen to "+name)
	case op == changes:
		f.Set("when.op", "fromTo")
	}
	needed := needs(op)
	against := ""
	for _, part := range []string{"against", "since", "value", "unit", "from", "to", "first"} {
		if !slices.Contains(needed, part) {
			f.Del("when." + part)
		}
		if part == "against" || part == "since" {
			against += f.Get("when." + part)
		}
	}
	if f.Set("when.against", against); slices.Contains(needed, "constant") && isSeen(against) {
		f.Del("when.value")
	}
	return f, nil
}

// sayThis calls the parts of a condition "this" in a problem: the message stands at the part, which has no name there.
func sayThis(p *api.Problem) *api.Problem {
	for i, e := range p.Errors {
		if strings.HasPrefix(e.Field, "when.") {
			p.Errors[i].Message = strings.Replace(e.Message, e.Field+" ", "this ", 1)
		}
	}
	return p
}

// isSeen reports whether what is compared with is a value that was seen before.
func isSeen(against string) bool { return against != "" && against != "value" }

// namesOf returns the names to propose for the value of a condition: those that are known of a page come first.
func namesOf(fields map[string]api.ItemField) []string {
	names := slices.Sorted(maps.Keys(fields))
	for _, name := range field.Usual {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// A sentencePart is an input in the sentence of a condition.
type sentencePart struct {
	Field
	List string // the id of its proposals
}

// part returns an input of the sentence.
func part(f Form, name, hint, list string) sentencePart {
	return sentencePart{f.Field("when."+name, "", hint), list}
}

// Size returns the width of the input in characters.
func (p sentencePart) Size() int { return min(24, max(10, len([]rune(p.Value))+1)) }
