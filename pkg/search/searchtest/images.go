package searchtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// image returns an image whose texts are derived from its name.
func image(name string) search.Image {
	return search.Image{
		ID: "img_" + name, Src: "https://port.example/" + name + ".jpg", Alt: name + " alt", Title: name + " title",
		Caption: name + " caption",
	}
}

func withImages(p search.Page, names ...string) search.Page {
	p.Images = nil
	for _, name := range names {
		p.Images = append(p.Images, image(name))
	}
	return p
}

// expectImages checks the images nested under the only page that is found by a word.
func (s *suite) expectImages(word string, want ...string) {
	s.Helper()
	res := s.search(search.Query{Text: word, NestImages: true})
	if len(res.Results) != 1 {
		s.Fatalf("%q: have %+v", word, res)
	}
	if diff := cmp.Diff(withImages(search.Page{}, want...).Images, res.Results[0].Images); diff != "" {
		s.Errorf("%q: -want +have\n%s", word, diff)
	}
	if res = s.search(text(word)); len(res.Results) != 1 || res.Results[0].Images != nil {
		s.Errorf("%q: images without being asked for: %+v", word, res)
	}
}

// images checks that a page's images are added, changed and removed with the page (A18).
func (s *suite) images() {
	quay, other := page("a", "Quay", "alpha"), page("b", "Other", "beta")
	s.put(withImages(quay, "crane", "ferry"), withImages(other, "crane"))
	s.expectImages("alpha", "crane", "ferry")
	s.put(withImages(quay, "crane", "ferry")) // idempotent
	s.expectImages("alpha", "crane", "ferry")
	s.put(withImages(quay, "ferry", "buoy", "crane")) // page order, not order of arrival
	s.expectImages("alpha", "ferry", "buoy", "crane")
	s.expectImages("beta", "crane")
	s.expectCount(2)

	edited := withImages(quay, "ferry")
	edited.Images[0].Alt = "the ferry at noon"
	s.put(edited)
	if res := s.search(search.Query{Text: "alpha", NestImages: true}); len(res.Results) != 1 ||
		!slices.Equal(res.Results[0].Images, edited.Images) {
		s.Errorf("text of an image not replaced: %+v", res)
	}
	s.put(quay)
	s.expectImages("alpha")

	s.put(withImages(quay, "crane"))
	if err := s.ix.Remove(s.Context(), "a", nil); err != nil {
		s.Fatal(err)
	}
	s.put(quay) // a removed image does not come back with the page
	s.expectImages("alpha")
	s.expectImages("beta", "crane")
	s.manyImages()
}

// manyImages checks that all images of a gallery are stored, and that a result has the first of them.
func (s *suite) manyImages() {
	var names []string
	for i := range search.MaxImages {
		names = append(names, fmt.Sprintf("g%03d", i))
	}
	s.put(withImages(page("g", "Gallery", "gamma"), names...))
	s.expectImages("gamma", names[:search.MaxNested]...)
}

func (s *suite) refusedImages() {
	change := func(edit func(*search.Image)) search.Page {
		p := withImages(page("a", "T", "one"), "crane")
		edit(&p.Images[0])
		return p
	}
	most := strings.Repeat("x", search.MaxImageText)
	s.put(change(func(i *search.Image) { i.Src, i.Alt, i.Title, i.Caption = most+most, most, most, most })) // just within
	many := make([]string, search.MaxImages+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	for name, p := range map[string]search.Page{
		"too many":            withImages(page("a", "T", "one"), many...),
		"two of one name":     withImages(page("a", "T", "one"), "crane", "crane"),
		"no name":             change(func(i *search.Image) { i.ID = "" }),
		"name that is no key": change(func(i *search.Image) { i.ID = "img/1" }),
		"long address":        change(func(i *search.Image) { i.Src = most + most + "x" }),
		"long alt":            change(func(i *search.Image) { i.Alt = most + "x" }),
		"long title":          change(func(i *search.Image) { i.Title = most + "x" }),
		"long caption":        change(func(i *search.Image) { i.Caption = most + "x" }),
	} {
		if err := s.ix.Put(s.Context(), p); !fault.Is(err, fault.Invalid) {
			s.Errorf("%s: have %v, want Invalid", name, err)
		}
	}
}

// hostileImages returns one image with a hostile text in every field.
func hostileImages(text string) []search.Image {
	text = text[:min(len(text), search.MaxImageText)] // may cut a character in two, and such text is hostile, too
	return []search.Image{{ID: "img_hostile", Src: text, Alt: text, Title: text, Caption: text}}
}
