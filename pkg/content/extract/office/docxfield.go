package office

import (
	"encoding/xml"
	"strings"
)

// fields are the open fields, innermost last (part 1 §17.16.18). A field has a begin, a separator and an end. The
// text between the begin and the separator is its instruction. The text between the separator and the end is its
// result.
type fields []field

type field struct {
	instruction []byte
	separated   bool
	start       position
}

// field reads a w:fldChar, which is the begin, the separator or the end of a field.
func (d *docx) field(e xml.StartElement) {
	const deepest, longest = 64, 4096
	top := len(d.fields) - 1
	switch kind := attr(e, "fldCharType"); {
	case kind == "begin" && top < deepest:
		d.fields = append(d.fields, field{})
	case top < 0:
	case kind == "separate":
		d.fields[top].separated, d.fields[top].start = true, d.here()
	case kind == "end":
		if f := d.fields[top]; f.separated {
			d.out.Link(fieldAddress(string(f.instruction)), d.since(f.start))
		}
		d.fields = d.fields[:top]
	case e.Name.Local == "instrText":
		d.in.Text(func(s []byte) {
			f := &d.fields[top]
			f.instruction = append(f.instruction, s[:min(len(s), longest-len(f.instruction))]...)
		})
	}
}

// fieldAddress returns the address in the instruction of a HYPERLINK field (§17.16.5.25), or "".
func fieldAddress(instruction string) string {
	name, rest, _ := strings.Cut(strings.TrimSpace(instruction), " ")
	rest, quoted := strings.CutPrefix(strings.TrimSpace(rest), `"`)
	if !strings.EqualFold(name, "HYPERLINK") || !quoted {
		return ""
	}
	address, _, closed := strings.Cut(rest, `"`)
	if !closed {
		return ""
	}
	return address
}
