package chunk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// section returns paragraphs of random words, some of them over the budget.
func section(r *rand.Rand, n int) []extract.Block {
	var blocks []extract.Block
	for range n {
		length := 5 + r.IntN(80)
		if r.IntN(20) == 0 {
			length = 200 + r.IntN(800)
		}
		blocks = append(blocks, paragraph(nonsense(r, length)))
	}
	return blocks
}

func nonsense(r *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		for range 1 + r.IntN(8) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		if r.IntN(10) == 0 {
			b.WriteString(". N")
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// edit makes one edit to one paragraph, and returns which paragraphs have other neighbours afterwards: a range
// [first, end) for each position.
func edit(r *rand.Rand, blocks []extract.Block) (edited []extract.Block, places [][2]int) {
	edited = slices.Clone(blocks)
	i := r.IntN(len(blocks))
	switch r.IntN(4) {
	case 0:
		return slices.Insert(edited, i, paragraph(nonsense(r, 30))), [][2]int{{i, i + 1}}
	case 1:
		return slices.Delete(edited, i, i+1), [][2]int{{i, i}}
	case 2:
		edited[i].Text = nonsense(r, 3) + edited[i].Text
		return edited, [][2]int{{i, i + 1}}
	}
	to := r.IntN(len(blocks))
	edited = slices.Insert(slices.Delete(edited, i, i+1), to, blocks[i])
	if to <= i {
		i++
	}
	return edited, [][2]int{{i, i}, {to, to + 1}}
}

// reach is how many chunks an edit may change on each side of those that contain it. Of 15,000 edits, 14,916 changed
// at most one, and none more than three.
const reach = 4

// TestEditsAreLocal checks that inserting, deleting, changing or moving a paragraph changes only the keys of nearby
// chunks. A text whose scores rise over many chunks would be an exception, but random texts do not have that;
// TestAnchorsAreLocal checks what always holds.
func TestEditsAreLocal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		blocks := section(r, 5+r.IntN(60))
		edited, places := edit(r, blocks)
		if err := localEdit(blocks, edited, places); err != nil {
			t.Fatal(err)
		}
	})
}

func localEdit(blocks, edited []extract.Block, places [][2]int) error {
	before, after := split("url_a", "", blocks...), split("url_a", "", edited...)
	known := map[Key]bool{}
	for _, c := range before {
		known[c.Key] = true
	}
	for i, c := range after {
		near := slices.ContainsFunc(places, func(place [2]int) bool {
			from, to := chunkAt(after, startOf(edited, place[0])), chunkAt(after, startOf(edited, place[1]))
			return from-reach <= i && i <= to+reach
		})
		if !known[c.Key] && !near {
			return fmt.Errorf("chunk %d of %d is new, the edit at paragraphs %v of %d is far", i, len(after), places,
				len(edited))
		}
	}
	return nil
}

// startOf returns the offset of a block in the text.
func startOf(blocks []extract.Block, i int) int { return unitsOf(extract.Join(blocks[:i])) }

// chunkAt returns the chunk at or after a position.
func chunkAt(chunks []Chunk, place int) int {
	at := slices.IndexFunc(chunks, func(c Chunk) bool { return c.End > place })
	if at < 0 {
		return len(chunks)
	}
	return at
}

// TestAnchorsAreLocal checks that whatever changes in a run, anchored cuts further away than the window stay.
func TestAnchorsAreLocal(t *testing.T) {
	texts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		word := rapid.SampledFrom([]string{"a ", "b ", "c. D ", "港"}).Draw(t, "word")
		return strings.Repeat(word, rapid.SampledFrom([]int{1, 1, 5, 20, 60, 150, 390}).Draw(t, "times"))
	}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		before, behind := texts.Draw(t, "before"), texts.Draw(t, "behind")
		one, other := texts.Draw(t, "one"), texts.Draw(t, "other")
		a, b := anchorsOf(before, one, behind), anchorsOf(before, other, behind)
		if !slices.Equal(a.head, b.head) {
			t.Fatalf("from the beginning: %v and %v", a.head, b.head)
		}
		if !slices.Equal(a.tail, b.tail) {
			t.Fatalf("from the end: %v and %v", a.tail, b.tail)
		}
	})
}

// anchored holds positions of anchors in tokens: those before an edit counted from the beginning, those after it from
// the end.
type anchored struct{ head, tail []int32 }

func anchorsOf(before, middle, behind []string) (a anchored) {
	r := run{}
	var ends [2]int32 // where the edit begins and ends
	for i, texts := range [][]string{before, middle, behind} {
		for _, text := range texts {
			r.text += text
			r.add(len(r.text)-len(text), text, Tokens(text), outerEnd)
		}
		if n := len(r.atoms); n > 0 && i < 2 {
			ends[i] = r.atoms[n-1].pos
		}
	}
	if len(r.atoms) == 0 {
		return a
	}
	r.rate()
	c := cutter{atoms: r.atoms, tree: newTree(r.atoms[:len(r.atoms)-1])}
	total := r.atoms[len(r.atoms)-1].pos
	for _, i := range c.anchors() {
		// The cut next to the edit has an edited paragraph on one side.
		if pos := r.atoms[i].pos; pos <= ends[0]-window {
			a.head = append(a.head, pos)
		} else if pos >= ends[1]+window {
			a.tail = append(a.tail, total-pos)
		}
	}
	return a
}

// TestRunsAreIndependent checks that a change in one run changes no chunks of another.
func TestRunsAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawBlocks(t, "before")
		fixed := append([]extract.Block{heading(1, "Fixed")}, drawBlocks(t, "section")...)
		for i := range fixed[1:] {
			fixed[1+i].Level = min(fixed[1+i].Level+1, 6) // keep it one section
		}
		a := split("url_a", "", append(before[:len(before):len(before)], fixed...)...)
		b := split("url_a", "", append([]extract.Block{heading(1, "New"), paragraph("words")}, fixed...)...)
		alone := split("url_a", "", fixed...)
		if !hasAll(a, alone) || !hasAll(b, alone) {
			t.Fatalf("keys changed:\n%v\n%v\n%v", show(a), show(b), show(alone))
		}
	})
}

func hasAll(chunks, wanted []Chunk) bool {
	have := map[Key]bool{}
	for _, c := range chunks {
		have[c.Key] = true
	}
	for _, w := range wanted {
		if !have[w.Key] {
			return false
		}
	}
	return true
}

// TestKeysFollowHeadings checks that a changed heading gives the chunks below it new keys, because other words find
// them and enter their vectors.
func TestKeysFollowHeadings(t *testing.T) {
	a, b := split("url_a", "", heading(1, "A"), paragraph("one")), split("url_a", "", heading(1, "B"), paragraph("one"))
	if a[0].Key == b[0].Key || a[0].textHash() == b[0].textHash() {
		t.Errorf("%+v and %+v", a[0], b[0])
	}
}

func TestEqualPiecesAreCounted(t *testing.T) {
	blocks := []extract.Block{heading(1, "A"), paragraph("same"), heading(1, "A"), paragraph("same"), code("same")}
	chunks := split("url_a", "", blocks...)
	first := chunks[0].Key
	if chunks[1].Key != first+"-2" || strings.HasPrefix(string(chunks[2].Key), string(first)) {
		t.Fatalf("have %s, %s and %s", first, chunks[1].Key, chunks[2].Key)
	}
	if one := split("url_a", "", blocks[:2]...); one[0].Key != first {
		t.Error("the first keeps its key when the second leaves")
	}
	if other := split("url_b", "", blocks...); other[0].Key == first {
		t.Error("two items share a key")
	}
	if keyOf("a", "bc", "d") == keyOf("ab", "c", "d") {
		t.Error("different parts, one key")
	}
}

// TestNeighborsMoveUIDsOnly shows why there are two names (002 §4.4): the text next to a chunk affects its uid and
// not its key.
func TestNeighborsMoveUIDsOnly(t *testing.T) {
	a := split("url_a", "", paragraph("before"), heading(1, "A"), paragraph("one"))
	b := split("url_a", "", paragraph("Before"), heading(1, "A"), paragraph("one"))
	if a[1].UID == b[1].UID || a[1].Key != b[1].Key {
		t.Errorf("%+v and %+v", a[1], b[1])
	}
}

// TestGoldenCuts checks fixed cuts, because another rule would make every index write and embed every page again. The
// second text has equal scores everywhere.
func TestGoldenCuts(t *testing.T) {
	for _, tc := range []struct {
		name   string
		blocks []extract.Block
		want   []int
	}{
		{"nonsense", section(rand.New(rand.NewPCG(1, 1)), 30), []int{
			0, 905, 1315, 2075, 2995, 4180, 4739, 5222, 5703, 6609, 7247, 7806, 8668, 9245, 9762, 10912, 11330, 12292,
			13015, 13680, 14663, 15624, 16378, 17298, 18561, 19269,
		}},
		{"repetition", slices.Repeat([]extract.Block{paragraph(strings.Repeat("same words ", 15))}, 30),
			[]int{0, 668, 1336, 2004, 2672, 3340}},
	} {
		var have []int
		for _, c := range split("url_a", "", tc.blocks...) {
			have = append(have, c.Start)
		}
		if !slices.Equal(have, tc.want) {
			t.Errorf("%s: have %v, want %v", tc.name, have, tc.want)
		}
	}
}

// TestManyEqualUnits checks that very repetitive pages take time proportional to their length.
func TestManyEqualUnits(t *testing.T) {
	for _, text := range []string{"a. A ", "a ", "a", "港", "\n", "😀"} {
		chunks := split("url_a", "", paragraph(strings.Repeat(text, (1<<18)/len(text))))
		for _, c := range chunks {
			if c.Tokens > Budget {
				t.Errorf("%q: %d tokens", text, c.Tokens)
			}
		}
	}
}
