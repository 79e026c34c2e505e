package office

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"io"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// This file reads the archives of XML parts that office files and books are: Office Open XML (ECMA-376 part 2),
// OpenDocument and EPUB. It bounds what a hostile archive can cost, and reads each part one element at a time.

// Bounds on an archive. They apply to the data that is read, not to the sizes in headers.
const (
	maxArchiveEntries = 10_000    // files in the archive
	maxPart           = 64 << 20  // bytes of one part, inflated
	maxArchiveBytes   = 256 << 20 // bytes of all parts read, inflated
	maxElements       = 8 << 20   // XML elements in those parts; each costs time, however small
)

// zipArchive is a package of parts. When a bound is exceeded, Err is set. After that, nothing more is read, and the
// reader of the document returns Err.
type zipArchive struct {
	Err    error
	Bounds archiveBounds        // what may still be read
	files  map[string]*zip.File // by name, which is in lower case and without a leading slash
}

// archiveBounds are what may be read of an archive.
type archiveBounds struct {
	Part     int64 // bytes to which one part may inflate
	Inflated int64 // bytes to which all parts may inflate
	Elements int   // XML elements
}

// openArchive reads the directory of an archive. Errors: TooLarge, Invalid.
func openArchive(body []byte) (*zipArchive, error) {
	// Entries are counted before the ZIP reader allocates memory for them. The four bytes may occur inside an entry
	// too, but not thousands of times by accident.
	if bytes.Count(body, []byte("PK\x01\x02")) > maxArchiveEntries {
		return nil, fault.New(fault.TooLarge, "office file holds more than %d entries", maxArchiveEntries)
	}
	z, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, fault.New(fault.Invalid, "broken office file: %w", err)
	}
	a := &zipArchive{files: make(map[string]*zip.File, len(z.File)), Bounds: archiveBounds{maxPart, maxArchiveBytes,
		maxElements}}
	for _, f := range z.File {
		a.files[localName(f.Name)] = f
	}
	return a, nil
}

// Has reports whether the archive has a part that was not read yet.
func (a *zipArchive) Has(name string) bool { return a.files[localName(name)] != nil }

// localName returns the form of a part's name by which the part is looked up. Case does not matter in names (ECMA-376
// part 2 §6.3.5), so the form is in lower case. The backslashes that some programs write become slashes.
func localName(s string) string {
	return strings.ToLower(strings.TrimLeft(strings.ReplaceAll(s, `\`, "/"), "/"))
}

// Open returns the content of a part. A part is read once and is treated as missing afterwards, so a file that refers
// to a part repeatedly does not repeat its text.
func (a *zipArchive) Open(name string) (io.ReadCloser, error) {
	if a.Err != nil {
		return nil, a.Err
	}
	f := a.files[localName(name)]
	delete(a.files, localName(name))
	if f == nil {
		return nil, fault.New(fault.Invalid, "broken office file: part %.100q is missing", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fault.New(fault.Invalid, "broken office file: part %.100q: %w", name, err)
	}
	return &meter{ReadCloser: r, a: a, left: a.Bounds.Part}, nil
}

// Bytes returns the content of a part. Errors: TooLarge, Invalid.
func (a *zipArchive) Bytes(name string) ([]byte, error) {
	r, err := a.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(r)
	if err != nil && a.Err == nil {
		return nil, fault.New(fault.Invalid, "broken office file: part %.100q: %w", name, err)
	}
	return body, a.Err
}

// Required reads the root element of a part without which there is no document. See [zipArchive.Open].
func (a *zipArchive) Required(name string, read func(*xmlPart, xml.StartElement)) error {
	r, err := a.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	p := newPart(r, &a.Bounds.Elements)
	p.root(read)
	switch {
	case fault.Is(p.err, fault.TooLarge):
		a.Err = p.err
		return p.err
	case p.err != nil && p.err != errEnough:
		return fault.New(fault.Invalid, "broken office file: part %.100q: %w", name, p.err)
	}
	return nil
}

// Optional reads a part that only adds to the document. A missing part is treated as empty. If a part is broken, what
// precedes the error is kept. Errors: TooLarge.
func (a *zipArchive) Optional(name string, read func(*xmlPart, xml.StartElement)) error {
	if name == "" {
		return nil
	}
	if err := a.Required(name, read); fault.Is(err, fault.TooLarge) {
		return err
	}
	return nil
}

// meter returns an error when a part inflates beyond its bounds.
type meter struct {
	io.ReadCloser
	a    *zipArchive
	left int64
}

func (m *meter) Read(b []byte) (int, error) {
	n, err := m.ReadCloser.Read(b)
	m.left -= int64(n)
	m.a.Bounds.Inflated -= int64(n)
	if m.left < 0 || m.a.Bounds.Inflated < 0 {
		m.a.Err = fault.New(fault.TooLarge, "office file inflates beyond %d bytes a part or %d in all", maxPart,
			maxArchiveBytes)
		return 0, m.a.Err
	}
	return n, err
}

// decoded converts a part to UTF-8. Parts may also be in UTF-16, which a byte order mark indicates (part 2 §6.2.5).
func decoded(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}
