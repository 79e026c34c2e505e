package part

import (
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// A part of which nothing is left is empty if the page around it is as before: then that is a fact about the page, such
// as that no appointment is free. It is broken if the page was rebuilt, because then the rules may be for a page that
// is no more.

// What is known of the page around a part, besides the reasons of [Part.Rebuilt].
const (
	Unknown  = ""
	AsBefore = "the page around it is as before"
)

// CompareAround sets Around, by an earlier reading of the page under the same rules.
func (p *Part) CompareAround(earlier *Part) {
	if p.Around = p.Rebuilt(earlier); p.Around == "" {
		p.Around = AsBefore
	}
}

// Rebuilt says why a page counts as rebuilt since an earlier reading of it by the same rules; "" if the page around the
// part is as before. Of the part, the page has nothing now, or hardly anything. Rebuilt depends only on the two pages
// and the rules. A page that cannot be compared counts as rebuilt.
func (p *Part) Rebuilt(earlier *Part) (why string) {
	was, known := earlier.outline()
	is, read := p.outline()
	switch {
	case !known || !read:
		return "it cannot be compared with the page of before"
	case otherNames(was, is):
		return "most classes and ids of the page are new"
	case otherLines(was, is):
		return "most lines of the page are new"
	case standsElsewhere(was, is):
		return "what it matched stands elsewhere in the page"
	}
	return ""
}

func (p *Part) outline() (web.Outline, bool) {
	return web.OutlineOf(p.body, p.contentType, p.baseURL, p.rules)
}

// otherNames reports whether most names of a page are others than before, or most of those near the part.
func otherNames(was, is web.Outline) bool {
	const few, many = 4, 6 // names
	fresh := without(is.Names, was.Names)
	lost := without(was.Around, is.Names)
	least := 2
	if len(was.Around) < few { // an advert has as many
		least = many
	}
	if fresh >= least && 2*fresh >= len(is.Names) && 2*lost >= len(was.Around) {
		return true
	}
	near := 0
	for _, name := range was.Near {
		if !is.Names[name] {
			near++
		}
	}
	if len(was.Near) >= few && 2*near > len(was.Near) && fresh >= few {
		return true
	}
	return len(was.Around) < few && len(is.Names) < few && len(was.Pairs) >= few &&
		2*without(is.Pairs, was.Pairs) >= len(is.Pairs) && 2*without(was.Pairs, is.Pairs) >= len(was.Pairs)
}

// without returns how many names are in a set and not in another.
func without(names, others map[string]bool) (n int) {
	for name := range names {
		if !others[name] {
			n++
		}
	}
	return n
}

// otherLines reports whether most lines of a page are others than before, whatever their numbers, or hardly any line of
// before is left. The values of JSON say nothing of its form.
func otherLines(was, is web.Outline) bool {
	const several = 4 // lines
	if was.JSON && is.JSON {
		return false
	}
	before, all, now := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, l := range was.Lines {
		if all[formOf(l.Text)] = true; l.Around != "" {
			before[formOf(l.Around)], all[formOf(l.Around)] = true, true
		}
	}
	for _, l := range is.Lines {
		now[formOf(l.Text)] = true
	}
	lost, fresh := without(before, now), without(now, all)
	return len(before) > 0 && 2*lost > len(before) && 2*fresh > len(now) ||
		len(before) >= several && 4*lost > 3*len(before) || len(before) > 0 && len(now) == 0
}

// standsElsewhere reports whether lines that the part had, or lines of their form, are in the page now, in elements
// that the rules do not find because they have other names, or other elements around them.
func standsElsewhere(was, is web.Outline) bool {
	part, forms, around := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, l := range was.Lines {
		if l.Around != l.Text {
			part[l.Text], forms[formOf(l.Text)] = true, true
		} else {
			around[l.Text] = true
		}
	}
	same, alike := map[string]bool{}, 0
	for _, l := range is.Lines {
		fresh := hasNew(l.Names, was.Names)
		switch {
		case around[l.Text] || l.Around == "":
		case part[l.Text] && (fresh || len(l.Names) == 0 || hasOwn(l.Names, was.Own)):
			same[l.Text] = true
		case fresh && forms[formOf(l.Text)]:
			alike++
		}
	}
	return len(part) > 0 && 2*(len(same)+alike) >= len(part)
}

func hasNew(names []string, known map[string]bool) bool {
	for _, name := range names {
		if !known[name] {
			return true
		}
	}
	return false
}

// hasOwn reports whether all names of an element of the part are among the names. A part without names has them.
func hasOwn(names []string, own [][]string) bool {
	has := map[string]bool{}
	for _, name := range names {
		has[name] = true
	}
	for _, element := range own {
		if !hasNew(element, has) {
			return true
		}
	}
	return false
}

// formOf returns a line with a sign for each number.
func formOf(line string) string {
	var out strings.Builder
	in := false
	for _, r := range line {
		digit := unicode.IsDigit(r)
		switch {
		case digit && !in:
			out.WriteByte('#')
		case !digit:
			out.WriteRune(r)
		}
		in = digit
	}
	return out.String()
}
