package entry

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// The bounds of an entry, in bytes of UTF-8. Together they keep a row within the limits of a table.
const (
	maxLong     = 200 << 10 // length of each text
	maxMetadata = 48 << 10  // length of the metadata as JSON
	maxURL      = 8192
	maxKey      = 4096
	maxTitle    = 1000
	maxName     = 500
	maxListed   = 50 // number of a message's addresses in its metadata
	maxNested   = 20 // depth of nested objects and lists in metadata
)

// Fields contains columns of an entry by name: text as string, counts as int64, ratios as float64, flags as bool,
// metadata as map[string]any. A nil value clears a column. A column that is missing in Fields stays as it is.
type Fields map[string]any

// Text returns a column of text, or "" if the column is missing.
func (f Fields) Text(name string) string {
	s, _ := f[name].(string)
	return s
}

// kind is the type of a column.
type kind int

const (
	shortText kind = iota
	longText       // text that is stored in pieces if it does not fit into one property
	count          // a whole number, 0 or more
	ratio          // a number from 0 to 1
	flag
	object
)

// column describes a column that callers may write. For a text, it limits the length in bytes.
type column struct {
	kind kind
	most int
}

// columns contains the columns of an entry by name, except those that only the store writes.
var columns = map[string]column{
	"source": {shortText, 100}, "content_type": {shortText, 100}, "title": {shortText, maxTitle},
	"author": {shortText, maxName},
	"url":    {shortText, maxURL}, "url_canonical": {shortText, maxURL},
	"capture_text": {longText, maxLong}, "extracted_text": {longText, maxLong}, "clean_text": {longText, maxLong},
	"retrieval_excerpt": {shortText, 4096},
	"clean_char_count":  {kind: count}, "extracted_char_count": {kind: count}, "clean_word_count": {kind: count},
	"link_count":               {kind: count},
	"clean_vs_extracted_ratio": {kind: ratio}, "link_ratio": {kind: ratio}, "quality_score": {kind: ratio},
	"boilerplate_heavy": {kind: flag}, "low_signal": {kind: flag}, "extraction_incomplete": {kind: flag},
	"idempotency_policy_key": {shortText, 64}, "idempotency_key_primary": {shortText, maxKey},
	"idempotency_key_secondary": {shortText, maxKey},
	"metadata":                  {kind: object, most: maxMetadata},
}

// Tier1Columns are the columns with a model's description of an entry, and with the status of that description (spec
// 001 Tier-1 client). Clients read these columns; only [entries.Session.Describe] writes them. Keywords are a list in
// JSON.
var Tier1Columns = []string{
	"gist", "topic_primary", "topic_primary_confidence", "topic_secondary", "topic_secondary_confidence", "keywords",
	"tier1_status", "tier1_batch_id", "tier1_digest", "tier1_model", "tier1_error", "tier1_at", "tier1_tokens_in",
	"tier1_tokens_out", "tier1_cost",
}

// immutable lists the columns that only the store or tier 1 ([entries.Session.Describe]) writes. They are ignored in
// input, so that a client can send back a row that it has read.
var immutable = append([]string{"id", "entry_id", "created_at", "updated_at"}, Tier1Columns...)

// skippedField is set if a text is empty after cleaning. Such a text overwrites nothing. The field is not a column.
const skippedField = "retrieval_update_skipped"

// Columns lists the columns that callers may write, in alphabetical order.
func Columns() []string {
	var names []string
	for name := range columns {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Known reports whether entries have a column of that name, including columns that callers may not write.
func Known(name string) bool {
	_, writable := columns[name]
	return writable || slices.Contains(immutable, name)
}

// CheckUpdateFields returns an error if a policy's columns for updates contain one that callers may not write.
func CheckUpdateFields(policy string, names []string) error {
	for _, name := range names {
		if _, writable := columns[name]; !writable {
			return fault.Field("update_fields", "update_fields of %s has %.100q, which an update can never write", policy, name)
		}
	}
	return nil
}

// Decode reads columns from JSON. Errors: Invalid for a nil raw; Invalid, with the name of the column, for a column
// that is unknown, of the wrong type or too large.
func Decode(raw map[string]json.RawMessage) (Fields, error) {
	if raw == nil {
		return nil, fault.New(fault.Invalid, "an entry is a JSON object with its columns")
	}
	f := Fields{}
	for name, value := range raw {
		d := json.NewDecoder(bytes.NewReader(value))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, fault.Field(name, "%s is not JSON", name)
		}
		f[name] = v
	}
	for name, value := range f {
		c, known := columns[name]
		if !known || value == nil {
			continue
		}
		if number, ok := value.(json.Number); ok {
			f[name] = c.number(number)
		}
	}
	return f, f.Check()
}

// number converts a number to the type of its column. A number that does not fit is returned unchanged.
func (c column) number(n json.Number) any {
	if i, err := n.Int64(); err == nil && c.kind == count {
		return i
	}
	if r, err := n.Float64(); err == nil && c.kind == ratio {
		return r
	}
	return n
}

// Check returns an error for fields that cannot be stored. The error names one column: of all refused columns, the
// first in alphabetical order.
func (f Fields) Check() error {
	var names []string
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if slices.Contains(immutable, name) || name == skippedField {
			continue
		}
		c, known := columns[name]
		if !known {
			return fault.Field(name, "there is no column %.100q; known are %s", name, strings.Join(Columns(), ", "))
		}
		if f[name] != nil {
			if err := c.fits(name, f[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// fits returns an error for a value that does not fit into the column.
func (c column) fits(name string, value any) error {
	ok, want := false, ""
	switch v := value.(type) {
	case string:
		if c.kind != shortText && c.kind != longText {
			break
		}
		return c.checkText(name, v)
	case int64:
		ok = c.kind == count && v >= 0
	case float64:
		ok = c.kind == ratio && v >= 0 && v <= 1 && !math.IsNaN(v)
	case bool:
		ok = c.kind == flag
	case map[string]any:
		if c.kind == object {
			return checkObject(name, v)
		}
	}
	if ok {
		return nil
	}
	want = [...]string{"text", "text", "a whole number, 0 or more", "a number from 0 to 1", "true or false",
		"a JSON object"}[c.kind]
	return fault.Field(name, "%s must be %s", name, want)
}

func (c column) checkText(name, v string) error {
	if len(v) > c.most {
		return fault.Field(name, "%s has %d bytes, more than %d", name, len(v), c.most)
	}
	if !utf8.ValidString(v) {
		return fault.Field(name, "%s is not UTF-8", name)
	}
	return nil
}

func checkLong(name, v string) error { return columns["clean_text"].checkText(name, v) }

// checkObject checks the bounds of metadata.
func checkObject(name string, v map[string]any) error {
	if depth(v) > maxNested {
		return fault.Field(name, "%s has more than %d levels of objects and lists", name, maxNested)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fault.Field(name, "%s is not JSON", name)
	}
	if len(b) > maxMetadata {
		return fault.Field(name, "%s has %d bytes as JSON, more than %d", name, len(b), maxMetadata)
	}
	return nil
}

func depth(v any) int {
	most := 0
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			most = max(most, depth(inner))
		}
	case []any:
		for _, inner := range v {
			most = max(most, depth(inner))
		}
	default:
		return 0
	}
	return most + 1
}

// ID returns the id of the entry that f is to update.
func (f Fields) ID() (string, error) {
	id, other := f.Text("entry_id"), f.Text("id")
	if id == "" {
		id = other
	}
	if id == "" {
		return "", fault.Field("entry_id", "entry_id is missing: give that of the entry to update")
	}
	if other != "" && other != id {
		return "", fault.Field("id", "id and entry_id name different entries")
	}
	return id, nil
}

// signalColumns depend on the clean text.
var signalColumns = []string{
	"retrieval_excerpt", "clean_char_count", "extracted_char_count", "clean_word_count", "link_count",
	"clean_vs_extracted_ratio", "link_ratio", "quality_score", "boilerplate_heavy", "low_signal", "extraction_incomplete",
}

// textColumns change together, so that an entry never has the excerpt or the counts of another text.
var textColumns = append([]string{"clean_text", "extracted_text"}, signalColumns...)

// HasEmptyText reports whether f has a text that is empty after cleaning. The clean text decides, or else the
// extracted text. A text that f does not have is not empty.
func (f Fields) HasEmptyText() bool {
	value, present := f["clean_text"]
	if !present {
		value, present = f["extracted_text"]
	}
	text, _ := value.(string)
	return f.KeepsText() || present && clean(text) == ""
}

// KeepsText reports whether the text of f is empty after cleaning, and normalization says so
// (retrieval_update_skipped).
func (f Fields) KeepsText() bool { return f[skippedField] == true }

// WithoutText returns f without its text and all that depends on it.
func (f Fields) WithoutText() Fields { return f.without(textColumns) }

// WithoutSignals returns f without what depends on its clean text.
func (f Fields) WithoutSignals() Fields { return f.without(signalColumns) }

func (f Fields) without(names []string) Fields {
	out := maps.Clone(f)
	for _, name := range names {
		delete(out, name)
	}
	if meta, _ := f["metadata"].(map[string]any); meta["retrieval"] != nil {
		meta = maps.Clone(meta)
		delete(meta, "retrieval")
		out["metadata"] = meta
	}
	return out
}

// OutdoneBy reports whether the mail f says less than the mail in the given entry: f has no text, or has no date, or
// was written before it. A mail outdoes no mail that has a text unless it has a text, too. A time in the future does
// not count: a wrong clock must not keep newer mails out of a thread.
func (f Fields) OutdoneBy(entry Fields, now time.Time) bool {
	const ahead = 24 * time.Hour // tolerated difference between clocks
	switch has := TextOf(entry) != ""; {
	case f.HasEmptyText() && has:
		return true
	case TextOf(f) != "" && !has:
		return false
	}
	written, dated := f.Written()
	present, alsoDated := entry.Written()
	return alsoDated && (!dated || written.Before(present) && !present.After(now.Add(ahead)))
}

// keyColumns contain an entry's identity. A null in the input does not remove a key from an entry, because
// normalization writes null for each key that it does not make.
var keyColumns = []string{"idempotency_policy_key", "idempotency_key_primary", "idempotency_key_secondary"}

// Writable returns the fields that may be written. It drops the store's own columns and null keys.
func (f Fields) Writable() Fields {
	out := maps.Clone(f)
	for _, name := range immutable {
		delete(out, name)
	}
	for _, name := range keyColumns {
		if out.Text(name) == "" {
			delete(out, name)
		}
	}
	if out[skippedField] == true {
		out["clean_text"] = nil
	}
	delete(out, skippedField)
	return out
}

// Overlay returns a copy of old in which the writable fields of the input replace those of old. If a list of columns
// is given, only the columns in it are replaced. Metadata is merged; everything else is replaced.
func Overlay(old, in Fields, only []string) Fields {
	out := maps.Clone(old)
	for name, value := range in {
		if only != nil && !slices.Contains(only, name) {
			continue
		}
		switch {
		case name == "metadata":
			into, _ := out[name].(map[string]any)
			if more, ok := value.(map[string]any); ok {
				out[name] = mergeObjects(into, more)
			}
		case value == nil || value == "":
			delete(out, name)
		default:
			out[name] = value
		}
	}
	return out
}

// mergeObjects returns a copy of one object with the members of another. It changes neither of them. Objects are
// merged at every level. Of all other values, including lists and null, those of the second object are used.
func mergeObjects(into, more map[string]any) map[string]any {
	out := maps.Clone(into)
	if out == nil {
		out = map[string]any{}
	}
	for name, value := range more {
		old, isObject := out[name].(map[string]any)
		if new, also := value.(map[string]any); also && isObject {
			value = mergeObjects(old, new)
		}
		out[name] = value
	}
	return out
}

// add copies the given columns into f.
func (f Fields) add(more Fields) {
	maps.Copy(f, more)
}

// merge merges an object into the member of the metadata with the given name.
func (f Fields) merge(name string, object map[string]any) {
	meta, _ := f["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		f["metadata"] = meta
	}
	if len(object) > 0 {
		meta[name] = object
	}
}
