package chunk

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

func recordsOf(chunks []Chunk) (records []Record) {
	for _, c := range chunks {
		records = append(records, RecordOf(c))
	}
	return records
}

// decode returns all records, or those before the first error.
func decode(text string) (records []Record, err error) {
	for r, err := range Decode(strings.NewReader(text)) {
		if err != nil {
			return records, err
		}
		records = append(records, r)
	}
	return records, nil
}

func example() []Chunk {
	listing := code("func main() {}")
	listing.Language = "go"
	chunks, _ := Split(Page{ID: "file_a", Name: Name{Namespace, "docs/a b.md"}, Blocks: []extract.Block{
		heading(1, "Docks & <piers>"), paragraph("One 😀."), listing, table("Berth | Depth"), heading(2, "Last"),
	}})
	return chunks
}

// TestC4Golden checks that stored metadata is read by this and other versions.
func TestC4Golden(t *testing.T) {
	var have bytes.Buffer
	must(t, Encode(&have, recordsOf(example())))
	want, err := os.ReadFile("testdata/chunks.jsonl")
	must(t, err)
	if diff := cmp.Diff(string(want), have.String()); diff != "" {
		t.Errorf("-want +have\n%s", diff)
	}
	records, err := decode(string(want))
	if diff := cmp.Diff(recordsOf(example()), records); diff != "" || err != nil {
		t.Errorf("%v, -want +have\n%s", err, diff)
	}
}

// TestC4RoundTrip checks that the metadata of any page is valid and decodes unchanged.
func TestC4RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := recordsOf(split("url_a", "Title", drawBlocks(t, "blocks")...))
		var text bytes.Buffer
		if err := Encode(&text, want); err != nil {
			t.Fatal(err)
		}
		if have, err := decode(text.String()); err != nil || !cmp.Equal(want, have) {
			t.Fatalf("%v: %s", err, cmp.Diff(want, have))
		}
	})
}

// TestC4Strict checks that writer and reader refuse every kind of invalid record.
func TestC4Strict(t *testing.T) {
	for _, tc := range []struct {
		name, field string
		spoil       func(r []Record)
	}{
		{"no chunkUid", "chunkUid", func(r []Record) { r[0].ChunkUID, r[0].MetaV2.ChunkUID = "", "" }},
		{"no canonical chunkUid", "metaV2.chunkUid", func(r []Record) { r[0].MetaV2.ChunkUID = "" }},
		{"another version of chunkUid", "chunkUid", func(r []Record) { r[0].ChunkUID = "ck64:v2" + r[0].ChunkUID[7:] }},
		{"a chunkUid twice", "chunkUid", func(r []Record) { r[3].ChunkUID, r[3].MetaV2 = r[0].ChunkUID, r[0].MetaV2 }},
		{"no virtualPath", "metaV2.virtualPath", func(r []Record) { r[0].MetaV2.VirtualPath = "" }},
		{"another virtualPath", "metaV2.virtualPath", func(r []Record) { r[0].MetaV2.VirtualPath = "docs/b.md" }},
		{"no segment for code", "segment", func(r []Record) { r[1].MetaV2.Segment = nil }},
		{"a segment for prose", "metaV2.segment", func(r []Record) { r[0].MetaV2.Segment = r[1].MetaV2.Segment }},
		{"no segmentUid", "metaV2.segment.segmentUid", func(r []Record) { r[1].MetaV2.Segment.SegmentUID = "" }},
		{"a segmentUid that is none", "metaV2.segment.segmentUid",
			func(r []Record) { r[1].MetaV2.Segment.SegmentUID = "segu:v1:00" }},
		{"another segmentUid", "metaV2.virtualPath",
			func(r []Record) { r[1].MetaV2.Segment.SegmentUID = r[2].MetaV2.Segment.SegmentUID }},
		{"another type", "metaV2.segment.type", func(r []Record) { r[1].MetaV2.Segment.Type = "table" }},
		{"a language without a name", "metaV2.segment.languageId",
			func(r []Record) { r[2].MetaV2.Segment.LanguageID = new(string) }},
		{"no virtualPath of the segment", "metaV2.segment.virtualPath",
			func(r []Record) { r[1].MetaV2.Segment.VirtualPath = "" }},
		{"another segmentUid at the top", "segment.segmentUid", func(r []Record) { r[1].Segment = r[2].Segment }},
		{"a segment of prose at the top", "segment", func(r []Record) { r[0].Segment = r[1].Segment }},
		{"docIds not in order", "docId", func(r []Record) { r[1].DocID = 2 }},
		{"no key", "key", func(r []Record) { r[0].Key = "" }},
		{"a key twice", "key", func(r []Record) { r[1].Key = r[0].Key }},
		{"no textHash", "textHash", func(r []Record) { r[0].TextHash = "" }},
		{"nothing in it", "start", func(r []Record) { r[0].End = r[0].Start }},
		{"before the text", "start", func(r []Record) { r[0].Start = -1 }},
		{"over another chunk", "start", func(r []Record) { r[1].Start = r[0].End - 1 }},
		{"no tokens", "tokens", func(r []Record) { r[0].Tokens = 0 }},
		{"no kind", "kind", func(r []Record) { r[0].Kind = "" }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			records := recordsOf(example())
			tc.spoil(records)
			if err := Encode(new(bytes.Buffer), records); fault.KindOf(err) != fault.Invalid || fault.FieldOf(err) != tc.field {
				t.Errorf("written: %v, want Invalid for %s", err, tc.field)
			}
			var text bytes.Buffer
			for _, r := range records {
				must(t, json.NewEncoder(&text).Encode(r))
			}
			if _, err := decode(text.String()); fault.KindOf(err) != fault.Invalid || fault.FieldOf(err) != tc.field {
				t.Errorf("read: %v, want Invalid for %s", err, tc.field)
			}
		})
	}
}

// TestC4SegmentUIDAtTheTop checks that a chunk of a segment has its segmentUid where 002 §6.1 requires it, and that
// prose has none.
func TestC4SegmentUIDAtTheTop(t *testing.T) {
	var text bytes.Buffer
	records := recordsOf(example())
	must(t, Encode(&text, records))
	for i, line := range strings.Split(strings.TrimSpace(text.String()), "\n") {
		var chunk struct {
			Segment *struct{ SegmentUID string }
			MetaV2  struct {
				Segment *struct{ SegmentUID string }
			}
		}
		must(t, json.Unmarshal([]byte(line), &chunk))
		if diff := cmp.Diff(chunk.MetaV2.Segment, chunk.Segment); diff != "" || (chunk.Segment != nil) != (i == 1 || i == 2) {
			t.Errorf("chunk %d: %+v, -metaV2 +top\n%s", i, chunk.Segment, diff)
		}
	}
}

// TestC4SeveralTexts checks that descriptions of images have positions of their own, in the same file.
func TestC4SeveralTexts(t *testing.T) {
	records := recordsOf(example())
	for _, c := range split("file_a/images", "", paragraph("A crane")) {
		r := RecordOf(c)
		r.DocID = len(records)
		records = append(records, r)
	}
	if err := Encode(new(bytes.Buffer), records); err != nil {
		t.Error(err)
	}
}

func TestC4Bounds(t *testing.T) {
	long := example()[:1]
	long[0].Name = strings.Repeat("x", maxLine)
	if err := Encode(new(bytes.Buffer), recordsOf(long)); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("written: %v, want TooLarge", err)
	}
	if _, err := decode(`{"name":"` + long[0].Name + `"}`); fault.KindOf(err) != fault.TooLarge {
		t.Errorf("read: %v, want TooLarge", err)
	}
	if _, err := decode("{"); fault.KindOf(err) != fault.Invalid {
		t.Errorf("half a line: %v, want Invalid", err)
	}
	broken := errors.New("broken")
	for _, err := range Decode(iotest.ErrReader(broken)) {
		if !errors.Is(err, broken) {
			t.Errorf("have %v", err)
		}
	}
	// The longest path of a blob, all of it escaped.
	worst, _ := Split(Page{ID: "file_a", Name: Name{Namespace, strings.Repeat("\u2028", 1024)},
		Blocks: []extract.Block{heading(1, strings.Repeat("\x01", 4000)), code("x")}})
	if err := Encode(new(bytes.Buffer), recordsOf(worst)); err != nil {
		t.Errorf("the longest line: %v", err)
	}
}

// FuzzDecode checks that input is refused, or encodes to the same again.
func FuzzDecode(f *testing.F) {
	golden, err := os.ReadFile("testdata/chunks.jsonl")
	must(f, err)
	f.Add(string(golden))
	f.Add("{}\n")
	f.Add("\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		records, err := decode(text)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := Encode(&again, records); err != nil {
			if fault.KindOf(err) == fault.TooLarge {
				return // invalid UTF-8 needs more bytes when encoded
			}
			t.Fatal(err)
		}
		if have, err := decode(again.String()); err != nil || !cmp.Equal(records, have) {
			t.Fatalf("%v: %s", err, cmp.Diff(records, have))
		}
	})
}
