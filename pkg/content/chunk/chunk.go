package chunk

import (
	"cmp"
	"slices"
	"strings"

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

// The kinds of chunks. A chunk of code or of a table is part of a segment and has the same kind as the segment.
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

// Chunk is the unit of search: the part of the page's text from Start to End. The page's text is the result of
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
	Segment     *Segment // nil for prose; chunks of one segment share it
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
	if p.Name == (Name{}) {
		p.Name = Name{Namespace, p.ID}
	}
	s := newSplitter(p)
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
	uid := segmentUID(string(kind), b.Language, b.Text)
	s.run.block(b, s.at)
	if kind == Table {
		s.header = TableHeader(b.Text)
	}
	s.flush(kind, &Segment{uid, string(kind), b.Language, virtualPath(s.page.Name.Path, uid)})
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
	units := s.run.units
	if len(units) == 0 {
		return
	}
	s.run.rate()
	from := 0
	for _, last := range append(cuts(units), len(units)-1) {
		s.emit(units[from].start, units[last].end, cmp.Or(units[from].anchor, s.outline.anchor), kind, segment)
		from, s.lead = last+1, s.header
	}
	s.lead = ""
	s.run.units = units[:0]
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
	uids, collisions := uiDs(s.page.Name.Namespace, s.texts(before), spans)
	for i, uid := range uids {
		s.chunks[i].UID = uid
	}
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
func (s *splitter) texts(before string) map[zoneText]Text {
	main := before
	if s.zone != extract.Main {
		main = strings.TrimSuffix(before, extract.Separator)
	}
	return map[zoneText]Text{
		{File: s.page.Name.Path}:                   newText(main),
		{s.page.Name.Path, string(extract.Beside)}: newText(s.text[len(before):]),
	}
}
