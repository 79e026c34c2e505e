package chunk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// uidsOf returns the names of a page's chunks.
func uidsOf(t *testing.T, contentType, body string) (uids []UID, chunks []Chunk, collisions Collisions) {
	t.Helper()
	doc, err := web.Extract([]byte(body), contentType, "https://port.example/notes.md", extract.Limits{})
	must(t, err)
	chunks, collisions = Split(Page{ID: "file_a", Name: Name{Namespace, "docs/notes.md"}, Title: doc.Title,
		Blocks: doc.Blocks})
	for _, c := range chunks {
		uids = append(uids, c.UID)
	}
	return uids, chunks, collisions
}

const tenLines = "One line of ten, that stands at the top.\n\n"

// TestC6LineShift is fixture 1 of 002 §8.
func TestC6LineShift(t *testing.T) {
	apart := strings.Repeat("Between the two stands more than a window. ", 8) + "\n\n"
	file := "# Top\n\n" + apart + "# First\n\n" + apart + "The first chunk.\n\n# Second\n\nThe second chunk.\n"
	before, _, _ := uidsOf(t, "text/markdown", file)
	after, _, _ := uidsOf(t, "text/markdown", strings.Repeat(tenLines, 10)+file)
	if len(before) != 3 || len(after) != 4 {
		t.Fatalf("%d and %d chunks", len(before), len(after))
	}
	if before[1] != after[2] || before[2] != after[3] {
		t.Errorf("names of chunks moved:\n%q\n%q", before, after)
	}
}

const fence = "```go\nfunc Open() error {\n\treturn nil\n}\n```\n\n"

// TestC6Segments is fixture 2: segmentUid depends only on the content, and chunks of equal segments are distinguished
// the same way each time.
func TestC6Segments(t *testing.T) {
	other := strings.Replace(fence, "nil", "err", 1)
	uids, chunks, collisions := uidsOf(t, "text/markdown", "One.\n\n"+fence+"Two.\n\n"+fence+"Three.\n\n"+other)
	a, b, c := chunks[1].Segment, chunks[3].Segment, chunks[5].Segment
	if a.UID != b.UID || a.UID == c.UID || a.LanguageID != "go" || a.VirtualPath != b.VirtualPath {
		t.Errorf("segments %+v, %+v and %+v", a, b, c)
	}
	if uids[1] == uids[3] || collisions.Chunks != 0 {
		t.Errorf("what surrounds them tells them apart: %q, %+v", uids, collisions)
	}
	same := strings.Repeat(fence, 100)
	uids, _, collisions = uidsOf(t, "text/markdown", same)
	again, _, _ := uidsOf(t, "text/markdown", same)
	last := ""
	for i, uid := range uids {
		if uid != again[i] {
			t.Errorf("%d: %s and %s", i, uid, again[i])
		}
		if _, ordinal, found := strings.Cut(string(uid), ":ord"); found {
			last += ordinal + " "
		}
	}
	if !strings.HasPrefix(last, "1 2 3 ") || collisions.ByOrdinal == 0 {
		t.Errorf("ordinals %q, %+v", last, collisions)
	}
}

// TestC6Duplicates is fixture 3: the ordinals of equal chunks stay when text above both changes.
func TestC6Duplicates(t *testing.T) {
	far := strings.Repeat("Nothing to see on this line.\n\n", 60)
	same := "# Same\n\nThe very same words.\n\n"
	file := "# Far\n\n" + far + same + "# Far\n\n" + far + same + "# Far\n\n" + far + same + "# Far\n\n" + far
	before, chunks, _ := uidsOf(t, "text/markdown", file)
	after, _, _ := uidsOf(t, "text/markdown", strings.Repeat(tenLines, 10)+file)
	var kept []UID
	for i, c := range chunks {
		if c.Text == "The very same words." {
			kept = append(kept, before[i])
			if shifted := after[i+len(after)-len(before)]; shifted != before[i] {
				t.Errorf("%s became %s", before[i], shifted)
			}
		}
	}
	for i, want := range []string{":ord1", ":ord2", ":ord3"} {
		if len(kept) != 3 || !strings.HasSuffix(string(kept[i]), want) {
			t.Errorf("%d: have %q, want %s", i, kept, want)
		}
	}
}

// TestC6FilesOfOneListing checks that a file of source code is no segment: lines on top rename no chunk but
// the first, and the names are those of the file's path (002 §1.4, §2.1).
func TestC6FilesOfOneListing(t *testing.T) {
	var functions strings.Builder
	for i := range 60 {
		fmt.Fprintf(&functions, "def tide_%d(hour):\n    level = gauge(hour, %[1]d)\n    return level + offset(hour)\n\n", i)
	}
	for name, tt := range map[string]struct{ mime, top, file string }{
		"Python": {"text/x-python", strings.Repeat("# One line of ten.\n", 10), functions.String()},
		"Go":     {"text/x-go", strings.Repeat("// One line of ten.\n", 10), functions.String()},
		"YAML":   {"application/yaml", strings.Repeat("# One line of ten.\n", 10), functions.String()},
	} {
		before, chunks, _ := uidsOf(t, tt.mime, tt.file)
		after, _, _ := uidsOf(t, tt.mime, tt.top+tt.file)
		kept := 0
		for _, uid := range before {
			if slices.Contains(after, uid) {
				kept++
			}
		}
		if len(before) < 5 || kept < len(before)-1 {
			t.Errorf("%s: of %d names %d are kept", name, len(before), kept)
		}
		for _, c := range chunks {
			if c.Segment != nil || c.Kind != Code || strings.Contains(c.VirtualPath, "#seg:") {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}
