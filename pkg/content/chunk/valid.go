package chunk

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// validator checks the records of one file in order (002 §6.2).
type validator struct {
	lines int
	uids  map[UID]bool
	keys  map[Key]bool
	ends  map[string]int // end of the last chunk for each path
}

// parse parses a line.
func (v *validator) parse(line []byte) (r Record, err error) {
	if err := json.Unmarshal(line, &r); err != nil {
		return Record{}, fault.New(fault.Invalid, "chunk %d: %w", v.lines, err)
	}
	return r, v.check(r)
}

var (
	keyForm     = regexp.MustCompile(`^chunk-[a-z2-7]{26}(-[1-9][0-9]*)?$`)
	hashForm    = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	segmentForm = regexp.MustCompile(`^` + segmentPrefix + `[0-9a-f]{16}$`)
)

// check checks the next record. Errors: Invalid, with the name of the field.
func (v *validator) check(r Record) error {
	if v.lines == 0 {
		v.uids, v.keys, v.ends = map[UID]bool{}, map[Key]bool{}, map[string]int{}
	}
	path := r.MetaV2.VirtualPath
	if s := r.MetaV2.Segment; s != nil {
		path = strings.TrimSuffix(path, segmentLabel+s.SegmentUID)
	}
	for _, check := range [...]func(Record) error{v.checkNames, v.checkSegment, v.checkFields} {
		if err := check(r); err != nil {
			return err
		}
	}
	if r.Start < v.ends[path] || r.End <= r.Start {
		return v.invalid("start", "want chunks in order that do not overlap and hold something")
	}
	v.uids[r.ChunkUID], v.keys[r.Key], v.ends[path] = true, true, r.End
	v.lines++
	return nil
}

func (v *validator) invalid(field, want string) error {
	return fault.Field(field, "chunk %d: %s: %s", v.lines, field, want)
}

// rule is a condition on a field.
type rule struct {
	kept        bool
	field, want string
}

// first returns an error that names the first field that breaks a rule.
func (v *validator) first(rules []rule) error {
	for _, r := range rules {
		if !r.kept {
			return v.invalid(r.field, r.want)
		}
	}
	return nil
}

func (v *validator) checkNames(r Record) error {
	uid, path := string(r.ChunkUID), r.MetaV2.VirtualPath
	return v.first([]rule{
		{strings.HasPrefix(uid, uidPrefix), "chunkUid", "want one that begins with " + uidPrefix},
		{!v.uids[r.ChunkUID], "chunkUid", "another chunk has it"},
		{r.MetaV2.ChunkUID == r.ChunkUID, "metaV2.chunkUid", "want that of the chunk"},
		{path != "", "metaV2.virtualPath", "it is missing"},
		{strings.Contains(uid, ":"+path+":"), "metaV2.virtualPath", "want that in chunkUid"},
		{keyForm.MatchString(string(r.Key)), "key", "want the key of a chunk"},
		{!v.keys[r.Key], "key", "another chunk has it"},
	})
}

func (v *validator) checkSegment(r Record) error {
	s, path := r.MetaV2.Segment, r.MetaV2.VirtualPath
	if s != nil && r.Kind != Code && r.Kind != Table {
		return v.invalid("metaV2.segment", "want null for what is neither code nor a table")
	}
	if (r.Segment != nil) != (s != nil) {
		return v.invalid("segment", "want one exactly where metaV2 has one")
	}
	if s == nil {
		return nil
	}
	return v.first([]rule{
		{segmentForm.MatchString(s.SegmentUID), "metaV2.segment.segmentUid", "want " + segmentPrefix + " and 16 hex digits"},
		{s.Type == string(r.Kind), "metaV2.segment.type", "want the kind of the chunk"},
		{s.LanguageID == nil || *s.LanguageID != "", "metaV2.segment.languageId", "want a name, or null"},
		{s.VirtualPath == path, "metaV2.segment.virtualPath", "want that of the chunk"},
		{strings.HasSuffix(path, segmentLabel+s.SegmentUID), "metaV2.virtualPath", "want one that ends with the segment"},
		{r.Segment.SegmentUID == s.SegmentUID, "segment.segmentUid", "want that of metaV2"},
	})
}

func (v *validator) checkFields(r Record) error {
	return v.first([]rule{
		{r.DocID == v.lines, "docId", "want the number of the line"},
		{hashForm.MatchString(r.TextHash), "textHash", "want sha256: and 64 hex digits"},
		{r.Kind != "", "kind", "it is missing"},
		{r.Tokens > 0, "tokens", "want a positive number"},
	})
}
