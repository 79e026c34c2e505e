// Package chunk cuts the main content of a page into the pieces that are searched, and names each
// so that a piece whose text did not change keeps its name whatever happens around it.
//
// Pieces follow the page: a heading begins a new one, neighbouring paragraphs below it share one
// up to [Budget], and code is not cut while it fits.
//
// The names are provisional. Chunk identity proper (seed 002) will replace [uid]; what holds
// already is that names are unique within a page and follow only the piece's own words.
package chunk

import (
	"strings"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/extract"
)

// Budget is the size a chunk is packed to, and its bound, in characters.
const Budget = 1500

// separator joins the headings of a path, outermost first.
const separator = " › "

// maxPath bounds the text of a heading path, in bytes. Pages exist whose headings are essays.
const maxPath = 500

// Chunk is the unit that is searched.
type Chunk struct {
	UID     string // 16 lower-case hex digits, unique within the page
	Heading string // headings above it, outermost first, joined by " › "
	Text    string // never empty
	Ordinal int    // position in the page, from 0
}

// Split cuts a page. The title stands for the text of a page that has none; it is not repeated in
// the chunks of one that has. A heading is the Heading of the chunks below it and, when nothing
// follows it before the next heading of its level, a chunk of its own, so that every word of the
// page can be found.
func Split(itemID, title string, blocks []extract.Block) []Chunk {
	s := splitter{namer: namer{item: itemID, seen: map[string]int{}}}
	for _, b := range blocks {
		if b.Kind == extract.Heading {
			s.heading(b)
		} else {
			s.block(b)
		}
	}
	s.close()
	if title = strings.TrimSpace(title); len(s.chunks) == 0 && title != "" {
		s.emit("", title)
	}
	return s.chunks
}

// splitter packs blocks into chunks.
type splitter struct {
	namer  namer
	chunks []Chunk

	path  [6]string // current heading of each level
	bare  bool      // the last heading has no text below it yet
	parts []string  // blocks of the chunk being packed
	size  int       // their characters, with the blank lines between
}

// heading begins a new section. A heading right below another is no loss of the outer one, whose
// words stand in the path.
func (s *splitter) heading(b extract.Block) {
	level := min(max(b.Level, 1), 6)
	s.flush()
	if s.bare && s.lastLevel() >= level {
		s.emitHeading()
	}
	for i := level - 1; i < len(s.path); i++ {
		s.path[i] = ""
	}
	s.path[level-1] = strings.TrimSpace(b.Text)
	s.bare = s.path[level-1] != ""
}

// block adds the text below a heading.
func (s *splitter) block(b extract.Block) {
	for _, piece := range cut(b) {
		size := utf8.RuneCountInString(piece)
		if len(s.parts) > 0 && s.size+2+size > Budget {
			s.flush()
		}
		if len(s.parts) > 0 {
			s.size += 2
		}
		s.parts = append(s.parts, piece)
		s.size += size
		s.bare = false
	}
}

// flush ends the chunk being packed.
func (s *splitter) flush() {
	if len(s.parts) > 0 {
		s.emit(s.heads(6), strings.Join(s.parts, "\n\n"))
	}
	s.parts, s.size = s.parts[:0], 0
}

// close ends the page.
func (s *splitter) close() {
	s.flush()
	if s.bare {
		s.emitHeading()
	}
}

// emitHeading makes the innermost heading a chunk.
func (s *splitter) emitHeading() {
	level := s.lastLevel()
	for _, piece := range cut(extract.Block{Kind: extract.Paragraph, Text: s.path[level-1]}) {
		s.emit(s.heads(level-1), piece)
	}
}

func (s *splitter) emit(heading, text string) {
	s.chunks = append(s.chunks, Chunk{
		UID:     s.namer.name(heading, text),
		Heading: heading,
		Text:    text,
		Ordinal: len(s.chunks),
	})
}

// lastLevel is the innermost level with a heading, or 0.
func (s *splitter) lastLevel() int {
	for level := len(s.path); level > 0; level-- {
		if s.path[level-1] != "" {
			return level
		}
	}
	return 0
}

// heads is the path of the headings of levels 1 to depth.
func (s *splitter) heads(depth int) string {
	var path []string
	for _, h := range s.path[:max(depth, 0)] {
		if h != "" {
			path = append(path, h)
		}
	}
	joined := strings.Join(path, separator)
	if len(joined) > maxPath {
		joined = strings.ToValidUTF8(joined[:maxPath], "")
	}
	return joined
}
