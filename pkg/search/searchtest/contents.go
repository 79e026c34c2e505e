package searchtest

import (
	"github.com/tidemark/tidemark/pkg/search"
)

// known checks that the outcome with [search.Page.Known] is the same as without it (C5).
func (s *suite) known() {
	before := withImages(page("a", "Tides", "alpha", "beta", "gamma"), "crane", "ferry")
	s.put(before, page("b", "Other", "delta"))
	same := before
	same.Known = before.Contents()
	s.put(same)
	s.expect(text("beta"), "a")

	edited := withImages(page("a", "Tides", "epsilon", "alpha", "gamma"), "buoy", "ferry")
	edited.Images[1].Alt = "the ferry at noon"
	edited.Known = before.Contents()
	s.put(edited)
	s.expect(text("beta"))
	s.expect(text("epsilon"), "a")
	s.expectUID("alpha", uid("a", 1)) // only the chunk's uid changed
	s.expectUID("gamma", uid("a", 2))
	if res := s.search(search.Query{Text: "gamma", NestImages: true}); len(res.Results) != 1 ||
		len(res.Results[0].Images) != 2 || res.Results[0].Images[1] != edited.Images[1] {
		s.Errorf("images: %+v", res)
	}

	renamed := withImages(page("a", "Currents", "epsilon", "alpha", "gamma"), "buoy")
	renamed.Language, renamed.Known = "de", edited.Contents()
	s.put(renamed)
	s.expect(text("tides"))
	s.expect(search.Query{Text: "currents gamma", Language: "de"}, "a") // each chunk has the title
	s.expectImages("epsilon", "buoy")
	if err := s.ix.Remove(s.Context(), "a", renamed.Contents()); err != nil {
		s.Fatal(err)
	}
	s.expect(text("epsilon"))
	s.expect(text("delta"), "b")
	s.expectCount(1)
}

// anchors checks that passages have anchors, and that putting a page again updates the anchors, with and without
// [search.Page.Known].
func (s *suite) anchors() {
	anchored := func(anchors ...string) search.Page {
		p := page("a", "Tides", "alpha", "beta", "gamma")
		for i, a := range anchors {
			p.Chunks[i].Anchor = a
		}
		return p
	}
	expect := func(anchors ...string) {
		s.Helper()
		for i, query := range []string{"alpha", "beta", "gamma"} {
			for _, whole := range []bool{false, true} {
				res := s.search(search.Query{Text: query, Whole: whole})
				if len(res.Results) != 1 || len(res.Results[0].Passages) != 1 ||
					res.Results[0].Passages[0].Anchor != anchors[i] {
					s.Errorf("%q: have %+v, want a passage at %q", query, res.Results, anchors[i])
				}
			}
		}
	}
	before := anchored("quay", "", "fr\u00fch'\"<b>")
	s.put(before)
	expect("quay", "", "fr\u00fch'\"<b>")
	for _, known := range []*search.Contents{nil, before.Contents()} {
		s.put(before)
		after := anchored("", "pier", "quay")
		after.Known = known
		s.put(after)
		expect("", "pier", "quay")
	}
	s.expect(text("quay")) // anchors are not searched
	s.expect(text("pier"))
}

// expectUID checks the UID of the one passage that a query finds.
func (s *suite) expectUID(query, want string) {
	s.Helper()
	res := s.search(text(query))
	if len(res.Results) != 1 || len(res.Results[0].Passages) != 1 || res.Results[0].Passages[0].ChunkUID != want {
		s.Errorf("%q: have %+v, want a passage of %s", query, res.Results, want)
	}
}
