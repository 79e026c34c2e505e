package frame

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
)

// Form is the data of a form: the stored or typed values, the errors in them, and the settings that apply to fields
// without a value.
type Form struct {
	url.Values
	Problem *api.Problem
	Holds   map[string]Fact // the settings that apply, by field
}

// Fact is a setting, described in words.
type Fact struct {
	Field, Name, Value string
	Tag                string // the tag that has the setting
	Own                bool   // the item itself has the setting
}

// Field is one field of a form.
type Field struct {
	Name, Label, Hint, Value, Wrong string
	Holds                           Fact
}

// Field returns a field with a label and a hint. The field has the same name as in the API. The API may also have a
// name for a group of fields. For the first field of such a group, give the group's name: messages and settings of
// the group are shown at that field.
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

// Has reports whether the given value is among the values of a field.
func (f Form) Has(name, value string) bool { return slices.Contains(f.Values[name], value) }

// Lines returns the lines of a field, without the empty ones.
func Lines(text string) (out []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

// FilesOf reads the selection of a folder's files from a form; nil if the form has no fields for it.
func FilesOf(f url.Values) *api.Files {
	if !f.Has("files.include") {
		return nil
	}
	return &api.Files{Include: Lines(f.Get("files.include")), Exclude: Lines(f.Get("files.exclude")),
		Hidden: f.Get("files.hidden") != ""}
}

// ReadForm reads a form, which may carry files, into [http.Request.PostForm]. An error that a person should read is
// an [api.Problem].
func ReadForm(r *http.Request) error {
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
		return BadRequest("the form cannot be read: " + err.Error())
	}
	return nil
}

// formMemory limits the number of bytes of a form that are kept in memory. Request bodies are smaller, so the whole
// form is kept there.
const formMemory = 16 << 20
