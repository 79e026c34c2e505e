package registry

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Validators is what checks have found out about the validators of a source, which are its ETag and Last-Modified. The
// validators themselves are in [Seen].
type Validators struct {
	// Proven states that the validators were seen to change together with the content.
	Proven bool `json:"proven,omitempty"`
	// Written is the Last-Modified header where the time in HTTPLastModified does not give it back to the letter.
	Written string `json:"written,omitempty"`
	// Body is the hash of the body that came with the validators, if it has other bytes than RawHash and the same text.
	Body string `json:"body,omitempty"`
	// Recent states that the source is a file that had been written a moment before it was read. That its time is
	// still the same then proves nothing.
	Recent bool `json:"recent,omitempty"`
	// LiedAt is when the validators were first seen to stay the same while the content changed. It is zero if that was
	// never seen. Blind states that the text had changed, too, and not only the bytes.
	LiedAt time.Time `json:"liedAt,omitzero"`
	Blind  bool      `json:"blind,omitempty"`
	// Length is the Content-Length header of the last whole answer. HTTPContentLength is the decoded length.
	Length string `json:"length,omitempty"`
	// WholeAt is when the source last answered with a body, and Checks is the number of checks since then.
	WholeAt time.Time `json:"wholeAt,omitzero"`
	Checks  int       `json:"checks,omitempty"`
	// NoHead states that the answer to a HEAD request did not show that the page was unchanged, although it was.
	NoHead bool `json:"noHead,omitempty"`
}

// LastModified returns the Last-Modified header of the last whole answer, to the letter. Conditional requests repeat
// it, because some servers know only their own spelling.
func (s *Seen) LastModified() string {
	if s.Validators.Written != "" {
		return s.Validators.Written
	}
	if t, err := time.Parse(storage.TimeLayout, s.HTTPLastModified); err == nil {
		return t.Format(http.TimeFormat)
	}
	return ""
}

// SetLastModified records a Last-Modified header: its time in HTTPLastModified, and the header itself where it is
// spelled in another way or contains no time.
func (s *Seen) SetLastModified(header string) {
	s.HTTPLastModified, s.Validators.Written = "", header
	t, err := http.ParseTime(header)
	if err != nil {
		return
	}
	s.HTTPLastModified = t.UTC().Format(storage.TimeLayout)
	if s.Validators.Written = ""; s.LastModified() != header {
		s.Validators.Written = header
	}
}

// Served returns the hash of the body that the source last answered with, given the hash of the item's content; "" if
// none is stored.
func (v Validators) Served(rawHash string) string {
	if rawHash == "" {
		return ""
	}
	return cmp.Or(v.Body, rawHash)
}

// Lied reports whether the validators were seen to stay the same while the content changed.
func (v Validators) Lied() bool { return !v.LiedAt.IsZero() }

// Unsent returns the state after a check whose answer had no body, because the source said that nothing has changed.
func (v Validators) Unsent(now time.Time) Validators {
	if v.Checks++; v.WholeAt.IsZero() { // a row from before this was counted
		v.WholeAt = now
	}
	return v
}

// Whole returns the state after a check whose answer had a body.
func (v Validators) Whole(now time.Time) Validators {
	v.WholeAt, v.Checks = now, 0
	return v
}

// BelievesHead reports whether the answer to a HEAD request may show that the page is unchanged.
func (v Validators) BelievesHead() bool { return v.Proven && !v.Lied() && v.Length != "" && !v.NoHead }

// Why describes for people what was found out.
func (v Validators) Why() string {
	switch {
	case v.Blind:
		return "ETag and Last-Modified stayed the same while the text changed, first on " + dayOf(v.LiedAt) +
			": they are not believed, and each check gets the whole page"
	case v.Lied():
		return "ETag and Last-Modified stayed the same while the bytes changed, first on " + dayOf(v.LiedAt) +
			": the answer to a HEAD request is not believed"
	case v.WholeAt.IsZero():
		return ""
	}
	text := "ETag and Last-Modified have not been seen to change yet"
	if v.Proven {
		text = "ETag and Last-Modified change together with the content"
	}
	return fmt.Sprintf("%s; %s without the whole page since %s", text, words.Count(v.Checks, "check"), dayOf(v.WholeAt))
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }
