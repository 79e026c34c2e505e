package snapshot

import (
	"context"
	"crypto/sha256"
	"strings"

	"github.com/tidemark/tidemark/pkg/fault"
)

// Body reads the stored bytes of a capture and checks them against their digest.
func (s *Store) Body(ctx context.Context, rawHash string) ([]byte, error) {
	name, err := blobName(rawHash)
	if err != nil {
		return nil, err
	}
	b, err := s.blobs.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	if Hash(b.Body) != rawHash {
		return nil, fault.New(fault.Internal, "snapshot %s does not match its digest", rawHash)
	}
	return b.Body, nil
}

func blobName(rawHash string) (string, error) {
	hex, ok := strings.CutPrefix(rawHash, "sha256:")
	if !ok || len(hex) != sha256.Size*2 {
		return "", fault.New(fault.Invalid, "%q is not a SHA-256 digest", rawHash)
	}
	return "sha256/" + hex[:2] + "/" + hex[2:4] + "/" + hex, nil
}
