package snapshot

import (
	"context"
	"crypto/sha256"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// The metadata keys of a compressed blob. A blob without them holds the body unchanged.
const (
	metaEncoding = "encoding" // its value is always gzip
	metaBytes    = "bytes"    // size of the uncompressed body, as a decimal number
)

// maxBody limits the size of a body that a blob may declare. It is the size of the largest body that can be fetched.
const maxBody = 1 << 30

// packed returns the blob for a body. The blob is compressed if compression saves a tenth of the size.
func packed(body []byte) storage.Blob {
	const contentType = "application/octet-stream"
	small := row.Gzip(body)
	if len(small) > len(body)-len(body)/10 || len(body) == 0 {
		return storage.Blob{Body: body, ContentType: contentType}
	}
	return storage.Blob{Body: small, ContentType: contentType, Metadata: map[string]string{
		metaEncoding: "gzip", metaBytes: strconv.Itoa(len(body)),
	}}
}

// unpacked returns the body of a blob. It reads at most as many bytes as the blob declares.
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
	body, err := row.Gunzip(b.Body, int64(size))
	if err != nil {
		return nil, fault.New(fault.Internal, "%w", err)
	}
	if len(body) != size {
		return nil, fault.New(fault.Internal, "it has not the %d bytes that it says", size)
	}
	return body, nil
}

// Body reads the bytes of a capture and checks them against their digest. Errors: NotFound if the bytes are no longer
// kept.
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
