package pdf

import (
	"strings"

	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
)

// readFields adds the values of the form fields on a page, which are not part of the page's text. The label of a
// value is the tool tip of the field, because the names of fields are meant for programmers.
func (r *reader) readFields(page requests.Page, number int) {
	form, err := r.pdfium.GetForm(&requests.GetForm{Page: page})
	if err != nil {
		return // even without the form, the text is useful
	}
	for _, f := range form.Fields {
		text := fieldText(f)
		if text == "" || r.text >= r.o.Limits.MaxBytes {
			continue
		}
		r.text += len(text)
		r.lines = append(r.lines, line{page: number, text: text, field: true})
	}
}

// fieldText returns the label of a field and its value, or "" if the field is empty.
func fieldText(f responses.FormField) string {
	value, label := "", clean(f.ToolTip)
	switch {
	case len(f.Values) > 0:
		value = clean(strings.Join(f.Values, ", "))
	case f.Value != nil:
		value = clean(*f.Value)
	case f.IsChecked != nil && *f.IsChecked:
		return label
	}
	if value == "" || label == "" {
		return value
	}
	return label + ": " + value
}
