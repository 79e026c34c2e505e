package ooxml

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Bounds on an archive. They apply to the data that is read, not to the sizes in headers.
const (
	maxEntries  = 10_000    // files in the archive
	maxPart     = 64 << 20  // bytes of a part, inflated
	maxInflated = 256 << 20 // bytes of all parts that are read, inflated
	maxElements = 8 << 20   // XML elements in those parts; even a small one takes time to read
)

// archive is a package of parts (ECMA-376 part 2). When a bound is exceeded, err is set and nothing more is read. The
// reader of the document then returns err.
type archive struct {
	files    map[string]*zip.File // by name, which is in lower case and without a leading slash
	own      relations            // relationships of the package itself
	part     int64                // bytes to which a part may inflate
	left     int64                // bytes that may still be inflated
	elements int                  // elements that may still be read
	err      error
}

// openArchive reads the directory of a ZIP file.
func openArchive(body []byte) (*archive, error) {
	// Entries are counted before the ZIP reader allocates memory for them. An entry may contain the four bytes, too,
	// but not thousands of times by accident.
	if bytes.Count(body, []byte("PK\x01\x02")) > maxEntries {
		return nil, fault.New(fault.TooLarge, "office file holds more than %d entries", maxEntries)
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, fault.New(fault.Invalid, "broken office file: %w", err)
	}
	a := &archive{files: make(map[string]*zip.File, len(z.File)), part: maxPart, left: maxInflated, elements: maxElements}
	for _, f := range z.File {
		a.files[partName(f.Name)] = f
	}
	a.own = a.relations("")
	return a, a.err
}

// partName returns the name of a part in lower case, because case does not matter in names (part 2 §6.3.5). The
// backslashes that some programs write become slashes.
func partName(s string) string {
	return strings.ToLower(strings.TrimLeft(strings.ReplaceAll(s, `\`, "/"), "/"))
}

// required reads the root element of a part that every document must have. A part is read once and is treated as
// missing afterwards. So a file that refers to a part repeatedly does not repeat its text.
func (a *archive) required(name string, read func(*part, xml.StartElement)) error {
	if a.err != nil {
		return a.err
	}
	f := a.files[partName(name)]
	delete(a.files, partName(name))
	if f == nil {
		return fault.New(fault.Invalid, "broken office file: part %.100q is missing", name)
	}
	r, err := f.Open()
	if err != nil {
		return fault.New(fault.Invalid, "broken office file: part %.100q: %w", name, err)
	}
	defer r.Close()
	p := newPart(&meter{r: r, all: &a.left, left: a.part}, &a.elements)
	p.root(read)
	switch {
	case fault.Is(p.err, fault.TooLarge):
		a.err = p.err
		return p.err
	case p.err != nil && p.err != errEnough:
		return fault.New(fault.Invalid, "broken office file: part %.100q: %w", name, p.err)
	}
	return nil
}

// optional reads a part that only adds to the document. A missing part is treated as empty. From a broken part, the
// text before the error is kept. Errors: TooLarge.
func (a *archive) optional(name string, read func(*part, xml.StartElement)) error {
	if name == "" {
		return nil
	}
	if err := a.required(name, read); fault.Is(err, fault.TooLarge) {
		return err
	}
	return nil
}

// meter returns an error when a part inflates beyond the bounds.
type meter struct {
	r    io.Reader
	left int64
	all  *int64
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.left -= int64(n)
	*m.all -= int64(n)
	if m.left < 0 || *m.all < 0 {
		return 0, fault.New(fault.TooLarge, "office file inflates beyond %d bytes a part or %d in all", maxPart, maxInflated)
	}
	return n, err
}

// decoded converts a part to UTF-8. Parts may also be in UTF-16, which a byte order mark indicates (part 2 §6.2.5).
func decoded(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}
