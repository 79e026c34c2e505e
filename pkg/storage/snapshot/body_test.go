package snapshot

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

func random(n int) []byte {
	b := make([]byte, n)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// TestA21Compression checks that a body is compressed when that saves a tenth, and is read back byte for byte.
func TestA21Compression(t *testing.T) {
	for _, tt := range []struct {
		name string
		body []byte
		zip  bool
	}{
		{"nothing", nil, false},
		{"a word", []byte("tide"), false},
		{"a page", []byte(strings.Repeat("<p>The tide is high.</p>", 100)), true},
		{"noise", random(10_000), false},
		{"noise with a little text", append(random(10_000), make([]byte, 500)...), false},
		{"large", bytes.Repeat([]byte("tide "), 1<<20), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := packed(tt.body)
			if zip := b.Metadata[metaEncoding] == "gzip"; zip != tt.zip || zip && len(b.Body) > len(tt.body)*9/10 {
				t.Errorf("%d bytes are stored as %d, compressed: %v", len(tt.body), len(b.Body), zip)
			}
			if err := storage.CheckBlob(b); err != nil {
				t.Error(err)
			}
			if back, err := unpacked(b); err != nil || !bytes.Equal(back, tt.body) {
				t.Errorf("%d bytes came back as %d, %v", len(tt.body), len(back), err)
			}
		})
	}
}

// TestA21DamagedBlobs checks that a blob that differs from its metadata is Internal, and is never decompressed beyond
// its declared size.
func TestA21DamagedBlobs(t *testing.T) {
	good := packed(bytes.Repeat([]byte("tide "), 1<<20))
	hash := Hash(bytes.Repeat([]byte("tide "), 1<<20))
	with := func(encoding, size string, body []byte) storage.Blob {
		return storage.Blob{Body: body, Metadata: map[string]string{metaEncoding: encoding, metaBytes: size}}
	}
	flipped := bytes.Clone(good.Body)
	flipped[len(flipped)/2] ^= 1
	for _, tt := range []struct {
		name string
		blob storage.Blob
	}{
		{"smaller than it is", with("gzip", "100", good.Body)},
		{"larger than it is", with("gzip", strconv.Itoa(6<<20), good.Body)},
		{"larger than can be", with("gzip", strconv.Itoa(1<<31), good.Body)},
		{"below nothing", with("gzip", "-1", good.Body)},
		{"no size", with("gzip", "many", good.Body)},
		{"another encoding", with("br", good.Metadata[metaBytes], good.Body)},
		{"not compressed", with("gzip", "4", []byte("tide"))},
		{"cut off", with("gzip", good.Metadata[metaBytes], good.Body[:len(good.Body)/2])},
		{"flipped", with("gzip", good.Metadata[metaBytes], flipped)},
		{"taken for plain", storage.Blob{Body: good.Body}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStores(t, func(t *testing.T, empty func() storage.Store) {
				store := empty()
				s := open(t, store)
				name, err := blobName(hash)
				must(t, err)
				_, err = store.Container(Container).Put(t.Context(), name, tt.blob)
				must(t, err)
				if _, err := s.Body(t.Context(), hash); err == nil || !fault.Is(err, fault.Internal) {
					t.Errorf("have %v, want Internal", err)
				}
			})
		})
	}
}
