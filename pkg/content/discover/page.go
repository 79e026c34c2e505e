package discover

import (
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"github.com/cespare/xxhash/v2"
	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/pkg/content/extract/dom"
)

// Page is what is read of a page whose links are followed.
type Page struct {
	Found
	Omitted  []Omitted // links that are not followed, by reason
	NoFollow bool      // the page forbids following its links
	Sketch   Sketch    // of its text
}

// ReadPage reads the links of a page, at most 20,000, and a sketch of its text. It follows links as [Listing] does, and
// takes the pages of frames and of a refresh for linked ones.
// Errors: Invalid for a body that is not a web page or too deeply nested to parse, and for a bad base.
func ReadPage(body []byte, contentType, base string) (Page, error) {
	root, err := parse(body, contentType)
	if err != nil {
		return Page{}, err
	}
	return pageOfTree(root, contentType, base)
}

// pageOfTree is [ReadPage] for a parsed page.
func pageOfTree(root *html.Node, contentType, base string) (Page, error) {
	found, err := listed(root, contentType, base, everyLink, nil, maxFollowed)
	if err != nil {
		return Page{}, err
	}
	if !found.forbidden {
		found.lead(goquery.NewDocumentFromNode(root).Selection)
	}
	return Page{Found: found.Found, Omitted: found.omitted, NoFollow: found.forbidden, Sketch: sketchOf(root)}, nil
}

// sketchSize is the number of words in a [Sketch].
const sketchSize = 24

// Sketch is what is compared of two pages: the title, and a sample of the words of the text. The words are those with
// the smallest hashes, in order. So two samples have about the same share of their words in common as the texts have.
// Links, numbers, and the names of months and days are no part of it: they are what differs between the pages of a
// calendar, or of a list under another filter.
type Sketch struct {
	Title uint32   `json:"t"`
	Words []uint32 `json:"w"`
}

// sketchOf returns the sketch of a page. Of the text, it is that outside of links.
func sketchOf(root *html.Node) Sketch {
	var out Sketch
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && slices.Contains(unsketched, n.Data) {
			return
		}
		if n.Type == html.TextNode {
			for word := range wordsOf(n.Data) {
				out.add(word)
			}
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	walk(root)
	var title []string
	for word := range wordsOf(goquery.NewDocumentFromNode(root).FindMatcher(titles).First().Text()) {
		if !calendarWords[word] {
			title = append(title, word)
		}
	}
	out.Title = uint32(xxhash.Sum64String(strings.Join(title, " ")))
	return out
}

// add adds a word of the text, if its hash is one of the smallest.
func (s *Sketch) add(word string) {
	hash := uint32(xxhash.Sum64String(word))
	if len(s.Words) == sketchSize && hash >= s.Words[sketchSize-1] {
		return
	}
	if at, found := slices.BinarySearch(s.Words, hash); !found && !calendarWords[word] {
		s.Words = slices.Insert(s.Words[:min(len(s.Words), sketchSize-1)], at, hash)
	}
}

// unsketched are the elements whose text is no part of a sketch.
var unsketched = []string{"a", "script", "style", "noscript", "template", "head", "select", "nav", "footer"}

// wordsOf yields the words of a text, in lower case.
func wordsOf(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) }) {
			if !yield(strings.ToLower(word)) {
				return
			}
		}
	}
}

// calendarWords are the names of months and days, which do not count.
var calendarWords = dom.WordSet("january february march april may june july august september october november " +
	"december jan feb mar apr jun jul aug sep oct nov dec monday tuesday wednesday thursday friday saturday sunday " +
	"mon tue wed thu fri sat sun januar februar märz mai juni juli oktober dezember montag dienstag mittwoch " +
	"donnerstag freitag samstag sonntag")

// alike reports whether two pages are nearly equal: at least four of five words are in both texts and, if so asked, the
// titles are the same. Two texts without words are.
func (s Sketch) alike(other Sketch, titled bool) bool {
	if titled && s.Title != other.Title {
		return false
	}
	both, either := 0, 0
	for i, j := 0, 0; (i < len(s.Words) || j < len(other.Words)) && either < sketchSize; either++ {
		switch {
		case j == len(other.Words) || i < len(s.Words) && s.Words[i] < other.Words[j]:
			i++
		case i == len(s.Words) || s.Words[i] > other.Words[j]:
			j++
		default:
			i, j, both = i+1, j+1, both+1
		}
	}
	return 5*both >= 4*either
}
