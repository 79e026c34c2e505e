package compare

import (
	"context"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/content/textdiff"
	"github.com/tidemark/tidemark/pkg/feed"
)

const (
	// maxCaptures limits the number of captures that a preview reads.
	maxCaptures = 30
	// maxLines limits the number of lines of a change that a preview shows. maxLine limits the bytes of each line.
	maxLines = 10
	maxLine  = 300
)

// Silenced is a change with lines that match the rules.
type Silenced struct {
	At       time.Time
	From, To string      // digests of the captures before and after
	Whole    bool        // the rules silence the whole change
	Lines    []part.Line // the first lines that are ignored
}

// preview examines the changes between the last captures. It returns the number of changes that it examined, and the
// changes with lines that match the rules.
func (r reader) preview(ctx context.Context, rules []string) (examined int, out []Silenced, err error) {
	made := map[string]bool{}
	for _, rule := range rules {
		made["ignore: "+rule] = true
	}
	known := map[string]*part.Part{} // the parts of the two captures that were read last
	read := func(digest string) *part.Part {
		if p := known[digest]; p != nil {
			return p
		}
		got, err := r.read(ctx, digest)
		if err != nil {
			return nil // the capture is no longer stored, or cannot be read now
		}
		if len(known) > 1 {
			clear(known)
		}
		known[digest] = got.part
		return got.part
	}
	for c, err := range r.past.Changes(ctx, maxCaptures) {
		if err != nil {
			return examined, nil, err
		}
		from, to := feed.Digest(c.Before), feed.Digest(c.RawHash)
		if from == "" || to == "" || from == to || examined == maxCaptures-1 {
			continue
		}
		is := read(to)
		if is == nil {
			continue
		}
		was := read(from)
		if was == nil {
			continue
		}
		examined++
		if lines := ignoredBy(was, is, made); len(lines) > 0 {
			out = append(out, Silenced{At: c.At, From: from, To: to, Whole: was.State == is.State, Lines: lines})
		}
	}
	return examined, out, nil
}

// ignoredBy returns the first lines that differ between two parts and are excluded by one of the given rules.
func ignoredBy(was, is *part.Part, rules map[string]bool) (out []part.Line) {
	before, after := words.Clip(was.Doc.Text, textdiff.MaxText), words.Clip(is.Doc.Text, textdiff.MaxText)
	for line := range part.Ignored(was.Own(before), is.Own(after)) {
		if len(out) == maxLines {
			break
		}
		if rules[line.Rule] {
			line.Text = words.Clip(line.Text, maxLine)
			out = append(out, line)
		}
	}
	return out
}
