package frame

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/tidemark/tidemark/pkg/api"
)

// Form is the data of a form: the values that are set or were typed, the errors in them, and the values that apply
// where nothing is set.
type Form struct {
	url.Values
	Problem *api.Problem
	Holds   map[string]Fact // what applies, by field
}

// Fact is a setting in words.
type Fact struct {
	Field, Name, Value string
	Tag                string // the tag that set it
	Own                bool   // set by the item itself
}

// Field is one field of a form.
type Field struct {
	Name, Label, Hint, Value, Wrong string
	Holds                           Fact
}

// Field returns a field with its label and a hint, under the name that the API gives it. A group is also a name of
// the API; the field is the first of that group, and shows the API's messages about the group.
func (f Form) Field(name, label, hint string, group ...string) Field {
	out := Field{Name: name, Label: label, Hint: hint, Value: f.Get(name),
		Wrong: FieldMessage(f.Problem, append(group, name)...), Holds: f.Holds[name]}
	for _, g := range group {
		if h, ok := f.Holds[g]; ok {
			out.Holds = h
		}
	}
	return out
}

// Has reports whether a field has a value.
func (f Form) Has(name, value string) bool { return slices.Contains(f.Values[name], value) }

// ReadForm reads a form into [http.Request.PostForm], also one that carries files. An error is an [api.Problem] for
// people.
func ReadForm(r *http.Request) error {
	err := r.ParseForm() // ParseMultipartForm tells nothing of its errors
	if err == nil {
		err = r.ParseMultipartForm(formMemory)
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return &api.Problem{Title: http.StatusText(http.StatusRequestEntityTooLarge),
			Status: http.StatusRequestEntityTooLarge,
			Detail: fmt.Sprintf("the form has more than %d MiB: send it in parts", large.Limit>>20)}
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return BadRequest("the form cannot be read: " + err.Error())
	}
	return nil
}

// formMemory is how much of a form is kept in memory, in bytes. Bodies are smaller, so the whole form is.
const formMemory = 16 << 20
