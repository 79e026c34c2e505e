package chunk

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/extract"
)

func heading(level int, text string) extract.Block {
	return extract.Block{Kind: extract.Heading, Level: level, Text: text}
}

func paragraph(text string) extract.Block {
	return extract.Block{Kind: extract.Paragraph, Text: text}
}

func code(text string) extract.Block { return extract.Block{Kind: extract.Code, Text: text} }

// show is a chunk without its name.
func show(chunks []Chunk) []string {
	var lines []string
	for _, c := range chunks {
		lines = append(lines, fmt.Sprintf("%d [%s] %s", c.Ordinal, c.Heading, c.Text))
	}
	return lines
}

func TestSplit(t *testing.T) {
	long := strings.Repeat("x", Budget-8)
	for _, tc := range []struct {
		name   string
		blocks []extract.Block
		want   []string
	}{
		{"no blocks: the title", nil, []string{"0 [] Title"}},
		{"paragraphs under one heading share a chunk", []extract.Block{heading(1, "A"), paragraph("one"), paragraph("two")},
			[]string{"0 [A] one\n\ntwo"}},
		{"text before the first heading", []extract.Block{paragraph("one"), heading(2, "B"), paragraph("two")},
			[]string{"0 [] one", "1 [B] two"}},
		{"path of headings, levels skipped", []extract.Block{heading(1, "A"), heading(3, "C"), paragraph("one"), heading(2, "B"), paragraph("two")},
			[]string{"0 [A › C] one", "1 [A › B] two"}},
		{"a heading without text is found all the same", []extract.Block{heading(1, "A"), heading(2, "B"), heading(2, "C"), paragraph("one"), heading(2, "D")},
			[]string{"0 [A] B", "1 [A › C] one", "2 [A] D"}},
		{"a full chunk begins another", []extract.Block{paragraph(long), paragraph("hundred"), paragraph("more than ten")},
			[]string{"0 [] " + long, "1 [] hundred\n\nmore than ten"}},
		{"blank blocks say nothing", []extract.Block{paragraph("  "), code("\n\n")}, []string{"0 [] Title"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, show(Split("url_a", " Title ", tc.blocks))); diff != "" {
				t.Errorf("-want +have\n%s", diff)
			}
		})
	}
	if chunks := Split("url_a", "", nil); len(chunks) != 0 {
		t.Errorf("nothing to say: have %v", chunks)
	}
}

func TestCode(t *testing.T) {
	listing := strings.Repeat("\tcall()\n", 150)
	chunks := Split("url_a", "", []extract.Block{paragraph(strings.Repeat("word ", 200)), code(listing), paragraph("after")})
	if len(chunks) != 2 || !strings.HasPrefix(chunks[1].Text, strings.Trim(listing, "\n")) {
		t.Errorf("code that fits is cut: %q", show(chunks))
	}
	chunks = Split("url_a", "", []extract.Block{code(strings.Repeat(listing, 3))})
	for _, c := range chunks {
		if !strings.HasPrefix(c.Text, "\tcall()") || !strings.HasSuffix(c.Text, "call()") {
			t.Errorf("code over the budget is cut within a line: %q … %q", c.Text[:10], c.Text[len(c.Text)-10:])
		}
	}
	if len(chunks) < 3 {
		t.Errorf("have %d chunks", len(chunks))
	}
}

func TestSentences(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"plain", "One. Two! Three? Four", "One. |Two! |Three? |Four"},
		{"abbreviation before lower case", "See e.g. the quay. Then go.", "See e.g. the quay. |Then go."},
		{"number", "It costs 2.5 million. Yes.", "It costs 2.5 million. |Yes."},
		{"Japanese", "港は閉鎖。船は戻る。", "港は閉鎖。|船は戻る。|"},
		{"lines", "a\nb", "a\n|b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if have := strings.Join(sentences(tc.text), "|"); have != tc.want {
				t.Errorf("have %q, want %q", have, tc.want)
			}
		})
	}
	long := strings.Repeat("The lock is closed. ", 200)
	for _, c := range Split("url_a", "", []extract.Block{paragraph(strings.TrimSpace(long))}) {
		if !strings.HasSuffix(c.Text, "closed.") || !strings.HasPrefix(c.Text, "The") {
			t.Errorf("cut within a sentence: %q", c.Text)
		}
	}
}

// drawBlocks makes pages with repeated and over-long texts.
func drawBlocks(t *rapid.T, label string) []extract.Block {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) extract.Block {
		kind := rapid.SampledFrom([]extract.Kind{extract.Heading, extract.Paragraph, extract.List, extract.Code}).Draw(t, "kind")
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bb.", "港", "C", "d\n", strings.Repeat("é", 700)}), 1, 12).Draw(t, "words")
		b := extract.Block{Kind: kind, Text: strings.Join(words, " ")}
		if kind == extract.Heading {
			b.Level = rapid.IntRange(1, 6).Draw(t, "level")
		}
		return b
	}), 0, 12).Draw(t, label)
}

var uidForm = regexp.MustCompile(`^[0-9a-f]{16}$`)

func TestChunksAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := drawBlocks(t, "blocks")
		seen := map[string]bool{}
		var all strings.Builder
		for i, c := range Split("url_a", "", blocks) {
			if seen[c.UID] || !uidForm.MatchString(c.UID) || c.Ordinal != i {
				t.Fatalf("chunk %d: %+v", i, c)
			}
			seen[c.UID] = true
			if n := utf8.RuneCountInString(c.Text); n > Budget || strings.TrimSpace(c.Text) == "" || len(c.Heading) > maxPath {
				t.Fatalf("chunk of %d characters", n)
			}
			if !utf8.ValidString(c.Text) || !utf8.ValidString(c.Heading) {
				t.Fatal("not UTF-8")
			}
			all.WriteString(c.Text + " ")
		}
		for _, b := range blocks {
			if b.Kind == extract.Heading {
				continue
			}
			if n := strings.Count(b.Text, "C"); strings.Count(all.String(), "C") < n {
				t.Fatal("words were lost")
			}
		}
	})
}

// TestUIDsOutliveEdits: an edit in one section keeps the names of all chunks of the others.
func TestUIDsOutliveEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawBlocks(t, "before")
		section := append([]extract.Block{heading(1, "Fixed")}, drawBlocks(t, "section")...)
		for i := range section[1:] {
			section[1+i].Level = min(section[1+i].Level+1, 6) // keep it one section
		}
		a := Split("url_a", "", append(before[:len(before):len(before)], section...))
		b := Split("url_a", "", append([]extract.Block{heading(1, "New"), paragraph("words")}, section...))
		alone := Split("url_a", "", section)
		if !hasAll(a, alone) || !hasAll(b, alone) {
			t.Fatalf("names changed:\n%v\n%v\n%v", a, b, alone)
		}
	})
}

func hasAll(chunks, wanted []Chunk) bool {
	have := map[string]bool{}
	for _, c := range chunks {
		have[c.UID] = true
	}
	for _, w := range wanted {
		if !have[w.UID] {
			return false
		}
	}
	return true
}

// TestLongSentence: what has no end of a sentence is cut between words.
func TestLongSentence(t *testing.T) {
	for _, c := range Split("url_a", "", []extract.Block{paragraph(strings.Repeat("seaweed ", 500))}) {
		if strings.Trim(strings.ReplaceAll(c.Text, "seaweed", ""), " ") != "" {
			t.Errorf("cut within a word: %q", c.Text)
		}
	}
}

func TestPartsDoNotRunTogether(t *testing.T) {
	if uid("a", "bc", "d", 0) == uid("ab", "c", "d", 0) || uid("a", "b", "c1", 0) == uid("a", "b", "c", 10) {
		t.Error("different parts, one name")
	}
}

func TestEqualPiecesAreCounted(t *testing.T) {
	blocks := []extract.Block{heading(1, "A"), paragraph("same"), heading(1, "A"), paragraph("same")}
	chunks := Split("url_a", "", blocks)
	if len(chunks) != 2 || chunks[0].UID == chunks[1].UID {
		t.Fatalf("have %v", chunks)
	}
	if one := Split("url_a", "", blocks[:2]); one[0].UID != chunks[0].UID {
		t.Error("the first keeps its name when the second leaves")
	}
	if other := Split("url_b", "", blocks); other[0].UID == chunks[0].UID {
		t.Error("two items share a name")
	}
	n := namer{item: "url_a", seen: map[string]int{}}
	n.seen[uid("url_a", "", "x", 0)] = 1 // as if another piece had this hash
	if name := n.name("", "x"); name != uid("url_a", "", "x", 1) {
		t.Errorf("collision: have %s", name)
	}
}
