package render

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
	"golang.org/x/net/html"
)

// This file writes the tree of a page, as a browser has it, as HTML.

// Snapshot is the flat tree of a target: what DOMSnapshot.captureSnapshot returns, as far as it is used. The content of
// shadow roots, open or closed, stands where it is shown.
type Snapshot struct {
	Documents []Document `json:"documents"`
	Strings   []string   `json:"strings"`

	Frames map[int]*Snapshot `json:"-"` // targets of frames, by the backend id of the element that shows them
}

// Document is a document of a snapshot. Texts are indices into the strings of the snapshot, or -1.
type Document struct {
	Base  int `json:"baseURL"`
	Nodes struct {
		Parent     []int   `json:"parentIndex"`
		Type       []int   `json:"nodeType"`
		Name       []int   `json:"nodeName"`
		Value      []int   `json:"nodeValue"`
		Backend    []int   `json:"backendNodeId"`
		Attributes [][]int `json:"attributes"`
		Content    struct {
			Index []int `json:"index"`
			Value []int `json:"value"`
		} `json:"contentDocumentIndex"`
	} `json:"nodes"`
	Layout struct {
		Node   []int       `json:"nodeIndex"`
		Bounds [][]float64 `json:"bounds"`
		Text   []int       `json:"text"`
	} `json:"layout"`
}

// text returns a string of the snapshot.
func (s *Snapshot) text(i int) string {
	if i < 0 || i >= len(s.Strings) {
		return ""
	}
	return s.Strings[i]
}

const (
	fewLetters  = 20      // that are visible, of a page that only shows a picture
	pictureArea = 20000.0 // in CSS pixels, of the smallest picture that counts
	maxNesting  = 12      // of frames
)

// Types of nodes (DOM standard).
const (
	elementNode = 1
	textNode    = 3
	doctypeNode = 10
)

// writer writes snapshots as HTML.
type writer struct {
	out      bytes.Buffer
	most     int // bytes; above them nothing is written any more
	base     string
	depth    int // of frames
	letters  int // letters and digits that are visible
	pictures int // that are visible
}

func (w *writer) full() bool { return w.out.Len() > w.most }

func (w *writer) write(parts ...string) {
	for _, p := range parts {
		if !w.full() {
			w.out.WriteString(p)
		}
	}
}

// snapshotPage is a page as HTML.
type snapshotPage struct {
	HTML        []byte
	Cut         bool // the page is larger than the bound
	PictureOnly bool // pictures are visible, and hardly any text
}

// writeSnapshot writes a page, at most most bytes of it. If the base of its addresses is another than the given one,
// to which readers resolve them, they are written in full.
func writeSnapshot(s *Snapshot, most int, base string) snapshotPage {
	w := writer{most: most, base: base}
	w.document(s, 0, false)
	return snapshotPage{HTML: w.out.Bytes(), Cut: w.full(), PictureOnly: w.letters < fewLetters && w.pictures > 0}
}

// document writes a document of a snapshot: all of it, or the content of its body for a frame.
func (w *writer) document(s *Snapshot, index int, frame bool) {
	if index < 0 || index >= len(s.Documents) || w.depth > maxNesting {
		return
	}
	w.depth++
	defer func() { w.depth-- }()
	d := s.Documents[index]
	w.see(s, d)
	tree := newTree(s, d)
	if base := s.text(d.Base); frame || base != "" && base != w.base {
		tree.base, _ = url.Parse(base)
	}
	tree.walk(w, frame)
}

// see counts what readers see of a document.
func (w *writer) see(s *Snapshot, d Document) {
	for i, node := range d.Layout.Node {
		if node < 0 || node >= len(d.Nodes.Name) || i >= len(d.Layout.Text) || i >= len(d.Layout.Bounds) {
			continue
		}
		for _, c := range s.text(d.Layout.Text[i]) {
			if unicode.IsLetter(c) || unicode.IsNumber(c) {
				w.letters++
			}
		}
		b := d.Layout.Bounds[i]
		switch strings.ToLower(s.text(d.Nodes.Name[node])) {
		case "canvas", "img", "video", "svg", "object", "embed":
			if len(b) == 4 && b[2]*b[3] >= pictureArea {
				w.pictures++
			}
		}
	}
}

// tree is a document on its way to HTML.
type tree struct {
	s       *Snapshot
	d       Document
	content map[int]int // documents of frames, by node
	base    *url.URL    // against which addresses are resolved, or nil to leave them
	open    []opened
}

// opened is an element whose end has not been reached.
type opened struct {
	node int
	end  string // what is written at its end
	skip bool   // nothing of it is written
	raw  bool   // its text is not escaped
}

func newTree(s *Snapshot, d Document) *tree {
	t := &tree{s: s, d: d, content: map[int]int{}}
	for i, node := range d.Nodes.Content.Index {
		if i < len(d.Nodes.Content.Value) {
			t.content[node] = d.Nodes.Content.Value[i]
		}
	}
	return t
}

// walk writes all nodes, which are in the order of the document.
func (t *tree) walk(w *writer, frame bool) {
	n := t.d.Nodes
	for i := range n.Parent {
		if i >= len(n.Type) || i >= len(n.Name) || i >= len(n.Value) {
			break
		}
		for len(t.open) > 0 && t.open[len(t.open)-1].node != n.Parent[i] {
			t.pop(w)
		}
		if w.full() {
			return
		}
		t.node(w, i, frame)
	}
	for len(t.open) > 0 {
		t.pop(w)
	}
}

func (t *tree) pop(w *writer) {
	w.write(t.open[len(t.open)-1].end)
	t.open = t.open[:len(t.open)-1]
}

// node writes the beginning of a node.
func (t *tree) node(w *writer, i int, frame bool) {
	parent := opened{}
	if len(t.open) > 0 {
		parent = t.open[len(t.open)-1]
	}
	o := opened{node: i, skip: parent.skip}
	defer func() { t.open = append(t.open, o) }()
	if o.skip {
		return
	}
	switch t.d.Nodes.Type[i] {
	case doctypeNode:
		if !frame {
			w.write("<!doctype ", name(t.s.text(t.d.Nodes.Name[i])), ">\n")
		}
	case textNode:
		if text := t.s.text(t.d.Nodes.Value[i]); parent.raw {
			w.write(text)
		} else {
			w.write(html.EscapeString(text))
		}
	case elementNode:
		t.element(w, &o, frame)
	}
}

// name returns the name of an element as HTML writes it. Elements of SVG have capitals among small letters.
func name(s string) string {
	if strings.ToUpper(s) == s {
		return strings.ToLower(s)
	}
	return s
}

// element writes the beginning of an element.
func (t *tree) element(w *writer, o *opened, frame bool) {
	tag := name(t.s.text(t.d.Nodes.Name[o.node]))
	switch {
	case tag == "" || strings.ContainsAny(tag, " \t\n\f\r/<>\"'=") || strings.HasPrefix(tag, "::"):
		return // what is no name; its content is written
	case tag == "noscript", tag == "template":
		o.skip = true // readers with scripts do not see it
		return
	case tag == "slot":
		return // what is shown in it stands for it
	case frame && (tag == "html" || tag == "body"):
		return
	case frame && tag == "head":
		o.skip = true
		return
	case tag == "iframe" || tag == "frame" || tag == "object" || tag == "embed" || tag == "fencedframe":
		if t.frame(w, o, tag) {
			return
		}
	case tag == "frameset": // readers of HTML pass over what is in one
		w.write("<div data-frameset>")
		o.end = "</div>"
		return
	}
	w.write("<", tag)
	t.attributes(w, o.node)
	w.write(">")
	switch {
	case isVoid[tag]:
	case isRaw[tag]:
		o.raw, o.end = true, "</"+tag+">"
		if t.breaksOut(o.node, tag) {
			o.skip = true
		}
	default:
		o.end = "</" + tag + ">"
	}
}

// frame writes the document that an element shows, and reports whether there is one.
func (t *tree) frame(w *writer, o *opened, tag string) bool {
	index, inside := t.content[o.node]
	var apart *Snapshot
	if o.node < len(t.d.Nodes.Backend) {
		apart = t.s.Frames[t.d.Nodes.Backend[o.node]]
	}
	if !inside && apart == nil {
		return false
	}
	w.write("<div data-", tag)
	t.attributes(w, o.node)
	w.write(">")
	if inside {
		w.document(t.s, index, true)
	} else {
		w.document(apart, 0, true)
	}
	o.end, o.skip = "</div>", true
	return true
}

// attributes writes the attributes of an element.
func (t *tree) attributes(w *writer, node int) {
	if node >= len(t.d.Nodes.Attributes) {
		return
	}
	list := t.d.Nodes.Attributes[node]
	for i := 0; i+1 < len(list); i += 2 {
		key, value := t.s.text(list[i]), t.s.text(list[i+1])
		if key == "" || strings.ContainsAny(key, " \t\n\f\r/<>\"'=") {
			continue
		}
		if t.base != nil && (key == "href" || key == "src") {
			if u, err := t.base.Parse(strings.TrimSpace(value)); err == nil {
				value = u.String()
			}
		}
		w.write(" ", key, `="`, html.EscapeString(value), `"`)
	}
}

// breaksOut reports whether the text of a raw element would end it early.
func (t *tree) breaksOut(node int, tag string) bool {
	n := t.d.Nodes
	for i := node + 1; i < len(n.Parent) && i < len(n.Value) && n.Parent[i] == node; i++ {
		if text := strings.ToLower(t.s.text(n.Value[i])); strings.Contains(text, "</"+tag) ||
			strings.Contains(text, "<!--") && tag == "script" {
			return true
		}
	}
	return false
}

var isVoid = map[string]bool{"area": true, "base": true, "br": true, "col": true, "embed": true, "hr": true,
	"img": true, "input": true, "link": true, "meta": true, "source": true, "track": true, "wbr": true}

var isRaw = map[string]bool{"script": true, "style": true, "xmp": true, "iframe": true, "noembed": true,
	"noframes": true, "plaintext": true}

// read reads the page as it is now. The scripts of a page are stopped if they do not let it be read.
func (t *tab) read() error {
	within := readTime
	if t.account.hasMet(BoundTime) {
		within = readTime / 5 // it may be in an endless loop
	}
	top, err := t.capture(within)
	if errors.Is(err, context.DeadlineExceeded) && t.ctx.Err() == nil {
		t.stopScripts(BoundTime)
		top, err = t.capture(readTime)
	}
	if err != nil {
		return err
	}
	page := writeSnapshot(top, int(t.r.o.MaxBytes), t.page.Plain.FinalURL)
	if page.Cut {
		return pageError(BoundBytes, fault.New(fault.TooLarge, "the document has more than %d bytes", t.r.o.MaxBytes))
	}
	t.account.note(func(out *Rendered) { out.HTML, out.PictureOnly = page.HTML, page.PictureOnly })
	return nil
}

// capture takes snapshots of the page and of the frames that are targets of their own.
func (t *tab) capture(within time.Duration) (*Snapshot, error) {
	ctx, cancel := context.WithTimeout(t.ctx, within)
	defer cancel()
	t.mu.Lock()
	sessions := t.pages()
	t.mu.Unlock()
	main, parts := t.mainSession(), map[*session]*Snapshot{}
	for _, s := range sessions {
		part := &Snapshot{Frames: map[int]*Snapshot{}}
		err := t.b.dev.Call(ctx, s.id, "DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}}, part)
		switch {
		case err == nil && len(part.Documents) > 0:
			parts[s] = part
		case s == main && err != nil:
			return nil, err
		}
	}
	if parts[main] == nil {
		return nil, pageError("", fault.New(fault.Unavailable, "the browser shows no document"))
	}
	for s, part := range parts {
		if s != main {
			attachFrame(ctx, t.b.dev, s.to.ID, part, parts)
		}
	}
	return parts[main], nil
}

// attachFrame finds the element that shows a frame, in whichever target it is.
func attachFrame(ctx context.Context, dev *devtools.Conn, frame string, part *Snapshot,
	parts map[*session]*Snapshot) {
	for s, parent := range parts {
		if parent == part {
			continue
		}
		var owner struct {
			Backend int `json:"backendNodeId"`
		}
		if dev.Call(ctx, s.id, "DOM.getFrameOwner", map[string]any{"frameId": frame}, &owner) == nil {
			parent.Frames[owner.Backend] = part
			return
		}
	}
}
