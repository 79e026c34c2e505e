package entry

import (
	"maps"
	"time"
)

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
