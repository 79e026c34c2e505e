package chunk

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// maxLine is the maximum length of a line of chunk metadata in bytes, including the line end. A line contains a path
// of up to 4 KiB four times, and a heading and a name of up to [maxPath] bytes once each. In the worst case every
// character of them is escaped.
const maxLine = 128 << 10

// Record is a line of chunk metadata (C4). It describes a chunk without repeating its text. That text is the part of
// the document's text from Start to End.
type Record struct {
	ChunkUID UID          `json:"chunkUid"`
	DocID    int          `json:"docId"` // the line's number, from 0
	Key      Key          `json:"key"`
	TextHash string       `json:"textHash"` // hash of [Chunk.Embedded]
	Start    int          `json:"start"`
	End      int          `json:"end"`
	Tokens   int          `json:"tokens"`
	Kind     Kind         `json:"kind"`
	Name     string       `json:"name"`
	Heading  string       `json:"heading"`
	Zone     extract.Zone `json:"zone,omitempty"` // empty for the main content
	Anchor   string       `json:"anchor,omitempty"`
	Joined   bool         `json:"joined,omitempty"`  // of the same unit as the chunk before it
	Segment  *SegmentName `json:"segment,omitempty"` // nil outside segments
	MetaV2   MetaV2       `json:"metaV2"`
}

// SegmentName names the segment that contains a chunk. Other tools read this field first (002 §6.1).
type SegmentName struct {
	SegmentUID string `json:"segmentUid"`
}

// MetaV2 is the identity of a chunk in the form that other tools read (002 §6).
type MetaV2 struct {
	ChunkUID    UID            `json:"chunkUid"`
	VirtualPath string         `json:"virtualPath"`
	Segment     *SegmentRecord `json:"segment"` // null for prose
}

// SegmentRecord describes the segment that contains a chunk.
type SegmentRecord struct {
	SegmentUID  string  `json:"segmentUid"`
	Type        string  `json:"type"`
	LanguageID  *string `json:"languageId"` // null when not known
	VirtualPath string  `json:"virtualPath"`
}

// RecordOf returns the metadata of a chunk.
func RecordOf(c Chunk) Record {
	r := Record{
		ChunkUID: c.UID, DocID: c.Ordinal, Key: c.Key, TextHash: c.textHash(), Start: c.Start, End: c.End,
		Tokens: c.Tokens, Kind: c.Kind, Name: c.Name, Heading: c.Heading, Zone: c.Zone, Anchor: c.Anchor,
		Joined: c.Joined, MetaV2: MetaV2{ChunkUID: c.UID, VirtualPath: c.VirtualPath},
	}
	if s := c.Segment; s != nil {
		r.Segment = &SegmentName{s.UID}
		r.MetaV2.Segment = &SegmentRecord{SegmentUID: s.UID, Type: s.Type, VirtualPath: s.VirtualPath}
		if s.LanguageID != "" {
			r.MetaV2.Segment.LanguageID = &s.LanguageID
		}
	}
	return r
}

// Encode writes a line for each record. It refuses the records that [Decode] would refuse. The records of several
// texts, such as a page and the descriptions of its images, may follow one another if their DocIDs are consecutive.
func Encode(w io.Writer, records []Record) error {
	var v validator
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	for _, r := range records {
		line.Reset()
		if err := errors.Join(v.check(r), enc.Encode(r)); err != nil {
			return err
		}
		if line.Len() > maxLine {
			return fault.New(fault.TooLarge, "chunk %d: %d bytes of metadata, want at most %d", r.DocID, line.Len(), maxLine)
		}
		if _, err := w.Write(line.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// Decode reads lines that [Encode] wrote, record by record, and stops at the first error. Errors: Invalid for a
// record that lacks an identity, contradicts itself or repeats another; TooLarge for a line over maxLine. Unknown
// fields are ignored. Decode keeps all names in memory, so the caller must bound the input.
func Decode(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var v validator
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			record, err := v.parse(lines.Bytes())
			if !yield(record, err) || err != nil {
				return
			}
		}
		switch err := lines.Err(); err {
		case nil:
		case bufio.ErrTooLong:
			yield(Record{}, fault.New(fault.TooLarge, "chunk %d: over %d bytes of metadata", v.lines, maxLine))
		default:
			yield(Record{}, err)
		}
	}
}
