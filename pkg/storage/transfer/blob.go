package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// blobLine describes a blob in a line of JSON. The bytes of the blob are in a separate file.
type blobLine struct {
	Name        string            `json:"name"`
	ContentType string            `json:"contentType"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Bytes       int64             `json:"bytes"`
	SHA256      string            `json:"sha256"` // digest of the bytes
}

func blobLineOf(name string, b storage.Blob) blobLine {
	l := blobLine{Name: name, ContentType: b.ContentType, Bytes: int64(len(b.Body)), SHA256: digestOf(b.Body)}
	if len(b.Metadata) > 0 {
		l.Metadata = maps.Clone(b.Metadata)
	}
	return l
}

// encode returns the line. It cannot fail, because strings and numbers can always be encoded.
func (l blobLine) encode() []byte {
	text, _ := json.Marshal(l)
	return text
}

// decodeBlob decodes only the exact output of encode. All errors are Invalid.
func decodeBlob(text []byte) (blobLine, error) {
	var l blobLine
	if err := strictJSON(text, &l); err != nil {
		return l, err
	}
	if !bytes.Equal(l.encode(), text) {
		return l, fault.New(fault.Invalid, "the line is not as it was written")
	}
	if l.Bytes < 0 || l.Bytes > storage.MaxBlobBytes {
		return l, fault.New(fault.Invalid, "a blob of %d bytes, not 0 to %d", l.Bytes, storage.MaxBlobBytes)
	}
	if err := storage.CheckBlobName(l.Name); err != nil {
		return l, err
	}
	return l, storage.CheckBlob(storage.Blob{ContentType: l.ContentType, Metadata: l.Metadata})
}

// same reports whether b is the blob that the line describes.
func (l blobLine) same(b storage.Blob) bool {
	return bytes.Equal(l.encode(), blobLineOf(l.Name, b).encode())
}

// body reads the blob's bytes from the folder. Errors: Invalid if the bytes do not match the line.
func (l blobLine) body(dir, container string) (storage.Blob, error) {
	file := bodyFile(container, l.Name)
	body, err := readBounded(filepath.Join(dir, filepath.FromSlash(file)), storage.MaxBlobBytes)
	if err != nil {
		return storage.Blob{}, missing(file, err)
	}
	b := storage.Blob{Body: body, ContentType: l.ContentType, Metadata: l.Metadata}
	if !l.same(b) {
		return b, fault.New(fault.Invalid, "%s: the bytes of blob %s do not match their digest", file, l.Name)
	}
	return b, nil
}

// at adds the file and the line to an error.
func at(file string, line int, err error) error {
	return fmt.Errorf("%s:%d: %w", file, line, err)
}
