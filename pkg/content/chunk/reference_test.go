package chunk

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tidemark/tidemark/pkg/base/treetest"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// build is a line of testdata/reference/identity.mjs's input, and answer one of its output.
type build struct {
	Namespace string            `json:"namespaceKey"`
	Files     map[string]string `json:"files"`
	Chunks    []refChunk        `json:"chunks"`

	own answer
}

type refChunk struct {
	File    string      `json:"file"`
	Start   int         `json:"start"`
	End     int         `json:"end"`
	Kind    string      `json:"kind"`
	Name    string      `json:"name"`
	Segment *refSegment `json:"segment"`
}

type refSegment struct {
	Type       string  `json:"type"`
	LanguageID *string `json:"languageId"`
	Start      int     `json:"start"`
	End        int     `json:"end"`
}

type answer struct {
	SegmentUIDs []*string  `json:"segmentUids"`
	ChunkUIDs   []UID      `json:"chunkUids"`
	Collisions  Collisions `json:"collisions"`
}

// reference runs an independent implementation of spec 002, written in the language of its reference
// runtime. It needs Node.js and npm; without them the test fails and is never skipped.
func reference(t *testing.T, builds []build) []answer {
	t.Helper()
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, b := range builds {
		must(t, enc.Encode(b))
	}
	out := command(t, &in, "node", "testdata/reference/identity.mjs", xxhashModule(t))
	var answers []answer
	dec := json.NewDecoder(bytes.NewReader(out))
	for dec.More() {
		var a answer
		must(t, dec.Decode(&a))
		answers = append(answers, a)
	}
	if len(answers) != len(builds) {
		t.Fatalf("%d answers to %d builds", len(answers), len(builds))
	}
	return answers
}

// xxhashModule returns the path of the reference's hash, and downloads it into .tools if it is missing.
func xxhashModule(t *testing.T) string {
	t.Helper()
	pinned, err := os.ReadFile("testdata/reference/package.json")
	must(t, err)
	var p struct{ Dependencies map[string]string }
	must(t, json.Unmarshal(pinned, &p))
	tools := treetest.Tools(t)
	home := filepath.Join(tools, "xxhash-wasm-"+p.Dependencies["xxhash-wasm"])
	module := filepath.Join(home, "node_modules", "xxhash-wasm", "esm", "xxhash-wasm.js")
	if _, err := os.Stat(module); err == nil {
		return module
	}
	must(t, os.MkdirAll(tools, 0o755))
	// Installed in a temporary folder and renamed, so that home is never half installed.
	temp, err := os.MkdirTemp(tools, "xxhash-wasm-")
	must(t, err)
	defer os.RemoveAll(temp)
	must(t, os.WriteFile(filepath.Join(temp, "package.json"), pinned, 0o644))
	command(t, nil, "npm", "install", "--prefix", temp, "--ignore-scripts", "--no-audit", "--no-fund")
	if err := os.Rename(temp, home); err != nil {
		_, err = os.Stat(module) // another process may have been faster
		must(t, err)
	}
	return module
}

func command(t *testing.T, in *bytes.Buffer, name string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = 5 * time.Second
	if in != nil {
		cmd.Stdin = in
	}
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, failed.Bytes())
	}
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// alphabet has what implementations disagree about: line ends, characters of one to four bytes and
// of one or two UTF-16 units, and those around the surrogates in order.
var alphabet = strings.Split("a|b| |\n|\r|\r\n|\x00|é|港|\uFFFD|\uE000|\uFFFF|😀|𝄞|\U0010FFFF", "|")

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	few := alphabet[:1+r.IntN(len(alphabet))] // of few characters, so that parts repeat
	for range n {
		b.WriteString(few[r.IntN(len(few))])
	}
	return b.String()
}

// randomBuild returns repetitive random texts and spans anywhere in them, including within surrogate pairs.
func randomBuild(r *rand.Rand) build {
	b := build{Namespace: []string{Namespace, "other"}[r.IntN(2)], Files: map[string]string{}, Chunks: []refChunk{}}
	paths := []string{"a.md", "b/ü.md", "\uFFFF", "😀"}
	for _, path := range paths[:1+r.IntN(len(paths))] {
		part := randomText(r, 1+r.IntN(120))
		text := randomText(r, r.IntN(3)*700) + strings.Repeat(part, 1+r.IntN(30)) + randomText(r, r.IntN(3)*700)
		b.Files[path] = text
		length, stride := newText(text).Len(), unitsOf(part)*r.IntN(4)
		start := r.IntN(length + 1)
		end := start + r.IntN(length+1-start)
		for range r.IntN(6) {
			b.Chunks = append(b.Chunks, randomChunk(r, path, start, end, length))
			if start+stride > length || end+stride > length || r.IntN(3) == 0 {
				start = r.IntN(length + 1)
				end = start + r.IntN(length+1-start)
				continue
			}
			start, end = start+stride, end+stride
		}
	}
	return b
}

func randomChunk(r *rand.Rand, path string, start, end, length int) refChunk {
	names := []string{"", "x", "\uFFFF", "😀"}
	c := refChunk{File: path, Start: start, End: end, Kind: names[r.IntN(4)], Name: names[r.IntN(4)]}
	if r.IntN(3) == 0 {
		s := &refSegment{Type: []string{"code", "table"}[r.IntN(2)], Start: start - r.IntN(start+1), End: end +
			r.IntN(length-end+1)}
		if language := []string{"", "go"}[r.IntN(2)]; language != "" {
			s.LanguageID = &language
		}
		c.Segment = s
	}
	return c
}

// named computes the answer to a build with this package.
func named(b build) answer {
	a := answer{SegmentUIDs: make([]*string, len(b.Chunks))}
	texts, spans := map[zoneText]indexedText{}, make([]span, len(b.Chunks))
	for path, text := range b.Files {
		texts[zoneText{File: path}] = newText(text)
	}
	for i, c := range b.Chunks {
		spans[i] = span{File: c.File, Start: c.Start, End: c.End, Kind: c.Kind, Name: c.Name}
		if s := c.Segment; s != nil {
			if s.LanguageID != nil {
				spans[i].LanguageID = *s.LanguageID
			}
			uid := segmentUID(s.Type, spans[i].LanguageID, texts[zoneText{File: c.File}].Slice(s.Start, s.End))
			spans[i].SegmentUID, a.SegmentUIDs[i] = uid, &uid
		}
	}
	a.ChunkUIDs, a.Collisions = distinctUIDs(b.Namespace, texts, spans)
	return a
}

// splitBuild returns a random page as this package cuts and names it.
func splitBuild(r *rand.Rand) build {
	var blocks []extract.Block
	for range r.IntN(12) {
		kinds := []extract.Kind{extract.Heading, extract.Paragraph, extract.Paragraph, extract.Code, extract.Table}
		block := extract.Block{Kind: kinds[r.IntN(len(kinds))], Level: r.IntN(4), Text: randomText(r, 1+r.IntN(40))}
		if block.Kind == extract.Code && r.IntN(2) == 0 {
			block.Language = "go"
		}
		blocks = append(blocks, block)
		if r.IntN(3) == 0 {
			blocks = append(blocks, blocks[r.IntN(len(blocks))])
		}
	}
	b := build{Namespace: Namespace, Files: map[string]string{"url_a": extract.Join(blocks)}, Chunks: []refChunk{}}
	chunks, collisions := Split(Page{ID: "url_a", Blocks: blocks})
	b.own = answer{SegmentUIDs: make([]*string, len(chunks)), ChunkUIDs: make([]UID, len(chunks)), Collisions: collisions}
	for i, c := range chunks {
		rc := refChunk{File: "url_a", Start: c.Start, End: c.End, Kind: string(c.Kind), Name: c.Name}
		if s := c.Segment; s != nil {
			// Such small blocks have one chunk each, but blanks around it belong to the segment.
			rc.Segment = segmentAround(blocks, c)
			b.own.SegmentUIDs[i] = &s.UID
		}
		b.own.ChunkUIDs[i] = c.UID
		b.Chunks = append(b.Chunks, rc)
	}
	return b
}

// segmentAround finds the block that contains a chunk, counting positions independently.
func segmentAround(blocks []extract.Block, c Chunk) *refSegment {
	at := 0
	for _, b := range blocks {
		end := at + unitsOf(b.Text)
		if at <= c.Start && c.End <= end {
			s := &refSegment{Type: string(c.Kind), Start: at, End: end}
			if b.Language != "" {
				s.LanguageID = &b.Language
			}
			return s
		}
		at = end + len(extract.Separator)
	}
	return nil
}

// TestC1C2Reference checks that an independent implementation gives the chunks of thousands of random builds the same
// names, and counts the same collisions.
func TestC1C2Reference(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var builds []build
	for range 1500 {
		b := randomBuild(r)
		b.own = named(b)
		builds = append(builds, b, splitBuild(r))
	}
	var met Collisions
	chunks := 0
	for i, want := range reference(t, builds) {
		have := builds[i].own
		if diff := cmp.Diff(want, have, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("build %d: -reference +own\n%s", i, diff)
		}
		chunks += len(have.ChunkUIDs)
		met.ByContext += have.Collisions.ByContext
		met.ByOrdinal += have.Collisions.ByOrdinal
	}
	if chunks < 10000 || met.ByContext < 100 || met.ByOrdinal < 100 {
		t.Errorf("too few of something: %d chunks, %+v", chunks, met)
	}
	t.Logf("%d chunks, %+v", chunks, met)
}
