package chunk

import (
	"cmp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// separator joins the headings of a path, outermost first.
const separator = " › "

// maxPath bounds a heading path and each heading in it, in bytes. Some pages have very long headings.
const maxPath = 500

// outline tracks the headings above the current position in a page.
type outline struct {
	levels  [6]string // the current heading of each level
	anchors [6]string // the anchor of that heading
	path    string    // heading path of the text that follows
	name    string    // the innermost heading
	anchor  string    // anchor of the innermost heading that has one
}

// levelOf returns the level of a heading, limited to 1 to 6.
func levelOf(b extract.Block) int { return min(max(b.Level, 1), 6) }

// push adds a heading.
func (o *outline) push(b extract.Block) {
	level := levelOf(b)
	clear(o.levels[level-1:])
	clear(o.anchors[level-1:])
	o.name = words.Clip(strings.TrimSpace(b.Text), maxPath)
	o.levels[level-1], o.anchors[level-1] = o.name, b.Anchor
	o.anchor = ""
	for _, a := range o.anchors {
		o.anchor = cmp.Or(a, o.anchor)
	}
	o.path = o.join()
}

// pop removes the innermost heading but keeps its name and anchor. A chunk that consists of the heading's own words
// needs both.
func (o *outline) pop() {
	for level := len(o.levels); level > 0; level-- {
		if o.levels[level-1] != "" {
			o.levels[level-1] = ""
			break
		}
	}
	o.path = o.join()
}

func (o *outline) join() string {
	var path []string
	for _, h := range o.levels {
		if h != "" {
			path = append(path, h)
		}
	}
	return words.Clip(strings.Join(path, separator), maxPath)
}
