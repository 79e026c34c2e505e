package ui

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
)

// Form is the data of a form: the stored or typed values, the errors in them, and the settings that
// apply to fields without a value.
type Form struct {
	url.Values
	Of      *form.Form // the description of its inputs
	Problem *api.Problem
	Holds   []form.Fact // the settings that apply
	Was     url.Values  // what the form showed at first; only what differs from it is written
}

// newForm returns the form of a value, which shows the inputs of the settings below the given
// paths; without paths, of all.
func newForm[T any](v T, below ...string) Form {
	f := Form{Of: form.Of[T](), Values: form.Inputs(v)}
	if len(below) > 0 {
		maps.DeleteFunc(f.Values, func(path string, _ []string) bool { return !slices.Contains(below, topOf(path)) })
	}
	f.Was = maps.Clone(f.Values)
	return f
}

// Typed returns the form with what a person typed, and what is wrong with it.
func (f Form) Typed(typed url.Values, problem *api.Problem) Form {
	f.Values, f.Problem = typed, problem
	if was, err := url.ParseQuery(typed.Get(was)); err == nil && len(was) > 0 {
		f.Was = was
	}
	return f
}

// was is the name of the input with what the form showed at first.
const was = "was"

// changesOf returns what a person changed in a form of T. An error is an [api.Problem].
func changesOf[T any](typed url.Values) (api.Patch, error) {
	was, err := url.ParseQuery(typed.Get(was))
	if err != nil || len(was) == 0 {
		return nil, badRequest("the form is not complete: open it again")
	}
	return differing[T](typed, was)
}

// readInto changes a value, given by a pointer, to what a person typed in a form that showed no
// settings at first. An error is an [api.Problem].
func readInto[T any](typed url.Values, into *T) error {
	p, err := differing[T](typed, form.Inputs(*new(T)))
	if err != nil {
		return err
	}
	return p.Apply(into)
}

// differing returns what a person typed that differs from what the form of T showed. An error is an [api.Problem].
func differing[T any](typed, was url.Values) (api.Patch, error) {
	p, errs := form.Of[T]().Changes(typed, was)
	if len(errs) == 0 {
		return p, nil
	}
	problem := &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: errs[0].Error()}
	for _, err := range errs {
		problem.Errors = append(problem.Errors, api.FieldError{Field: fault.FieldOf(err), Message: err.Error()})
	}
	return nil, problem
}

func topOf(path string) string {
	name, _, _ := strings.Cut(path, ".")
	return name
}

// Input is a setting as an input of a form.
type Input struct {
	form.Field
	Form  Form
	Wrong string
	Holds form.Fact // what applies, at the first input of the setting
}

// Is reports whether the input has a value, or one of several.
func (i Input) Is(value string) bool { return i.Form.Has(i.Path, value) }

// Typed returns the value of the input.
func (i Input) Typed() string { return i.Form.Get(i.Path) }

// Inputs returns the inputs of the settings at or below the given paths, in the order of their
// description; without paths, all.
func (f Form) Inputs(below ...string) (out []Input) {
	held, said := map[string]bool{}, map[string]bool{}
	for _, one := range f.Of.Fields {
		within := func(path string) bool { return one.Path == path || strings.HasPrefix(one.Path, path+".") }
		if _, shown := f.Was[one.Path]; !shown || len(below) > 0 && !slices.ContainsFunc(below, within) {
			continue
		}
		in := Input{Field: one, Form: f}
		for _, h := range f.Holds {
			if in.isAt(h.Path) && !held[h.Path] {
				in.Holds, held[h.Path] = h, true
			}
		}
		if f.Problem != nil {
			for _, e := range f.Problem.Errors {
				if in.isAt(e.Field) && !said[e.Field] && in.Wrong == "" {
					in.Wrong, said[e.Field] = strings.TrimPrefix(strings.TrimPrefix(e.Message, e.Field), ": "), true
				}
			}
		}
		out = append(out, in)
	}
	return out
}

// isAt reports whether what is said of a setting belongs to the input: to its own, or that of a part of it.
func (i Input) isAt(said string) bool {
	return said == i.Path || !i.Switch && strings.HasPrefix(said, i.Path+".") || strings.HasPrefix(i.Path, said+".")
}

// Field is one field of a form that has no description.
type Field struct{ Name, Label, Hint, Value, Wrong string }

// Field returns a field with a label and a hint. Messages about the fields of a group are shown at it, too.
func (f Form) Field(name, label, hint string, group ...string) Field {
	return Field{Name: name, Label: label, Hint: hint, Value: f.Get(name),
		Wrong: fieldMessage(f.Problem, append(group, name)...)}
}

// Has reports whether the given value is among the values of a field. Those of a list may have commas between them.
func (f Form) Has(name, value string) bool {
	return slices.ContainsFunc(f.Values[name], func(list string) bool {
		return list == value || slices.Contains(strings.Split(list, ", "), value)
	})
}

// readForm reads a form, which may carry files, into [http.Request.PostForm]. An error that a
// person should read is an [api.Problem].
func readForm(r *http.Request) error {
	err := r.ParseForm() // ParseMultipartForm would not report this error
	if err == nil {
		err = r.ParseMultipartForm(formMemory)
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &api.Problem{Title: http.StatusText(http.StatusRequestEntityTooLarge),
			Status: http.StatusRequestEntityTooLarge,
			Detail: fmt.Sprintf("the form has more than %d MiB: send it in parts", large.Limit>>20)}
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return badRequest("the form cannot be read, because it did not arrive whole: open it again, and send it anew")
	}
	return nil
}

// formMemory limits the number of bytes of a form that are kept in memory. Request bodies are
// smaller, so the whole form is kept there.
const formMemory = 16 << 20

// labels are the names that people see of fields that errors are about, if these have no
// description. They are the labels in the templates.
var labels = map[string]string{
	"name": "Name", "url": "Address", "urlFrom": "Name of the setting with the address", "scope": "Scope",
	"patterns": "Ignored lines", "pattern": "Ignored lines", "hunk": "Ignored lines", "text": "Ignored lines",
	"watch": "What to watch", "files": "Files", "limit": "Limit", "word": "Word or phrase",
}

// Alert says in one line what is wrong with a form, by the labels of its fields. It is "" if nothing is wrong.
func (f Form) Alert() string {
	if f.Problem == nil {
		return ""
	}
	var parts []string
	for _, e := range f.Problem.Errors {
		parts = append(parts, labelled(cmp.Or(f.label(e.Field), labelOf(e.Field)), e.Message))
	}
	if len(parts) == 0 {
		return sentence(f.Problem.Error())
	}
	return strings.Join(parts, "; ")
}

// label returns what the description calls a setting, or the setting that it is an entry of.
func (f Form) label(path string) string {
	if f.Of == nil {
		return ""
	}
	label := ""
	for _, one := range f.Of.Fields { // an object comes before its parts
		if one.Path == path || strings.HasPrefix(path, one.Path+".") {
			label = one.Label
		}
	}
	return label
}

// refusal returns the API's reason to refuse a request. It returns nil if err is nil or is not about the request.
func refusal(err error) *api.Problem {
	if p, ok := errors.AsType[*api.Problem](err); ok && p.Status < http.StatusInternalServerError {
		return peopleWords(p)
	}
	return nil
}

// peopleWords puts a problem into words for people: labels instead of the paths of fields, and no words of the program.
func peopleWords(p *api.Problem) *api.Problem {
	var all []string
	for i, e := range p.Errors {
		says := strings.TrimPrefix(e.Message, e.Field+": ")
		if rest, named := strings.CutPrefix(says, e.Field+" "); named && labelOf(e.Field) != "" {
			says = "this " + rest
		}
		p.Errors[i].Message = plain(says)
		all = append(all, labelled(labelOf(e.Field), p.Errors[i].Message))
	}
	if p.Detail = plain(p.Detail); len(all) > 0 {
		p.Detail = strings.Join(all, "; ")
	}
	return p
}

// wrongField returns a problem about one field, in the form of the API's problems.
func wrongField(field, detail string) *api.Problem {
	return &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: detail,
		Errors: []api.FieldError{{Field: field, Message: detail}}}
}

// labelled puts a label before what is wrong with a field; nothing before what names the field itself.
func labelled(label, says string) string {
	if label == "" {
		return says
	}
	return label + ": " + says
}

// labelOf returns what people call a field of any form: its label, or its name if that is a word; else "".
func labelOf(path string) string {
	path, _, _ = strings.Cut(path, "[") // channels[0].kind
	if label := form.Label(path); label != "" {
		return label
	}
	if said := labels[path]; said != "" || path != strings.ToLower(path) || strings.Contains(path, ".") {
		return said
	}
	return path
}

var notOneOf = regexp.MustCompile(`\S+ must be one of \[[^\]]*\], not (".*")`)

// plain says what went wrong without the words of the program.
func plain(message string) string {
	switch {
	case inner.MatchString(message):
		return reasonOf(message, "the server")
	case strings.Contains(message, "the row exists"):
		return "somebody else changed this at the same moment: send it again"
	}
	return peoples.Replace(notOneOf.ReplaceAllString(message, "$1 is not one of the choices"))
}

// peoples puts the words that people read in place of those of the API.
var peoples = strings.NewReplacer("there is no channel ", "nothing to send to is named ", "no channel ", "none ",
	"the rule", "the alert", "no rule ", "no alert ", "the channel ", "the way of sending ", "a channel ",
	"a way of sending ", "digest", "gathered message")

// badRequest returns an error that refuses the input of a form.
func badRequest(detail string) error {
	return &api.Problem{Title: "Bad Request", Status: http.StatusBadRequest, Detail: detail}
}

// notFound returns an error that reports that something does not exist.
func notFound(detail string) error {
	return &api.Problem{Title: "Not Found", Status: http.StatusNotFound, Detail: detail}
}

// fieldMessage returns the problem's message about one of the given fields, or "" if there is none.
// A name that ends in a point stands for all fields below it.
func fieldMessage(p *api.Problem, fields ...string) string {
	if p == nil {
		return ""
	}
	for _, e := range p.Errors {
		if slices.Contains(fields, e.Field) {
			return strings.TrimPrefix(e.Message, e.Field+": ") // the label names the field
		}
		for _, field := range fields {
			if strings.HasSuffix(field, ".") && strings.HasPrefix(e.Field, field) {
				return strings.TrimPrefix(e.Message, field)
			}
		}
	}
	return ""
}
