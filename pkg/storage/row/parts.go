package row

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// partBytes is the size of the part in each column. A binary column can hold up to 64 KiB.
	partBytes = 60 * 1024
	// maxUnpacked limits the size of a decompressed value.
	maxUnpacked = 16 << 20
)

// Split distributes bytes over as many binary columns as they need: name0, name1 and so on.
func Split(props storage.Properties, name string, b []byte) {
	for i := 0; len(b) > 0; i++ {
		n := min(len(b), partBytes)
		props[partName(name, i)], b = b[:n:n], b[n:]
	}
}

// Join returns the bytes that [Split] distributed over columns, or nil if there are no such columns.
func Join(props storage.Properties, name string) (b []byte) {
	for i := 0; ; i++ {
		part, ok := props[partName(name, i)].([]byte)
		if !ok {
			return b
		}
		b = append(b, part...)
	}
}

func partName(name string, i int) string { return fmt.Sprintf("%s%d", name, i) }

// zips keeps compressors for reuse, because a new one takes a megabyte.
var zips = sync.Pool{New: func() any {
	// Level 3 takes 0.7 times as long as the standard library's BestSpeed, and its output is a twentieth smaller for
	// pages. Level 6 saves another tenth but takes 1.6 times as long. A blob costs one write, whatever its size. zstd
	// is no better.
	const level = 3
	z, _ := gzip.NewWriterLevel(nil, level) // never fails, because the level is valid
	return z
}}

// unzips keeps decompressors for reuse, because a new one takes 40 KB, far more than most values.
var unzips = sync.Pool{New: func() any { return new(gzip.Reader) }}

// Gzip compresses bytes for storage in columns and blobs.
func Gzip(b []byte) []byte {
	var out bytes.Buffer
	z := zips.Get().(*gzip.Writer)
	defer zips.Put(z)
	z.Reset(&out)
	_, _ = z.Write(b) // writing to a bytes.Buffer never fails
	_ = z.Close()
	return out.Bytes()
}

// Gunzip decompresses the output of [Gzip]. It returns TooLarge if the result is larger than the given number of
// bytes.
func Gunzip(b []byte, most int64) ([]byte, error) {
	z := unzips.Get().(*gzip.Reader)
	defer unzips.Put(z)
	if err := z.Reset(bytes.NewReader(b)); err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(z, most+1))
	if err == nil && int64(len(out)) > most {
		return nil, fault.New(fault.TooLarge, "a stored value has more than %d bytes", most)
	}
	return out, err
}

func (c column) encodeParts(props storage.Properties, f reflect.Value) {
	var b []byte
	switch {
	case f.Type() == bytesType:
		b = f.Bytes()
	case !f.IsZero() || c.has("always"):
		b = JSON(f.Interface())
	}
	if len(b) > 0 && c.has("gzip") {
		b = Gzip(b)
	}
	Split(props, c.name, b)
}

func (c column) decodeParts(props storage.Properties, f reflect.Value) (err error) {
	b := Join(props, c.name)
	if len(b) == 0 {
		return errMissing
	}
	if c.has("gzip") {
		if b, err = Gunzip(b, maxUnpacked); err != nil {
			return err
		}
	}
	return decodeBytes(b, f)
}
