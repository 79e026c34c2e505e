package passage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/search"
)

// found returns a result with passages of these uids; their texts are the page and the uid.
func found(page string, uids ...string) search.Result {
	r := search.Result{ID: page}
	for _, uid := range uids {
		r.Passages = append(r.Passages, search.Passage{ChunkUID: uid, Heading: "Top › " + uid, Anchor: uid,
			Text: page + " says " + uid})
	}
	return r
}

func names(all []Passage) (out []string) {
	for _, p := range all {
		out = append(out, p.Page.ID+p.UIDs[0])
	}
	return out
}

// TestJ6RankingsAreFused checks that passages found by several searches come before those found by one, and a page's
// best passage before its next.
func TestJ6RankingsAreFused(t *testing.T) {
	have := names(Fuse([]search.Result{found("a", "1", "2"), found("b", "1")},
		[]search.Result{found("c", "1"), found("b", "1")}))
	if want := []string{"b1", "a1", "c1", "a2"}; !slices.Equal(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}

// TestJ6BudgetAndDuplicates checks that no text occurs twice, alone or inside another, and that all fit in the
// budget; the best one is cut rather than omitted.
func TestJ6BudgetAndDuplicates(t *testing.T) {
	text := func(page, text string) Passage {
		return Passage{Page: search.Result{ID: page}, UIDs: []string{"1"}, Text: text}
	}
	long := strings.Repeat("The quay is closed. ", 100)
	for name, tc := range map[string]struct {
		ranked []Passage
		tokens int
		want   []string
	}{
		"all":            {[]Passage{text("a", "one"), text("b", "two")}, 50, []string{"a1", "b1"}},
		"twice":          {[]Passage{text("a", "one  two"), text("b", "one two"), text("c", "two")}, 50, []string{"a1"}},
		"none is over":   {[]Passage{text("a", "one"), text("b", long), text("c", "two")}, 50, []string{"a1", "c1"}},
		"best is cut":    {[]Passage{text("a", long), text("b", "b "+long)}, 50, []string{"a1"}},
		"nothing at all": {nil, 50, nil},
	} {
		have, sum := Fit(tc.ranked, tc.tokens), 0
		for _, p := range have {
			sum += p.Tokens()
		}
		if !slices.Equal(names(have), tc.want) || sum > tc.tokens {
			t.Errorf("%s: %v with %d tokens, want %v", name, names(have), sum, tc.want)
		}
	}
	for _, whole := range []string{long, strings.Repeat("潮", 400), strings.Repeat("x", 4000)} {
		cut := Clip(whole, 40)
		if n := chunk.Tokens(cut); n > 41 || n < 20 || !strings.HasSuffix(cut, " …") || strings.Contains(cut, "\ufffd") {
			t.Errorf("%d tokens: %q", n, cut)
		}
	}
}

// TestJ6NeighboursAreMerged checks that consecutive passages of a page are joined, with the heading between them, and
// that a passage without a position is not.
func TestJ6NeighboursAreMerged(t *testing.T) {
	ranked := Fuse([]search.Result{found("a", "2", "5", "1"), found("b", "1", "2")})
	merged := Merge(ranked, func(p Passage) (Position, bool) {
		var n int
		fmt.Sscan(p.UIDs[0], &n)
		return Position{First: n, Last: n, Start: n * 10, End: n*10 + 8}, p.Page.ID == "a"
	})
	if have, want := names(merged), []string{"a1", "a5", "b1", "b2"}; !slices.Equal(have, want) {
		t.Fatalf("have %v, want %v", have, want)
	}
	if want := "a says 1\n\n2\n\na says 2"; merged[0].Text != want || merged[0].Score != ranked[0].Score ||
		merged[0].Anchor != "1" {
		t.Errorf("%+v", merged[0])
	}
}

// TestT4PartsOfATableHaveOneHeader checks that joined parts of a table have its header once (T4).
func TestT4PartsOfATableHaveOneHeader(t *testing.T) {
	const header = "| Dock | Fee |\n| --- | --- |\n"
	page := search.Result{ID: "a"}
	merged := Merge([]Passage{
		{Page: page, UIDs: []string{"2"}, Text: header + "| 3 | 30 |"},
		{Page: page, UIDs: []string{"1"}, Text: header + "| 1 | 10 |\n| 2 | 20 |"},
		{Page: page, UIDs: []string{"3"}, Text: "| Other | Header |\n| --- | --- |\n| 3 | 30 |"},
	}, func(p Passage) (Position, bool) {
		n := int(p.UIDs[0][0] - '0')
		return Position{First: n, Last: n, Start: 100 * n, End: 100*n + 90}, true
	})
	want := header + "| 1 | 10 |\n| 2 | 20 |\n| 3 | 30 |\n\n| Other | Header |\n| --- | --- |\n| 3 | 30 |"
	if len(merged) != 1 || merged[0].Text != want {
		t.Errorf("%+v", merged)
	}
}
