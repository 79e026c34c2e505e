package part

import (
	"slices"
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
		return "its text stands elsewhere"
	}
	return ""
}

func (p *Part) outline() (web.Outline, bool) {
	if written, why := web.WrittenOf(p.whole); why == "" {
		return written.Outline(p.rules)
	}
	return web.OutlineOf(p.body, p.contentType, p.baseURL, p.rules)
}

// otherNames reports whether most names of a page are others than before. Classes count alone where there are some,
// because programs find elements by ids, which stay longer. Of pages with hardly any names, the elements count.
func otherNames(was, is web.Outline) bool {
	const few, many, several = 3, 6, 12 // names
	for _, sign := range []string{".", "#", "$"} {
		around, known, now := only(was.Around, sign), only(was.Names, sign), only(is.Names, sign)
		fresh, lost := without(now, known), without(around, now)
		least, most := 2, (len(around)+1)/2
		if sign != "$" && len(around) < several { // a box alone has as many
			most = (len(around)*9 + 9) / 10
		}
		if len(around) == 0 { // an advert brings some
			least = many
		}
		if fresh >= least && 2*fresh >= len(now) && lost >= most {
			return true
		}
		if len(around) >= few {
			return false
		}
	}
	fresh := without(is.Pairs, was.Pairs)
	return len(was.Around) < few && fresh >= few && 2*fresh >= len(is.Pairs) &&
		2*without(was.Pairs, is.Pairs) >= len(was.Pairs)
}

// only returns the names that begin with a sign.
func only(names map[string]bool, sign string) map[string]bool {
	out := map[string]bool{}
	for name := range names {
		if strings.HasPrefix(name, sign) {
			out[name] = true
		}
	}
	return out
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
// before is left and some are new. The values of JSON say nothing of its form.
func otherLines(was, is web.Outline) bool {
	const several = 3 // lines: more than a note that there is nothing, or an advert
	if was.JSON && is.JSON {
		return false
	}
	before, all, now := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, l := range was.Lines {
		if all[wordsOf(l.Text)] = true; l.Around != "" {
			before[wordsOf(l.Around)], all[wordsOf(l.Around)] = true, true
		}
	}
	for _, l := range is.Lines {
		now[wordsOf(l.Text)] = true
	}
	lost, fresh := without(before, now), without(now, all)
	return len(before) > 0 && 2*lost > len(before) && 2*fresh > len(now) ||
		fresh >= several && 4*lost > 3*len(before) || len(before) > 0 && len(now) == 0
}

// standsElsewhere reports whether most lines that only the part had are in the page now, or lines of their form or with
// most of their words: in elements with new names, or with the same ones at another place. Elements with other names
// that the page had before say that something else is true of them now, as that a day is booked.
func standsElsewhere(was, is web.Outline) bool {
	isText := func(line string) string { return line }
	texts, forms := onlyInPart(was, isText), onlyInPart(was, formOf)
	same, alike := map[string]bool{}, map[string]bool{}
	around := map[string]bool{}
	for _, l := range was.Lines {
		around[formOf(l.Around)] = true
	}
	for _, l := range is.Lines {
		fresh := hasNew(l.Names, was.Names)
		moved := func(names []string) bool { return fresh || !is.JSON && slices.Equal(names, l.Names) }
		if names, known := texts[l.Text]; known && moved(names) {
			same[l.Text] = true
		}
		form := formOf(l.Text)
		if l.Around == "" || around[form] || !fresh && !strings.ContainsFunc(form, unicode.IsLetter) {
			continue
		}
		if form = like(form, forms); form != "" && moved(forms[form]) {
			alike[form] = true
		}
	}
	return len(texts) > 0 && 2*len(same) >= len(texts) || len(forms) > 0 && 2*len(alike) >= len(forms)
}

// onlyInPart returns the lines that only the part has, in some form, with their names.
func onlyInPart(o web.Outline, form func(string) string) map[string][]string {
	part := map[string][]string{}
	for _, l := range o.Lines {
		if l.Around != l.Text {
			part[form(l.Text)] = l.Names
		}
	}
	for _, l := range o.Lines {
		delete(part, form(l.Around))
	}
	return part
}

// like returns the line of the part, by its form, that another line is or has become; "" if there is none. Only a few
// lines that are not too long are compared by their words.
func like(form string, part map[string][]string) (found string) {
	const lines, least, most = 8, 5, 100
	if _, is := part[form]; is {
		return form
	} else if len(part) > lines {
		return ""
	}
	words := map[string]bool{}
	for word := range strings.FieldsSeq(form) {
		words[word] = true
	}
	for line := range part {
		all, both := 0, 0
		for word := range strings.FieldsSeq(line) {
			if words[word] {
				both++
			}
			if all++; all > most {
				break
			}
		}
		if all >= least && all <= most && 2*both > all && 2*both > len(words) && (found == "" || line < found) {
			found = line
		}
	}
	return found
}

func hasNew(names []string, known map[string]bool) bool {
	for _, name := range names {
		if !known[name] {
			return true
		}
	}
	return false
}

// wordsOf returns a line without its numbers, unless it has nothing else.
func wordsOf(line string) string {
	if strings.ContainsFunc(line, unicode.IsLetter) {
		return formOf(line)
	}
	return line
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
