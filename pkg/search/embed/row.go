package embed

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"math"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/storage"
)

// table is the table of the vectors.
const table = "Embeddings"

// vectorColumn is the one column of a row.
const vectorColumn = "vector"

// The layout of a stored vector, in little endian: version (1 byte), three zero bytes, dimension (4 bytes), the
// numbers (IEEE 754, 4 bytes each), and the CRC-32C of all preceding bytes (4 bytes). A column has room for 16,381
// numbers.
const (
	version = 1
	header  = 8
	trailer = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns a vector in its stored form.
func encode(v []float32) []byte {
	b := make([]byte, header, header+4*len(v)+trailer)
	b[0] = version
	binary.LittleEndian.PutUint32(b[4:], uint32(len(v)))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decode parses a stored vector. It returns an error if the data are damaged or of another version.
func decode(b []byte) ([]float32, error) {
	if len(b) < header+trailer || [4]byte(b) != [4]byte{version} {
		return nil, fault.New(fault.Internal, "%d bytes that are no vector of version %d", len(b), version)
	}
	body, sum := b[:len(b)-trailer], binary.LittleEndian.Uint32(b[len(b)-trailer:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, fault.New(fault.Internal, "the vector does not match its checksum")
	}
	numbers := body[header:]
	if n := binary.LittleEndian.Uint32(b[4:]); uint64(n)*4 != uint64(len(numbers)) || n == 0 {
		return nil, fault.New(fault.Internal, "%d bytes for %d numbers", len(numbers), n)
	}
	v := make([]float32, len(numbers)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(numbers[4*i:]))
	}
	return v, nil
}

// digest identifies a text.
type digest [sha256.Size]byte

func digestOf(text string) digest { return sha256.Sum256([]byte(text)) }

// keyOf returns the key of a text's vector. Two digits of the text's hash spread the vectors of a model over 256
// partitions, because one partition handles no more than 2,000 operations a second.
func keyOf(model string, text digest) storage.Key {
	of := digestOf(model)
	row := hex.EncodeToString(text[:])
	return storage.Key{Partition: hex.EncodeToString(of[:8]) + "-" + row[:2], Row: row}
}

// PageEmbedder adds vectors to the chunks of pages.
type PageEmbedder struct {
	model llm.Embedder
	tag   string
}

// NewPageEmbedder returns a PageEmbedder for a model, which should be [Cached].
func NewPageEmbedder(model llm.Embedder) *PageEmbedder {
	of := digestOf(model.Model())
	return &PageEmbedder{model: model, tag: hex.EncodeToString(of[:4])}
}

// Tag is what the keys of chunks name the model by.
func (f *PageEmbedder) Tag() string { return f.tag }

// Embed adds vectors to the chunks of a page. It also adds the model's name to the keys of the chunks, because a key
// also identifies the chunk's vector. Chunks that the index is known to hold are not written again and need no
// vector. On error the page is unchanged and must not be indexed, because nobody would notice that its vectors are
// missing.
func (f *PageEmbedder) Embed(ctx context.Context, p *search.Page) (err error) {
	defer fault.Wrap(&err, "vectors of %s", p.ID)
	filled := *p
	filled.Chunks = make([]search.Chunk, len(p.Chunks))
	var texts []string
	var places []int
	same := p.Known != nil && p.Known.Fields == p.Contents().Fields // if false, all chunks are written again
	for i, c := range p.Chunks {
		c.Key = search.WithModel(c.Key, f.tag)
		filled.Chunks[i] = c
		if same && knows(p.Known, c.Key) {
			continue
		}
		if text := Text(c); text != "" {
			texts, places = append(texts, text), append(places, i)
		}
	}
	vectors, err := f.model.Embed(ctx, texts)
	if err != nil {
		return err
	}
	for i, place := range places {
		filled.Chunks[place].Vector = vectors[i]
	}
	*p = filled
	return nil
}

func knows(h *search.Contents, key string) bool {
	_, ok := h.Chunks[key]
	return ok
}

// Text returns the text of a chunk in the form that the model gets. The text does not depend on the chunk's page, its
// position or the page's title, so it changes only when the chunk does.
func Text(c search.Chunk) string { return chunk.Chunk{Heading: c.Heading, Text: c.Text}.Embedded() }
