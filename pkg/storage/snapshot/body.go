package snapshot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"github.com/klauspost/compress/gzip"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Metadata of a blob that is compressed. One without it holds the bytes as they are.
const (
	metaEncoding = "encoding" // gzip
	metaBytes    = "bytes"    // of the body, decimal
)

// maxBody bounds what is believed of a blob's size: it is that of the largest body that can be fetched.
const maxBody = 1 << 30

// zips are reused: a fresh one takes more memory than most bodies.
var zips = sync.Pool{New: func() any {
	// Level 3 takes .7 of the time of the standard library's BestSpeed and makes pages a twentieth smaller. Level 6
	// saves another tenth and takes 1.6 times as long, and a blob is paid for by the write. zstd is no better.
	const level = 3
	w, _ := gzip.NewWriterLevel(nil, level) // Unreachable: the level is known
	return w
}}

// packed is a body as it is stored: compressed, if that saves a tenth of it.
func packed(body []byte) storage.Blob {
	const contentType = "application/octet-stream"
	var small bytes.Buffer
	w := zips.Get().(*gzip.Writer)
	defer zips.Put(w)
	w.Reset(&small)
	_, _ = w.Write(body) // into memory, which takes everything
	_ = w.Close()
	if small.Len() > len(body)-len(body)/10 || len(body) == 0 {
		return storage.Blob{Body: body, ContentType: contentType}
	}
	return storage.Blob{Body: small.Bytes(), ContentType: contentType, Metadata: map[string]string{
		metaEncoding: "gzip", metaBytes: strconv.Itoa(len(body)),
	}}
}

// unpacked gives the body of a blob, and reads no more than the blob says it has.
func unpacked(b storage.Blob) ([]byte, error) {
	switch encoding := b.Metadata[metaEncoding]; encoding {
	case "":
		return b.Body, nil
	case "gzip":
	default:
		return nil, fault.New(fault.Internal, "unknown encoding %.20q", encoding)
	}
	size, err := strconv.Atoi(b.Metadata[metaBytes])
	if err != nil || size < 0 || size > maxBody {
		return nil, fault.New(fault.Internal, "a body of %.20q bytes", b.Metadata[metaBytes])
	}
	body, err := inflated(b.Body, size)
	if err != nil {
		return nil, fault.New(fault.Internal, "%w", err)
	}
	if len(body) != size {
		return nil, fault.New(fault.Internal, "it has not the %d bytes that it says", size)
	}
	return body, nil
}

// inflated gives at most one byte more than size.
func inflated(zipped []byte, size int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	body.Grow(min(size, 100*len(zipped))) // a size that is a lie takes no memory
	_, err = io.Copy(&body, io.LimitReader(r, int64(size)+1))
	return body.Bytes(), err
}

// Body reads the bytes of a capture and checks them against their digest. NotFound when they are
// not kept any more.
func (s *Store) Body(ctx context.Context, rawHash string) ([]byte, error) {
	name, err := blobName(rawHash)
	if err != nil {
		return nil, err
	}
	b, err := s.bodies.blobs.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	body, err := unpacked(b)
	if err != nil {
		return nil, fault.New(fault.Internal, "snapshot %s is damaged: %w", rawHash, err)
	}
	if Hash(body) != rawHash {
		return nil, fault.New(fault.Internal, "snapshot %s does not match its digest", rawHash)
	}
	return body, nil
}

func blobName(rawHash string) (string, error) {
	hex, ok := strings.CutPrefix(rawHash, "sha256:")
	if !ok || len(hex) != sha256.Size*2 || strings.Trim(hex, "0123456789abcdef") != "" {
		return "", fault.New(fault.Invalid, "%q is not a SHA-256 digest", rawHash)
	}
	return "sha256/" + hex[:2] + "/" + hex[2:4] + "/" + hex, nil
}
