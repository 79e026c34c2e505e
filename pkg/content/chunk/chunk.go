package chunk

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// These sizes are in tokens, as [Tokens] estimates them.
const (
	// Budget is the largest size of a chunk.
	Budget = 400
	// window is a distance in tokens. A possible cut competes with all other cuts within this distance on either
	// side. Where the text allows a choice of cuts, no chunk is smaller than window.
	window = 100
)

// Kind is the kind of content in a chunk. Kinds are stored as text.
type Kind string

// The kinds of chunks. A chunk of code or of a table is part of a segment and has the same kind as the segment, unless
// the whole file is one listing or table.
const (
	Prose   Kind = "prose"
	Heading Kind = "heading" // a heading with no text below it
	Title   Kind = "title"   // the title of a page without text
	Code    Kind = "code"
	Table   Kind = "table"
)

// Page is the input of [Split].
type Page struct {
	ID     string // the id of the item; [Key] depends on it
	Name   Name   // the beginning of the chunks' uids; if empty, ID in [Namespace]
	Title  string // becomes the text of a page that has no other text
	Blocks []extract.Block
}

// Chunk is what has an identity: the part of the page's text from Start to End. The page's text is the result of
// [extract.Join], or the title if the page has no text.
type Chunk struct {
	UID         UID    // unique in the page
	Key         Key    // unique in the page, and in practice everywhere
	VirtualPath string // path of the page, or of the segment that contains the chunk
	Heading     string // headings above the chunk, outermost first, joined by " › "
	Name        string // for a chunk of kind Heading or Title its own words, else the innermost heading
	Anchor      string // anchor of the first term, or of the innermost heading that has one; not part of UID or Key
	Kind        Kind
	Zone        extract.Zone
	Text        string   // never blank
	Lead        string   // header of the table that the chunk continues; not part of Text
	Start, End  int      // in the page's text, in UTF-16 code units
	Ordinal     int      // position in the page, from 0; the docId of 002 §1.1
	Tokens      int      // number of tokens in Text
	Segment     *Segment // nil outside segments; chunks of one segment share it
	Joined      bool     // the chunk is of the same unit as the one before it
}

// Segment is an embedded part of a page: a listing or a table (002 §1.4).
type Segment struct {
	UID         string
	Type        string // "code" or "table"
	LanguageID  string // language that the page declares, in lower case; "" if it declares none
	VirtualPath string
}

// Split cuts a page into chunks. The Heading of a chunk contains the headings above it. A heading that is followed by
// neither text nor a deeper heading becomes a chunk of its own, so that every word of the page can be found. Listings
// and tables have chunks of their own. No chunk exceeds the [Budget] or 100 KiB, even if the text contains very long
// runs of blanks. No chunk spans two zones. The chunks of the main content come first and are cut as if the page had
// no other blocks. The chunks of the zone beside it follow, with headings of their own.
func Split(p Page) ([]Chunk, Collisions) {
	isFile := p.Name != (Name{})
	if !isFile {
		p.Name = Name{Namespace, p.ID}
	}
	s := newSplitter(p)
	s.whole = isFile && isOneBlock(p.Blocks)
	for _, b := range s.page.Blocks {
		if b.Zone != s.zone {
			s.begin(b.Zone)
		}
		s.block(b)
		s.at += len(b.Text) + len(extract.Separator)
	}
	s.close()
	if title := strings.TrimSpace(p.Title); len(s.chunks) == 0 && title != "" {
		s.title(title)
	}
	return s.named()
}

// splitter iterates over the blocks of a page.
type splitter struct {
	page   Page
	text   string
	at     int // offset of the current block, in bytes
	chunks []Chunk
	zone   extract.Zone // zone of the current block
	zoneAt int          // offset of the zone, in bytes
	whole  bool         // the page is a file that is one listing or table: not a segment, but the document

	outline outline
	bare    extract.Block // the last heading, if no text has followed it yet
	bareAt  int           // offset of that heading
	run     run           // prose that is not cut yet
	header  string        // header of the table that is being cut
	lead    string        // the same after the first part of the table

	units, bytes int // end of the last chunk, in UTF-16 code units and in bytes
}

func newSplitter(p Page) *splitter {
	p.Blocks = slices.Clone(p.Blocks)
	for i := range p.Blocks {
		p.Blocks[i].Text = strings.ToValidUTF8(p.Blocks[i].Text, replacement)
	}
	text := extract.Join(p.Blocks)
	return &splitter{page: p, text: text, run: run{text: text}}
}

// isOneBlock reports whether only one of the blocks has a text.
func isOneBlock(blocks []extract.Block) bool {
	n := 0
	for _, b := range blocks {
		if strings.TrimSpace(b.Text) != "" {
			n++
		}
	}
	return n == 1
}

// begin ends the current zone and begins another.
func (s *splitter) begin(zone extract.Zone) {
	s.close()
	s.zone, s.zoneAt, s.outline, s.bare = zone, s.at, outline{}, extract.Block{}
}

// block adds the next block of the page.
func (s *splitter) block(b extract.Block) {
	if strings.TrimSpace(b.Text) == "" {
		return
	}
	switch b.Kind {
	case extract.Heading:
		s.heading(b)
		return
	case extract.Code:
		s.segment(b, Code)
	case extract.Table:
		s.segment(b, Table)
	default:
		s.run.block(b, s.at)
	}
	s.bare.Text = ""
}

// heading begins a section. When one heading directly follows another, the words of the first are not lost: they are
// in the heading path of the chunks below.
func (s *splitter) heading(b extract.Block) {
	s.flush(Prose, nil)
	if s.bare.Text != "" && levelOf(s.bare) >= levelOf(b) {
		s.bareHeading()
	}
	s.outline.push(b)
	s.bare, s.bareAt = b, s.at
}

// bareHeading makes a chunk of the last heading.
func (s *splitter) bareHeading() {
	bare := s.bare
	bare.Kind = extract.Paragraph // split like a paragraph, in case it is very long
	s.run.block(bare, s.bareAt)
	s.outline.pop()
	s.flush(Heading, nil)
}

// segment adds a block that is a segment.
func (s *splitter) segment(b extract.Block, kind Kind) {
	s.flush(Prose, nil)
	s.run.block(b, s.at)
	if kind == Table {
		s.header = TableHeader(b.Text)
	}
	if s.whole {
		s.flush(kind, nil)
	} else {
		uid := segmentUID(string(kind), b.Language, b.Text)
		s.flush(kind, &Segment{uid, string(kind), b.Language, virtualPath(s.page.Name.Path, uid)})
	}
	s.header = ""
}

// title adds the chunk of a page without text, or several if the title is long.
func (s *splitter) title(title string) {
	title = strings.ToValidUTF8(title, replacement)
	s.text, s.run.text, s.zone = title, title, extract.Main
	s.outline.push(extract.Block{Kind: extract.Heading, Level: 1, Text: title})
	s.outline.pop()
	s.run.block(extract.Block{Kind: extract.Paragraph, Text: title}, 0)
	s.flush(Title, nil)
}

// close completes the page.
func (s *splitter) close() {
	s.flush(Prose, nil)
	if s.bare.Text != "" {
		s.bareHeading()
	}
}

// flush cuts the run and makes a chunk of each part.
func (s *splitter) flush(kind Kind, segment *Segment) {
	atoms := s.run.atoms
	if len(atoms) == 0 {
		return
	}
	s.run.rate()
	from := 0
	for _, last := range append(cuts(atoms), len(atoms)-1) {
		s.emit(atoms[from].start, atoms[last].end, cmp.Or(atoms[from].anchor, s.outline.anchor), kind, segment)
		from, s.lead = last+1, s.header
	}
	s.lead = ""
	s.run.atoms = atoms[:0]
}

// emit makes a chunk of the bytes from start to end.
func (s *splitter) emit(start, end int32, anchor string, kind Kind, segment *Segment) {
	c := Chunk{
		VirtualPath: s.page.Name.Path, Heading: s.outline.path, Name: s.outline.name, Kind: kind,
		Anchor: anchor, Zone: s.zone, Lead: s.lead, Text: s.text[start:end], Ordinal: len(s.chunks), Segment: segment,
	}
	if segment != nil {
		c.VirtualPath = segment.VirtualPath
	}
	c.Tokens = Tokens(c.Text)
	c.Start = s.units + unitsOf(s.text[s.bytes:start])
	c.End = c.Start + unitsOf(c.Text)
	s.units, s.bytes = c.End, int(end)
	s.chunks = append(s.chunks, c)
}

// named returns the chunks with their names.
func (s *splitter) named() ([]Chunk, Collisions) {
	spans := make([]span, len(s.chunks))
	keys := keys{page: s.page.ID}
	before := s.textBefore()
	offset := unitsOf(before)
	for i := range s.chunks {
		c := &s.chunks[i]
		c.Key = keys.next(*c)
		spans[i] = span{File: s.page.Name.Path, Zone: string(c.Zone), Start: c.Start, End: c.End, Kind: string(c.Kind),
			Name: c.Name}
		if c.Zone != extract.Main {
			spans[i].Start, spans[i].End = c.Start-offset, c.End-offset
		}
		if c.Segment != nil {
			spans[i].SegmentUID, spans[i].LanguageID = c.Segment.UID, c.Segment.LanguageID
		}
	}
	uids, collisions := distinctUIDs(s.page.Name.Namespace, s.texts(before), spans)
	for i, uid := range uids {
		s.chunks[i].UID = uid
	}
	join(s.chunks)
	return s.chunks, collisions
}

// textBefore returns the text before the zone beside the main content, or all text if there is no such zone.
func (s *splitter) textBefore() string {
	if s.zone == extract.Main {
		return s.text
	}
	return s.text[:s.zoneAt]
}

// texts returns the texts of the zones. The first argument is the result of textBefore.
func (s *splitter) texts(before string) map[zoneText]indexedText {
	main := before
	if s.zone != extract.Main {
		main = strings.TrimSuffix(before, extract.Separator)
	}
	return map[zoneText]indexedText{
		{File: s.page.Name.Path}:                   newText(main),
		{s.page.Name.Path, string(extract.Beside)}: newText(s.text[len(before):]),
	}
}

// TableHeader returns the header of a table: its first row, with the line below it that parts it from the others. It
// returns "" if the header is empty, or so long that it would fill a chunk.
func TableHeader(table string) string {
	header, rest, more := strings.Cut(table, "\n")
	if strings.Trim(header, "| \t") == "" || !more {
		return ""
	}
	if line, _, _ := strings.Cut(rest, "\n"); strings.Contains(line, "---") && strings.Trim(line, "|-: ") == "" {
		header += "\n" + line
	}
	if size(header) > Budget {
		return ""
	}
	return header
}

// separator joins the headings of a path, outermost first.
const separator = " › "

// HeadingPath returns the headings of a path as it stands in [Chunk.Heading], outermost first.
func HeadingPath(path string) []string {
	if path == "" {
		return []string{}
	}
	return strings.Split(path, separator)
}

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

// Key names a chunk by its page and its own words: page, zone, heading path, kind and text. A part of a table is named
// by the header of the table, too. Unlike the [UID], a key
// does not change with the text around the chunk, so an index that uses keys writes only new chunks. A key begins
// with a letter and has at most 60 letters, digits and hyphens, which every search index accepts.
//
// When several chunks of a page have the same words, headings, zone and kind, the second and later ones get the
// suffixes "-2", "-3" and so on. An edit changes the key of such a chunk only by adding or removing an equal chunk
// before it. A key contains 130 bits of a SHA-256, so nobody can construct two different pages or texts with the same
// key. An index of pages from unknown hosts needs this protection.
type Key string

var keyEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// keys assigns keys to the chunks of one page.
type keys struct {
	page string
	seen map[Key]int
}

func (k *keys) next(c Chunk) Key {
	if k.seen == nil {
		k.seen = map[Key]int{}
	}
	key := keyOf(k.page, c.Heading, string(c.Kind)+string(c.Zone), c.Searched())
	k.seen[key]++
	if n := k.seen[key]; n > 1 {
		key += Key("-" + strconv.Itoa(n))
	}
	return key
}

// keyOf hashes the parts together with their lengths, so that different lists of parts never have the same hash
// input.
func keyOf(parts ...string) Key {
	h := sha256.New()
	for _, part := range parts {
		h.Write(strconv.AppendInt(nil, int64(len(part)), 10))
		h.Write([]byte{':'})
		h.Write([]byte(part))
	}
	return Key("chunk-" + keyEncoding.EncodeToString(h.Sum(nil))[:26])
}

// Searched returns the text by which the chunk is found: its words, below the header of the table that it continues.
func (c Chunk) Searched() string {
	if c.Lead == "" {
		return c.Text
	}
	return c.Lead + "\n" + c.Text
}

// Embedded returns the text from which the chunk's vector is computed: its headings and its words.
func (c Chunk) Embedded() string { return strings.TrimSpace(c.Heading + "\n\n" + c.Searched()) }

// textHash returns the hash of [Chunk.Embedded], as "sha256:" and 64 hex digits.
func (c Chunk) textHash() string {
	sum := sha256.Sum256([]byte(c.Embedded()))
	return "sha256:" + hex.EncodeToString(sum[:])
}
