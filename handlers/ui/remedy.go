package ui

import (
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// A problem is what keeps a page from being read as it should be, in plain words, and what a person can do about it.
type problem struct {
	What  string    // a sentence without a full stop
	More  string    // what follows from it
	Since time.Time // zero if that is not known
	Tone  string    // bad or warn

	Address bool   // the page may have a new address
	Browser string // why a browser may help; empty if none can
	Missing string // why no browser can read it
	Waits   bool   // it is tried again by itself
	Accept  bool   // the page can be accepted as it is
	Part    bool   // another part can be watched
	Stop    bool   // a person may want to stop watching the page
}

// problemOf returns the problem of an item; nil if there is none.
func problemOf(it api.ItemDetail) *problem {
	switch {
	case it.AliasOf != "":
		return &problem{What: "Another page stands for this one", More: reasonOf(it.ErrorMessage, it.SourceHost),
			Tone: "warn", Stop: true}
	case it.Status == api.StatusGone, it.Status == api.StatusError:
		p := &problem{What: reasonOf(it.ErrorMessage, it.SourceHost), Since: failingSince(it), Tone: "bad",
			Address: it.Type != api.TypeFile, Waits: true, Stop: true}
		if p.What == "" {
			p.What = "It cannot be read"
		}
		if p.More = "Nothing was read before."; len(it.Captures) > 0 {
			p.More = "Until then it could be read. Nothing changed is told meanwhile."
		}
		if !it.GuardedSince.IsZero() {
			p.More += " It stays in the searches for now: too many pages of its site went missing at once."
		}
		return p
	case it.WatchBroken:
		return &problem{What: "What is watched is not there", More: sentence(it.Why), Tone: "bad", Accept: true, Part: true,
			Address: it.Type != api.TypeFile, Stop: true}
	case it.WatchEmpty != nil:
		return &problem{What: "Nothing stands in what is watched", More: "You are told when something does.", Tone: "warn",
			Since: it.WatchEmpty.Since, Accept: it.WatchProblem() != "", Part: true}
	case it.Collapsed:
		return &problem{What: "Almost nothing is left of the page", More: sentence(it.Why) +
			" Searches find what stood there before until two more checks find the same.", Tone: "warn", Accept: true,
			Browser: "if it needs its scripts to show its text", Missing: it.NoBrowser}
	case it.Thin:
		return &problem{What: "Hardly any text can be read", More: sentence(it.Why), Tone: "warn",
			Browser: "most likely: the page shows its text by scripts", Missing: it.NoBrowser}
	case it.Status == api.StatusOutOfScope && it.Folder == nil:
		return &problem{What: leftOut(it), Tone: "warn", Stop: true, Address: it.Type != api.TypeFile}
	case it.NotIndexed != "" && it.Folder == nil:
		return &problem{What: "It is watched, and searches leave it out: " + it.NotIndexed, Tone: "warn"}
	}
	return nil
}

// leftOut says why a page is not read.
func leftOut(it api.ItemDetail) string {
	switch why := it.ErrorMessage + " " + it.NotIndexed; {
	case it.HTTPRobotsAllowed != nil && !*it.HTTPRobotsAllowed, strings.Contains(why, "robots.txt"):
		return "The site asks programs not to read this page, in its robots.txt"
	case strings.Contains(why, "noindex"):
		return "The page asks programs not to keep it (noindex)"
	case it.ErrorMessage != "":
		return "It is left out: " + it.ErrorMessage
	}
	return "It is left out of what is read"
}

// failingSince returns the time of the first of the checks in a row that failed; zero if the history does not reach
// back.
func failingSince(it api.ItemDetail) (since time.Time) {
	if !it.GoneSince.IsZero() {
		return it.GoneSince
	}
	for _, d := range slices.Backward(it.History) {
		switch {
		case slices.Contains(tries, d.What):
			if since = d.At; !d.Since.IsZero() {
				since = d.Since
			}
		case slices.Contains(readings, d.What):
			return since
		}
	}
	return since
}

// tries are decisions about checks that read nothing, and readings those about checks that read the page.
var (
	tries    = []string{"error", "failed", "missing", "held", "gone", "poisoned", "interrupted"}
	readings = []string{"unchanged", "changed", "indexed", "reverted", "crawled", "collapsed", "silenced"}
)

// A try is what came of a check.
type try struct {
	At   time.Time
	Text string
	Good bool
}

// triesOf returns what came of the last checks, the newest first.
func triesOf(it api.ItemDetail) (out []try) {
	for _, d := range slices.Backward(it.History) {
		good := slices.Contains(readings, d.What)
		if !good && !slices.Contains(tries, d.What) {
			continue
		}
		text := reasonOf(d.Why, it.SourceHost)
		if good {
			text = "read"
		}
		if out = append(out, try{d.At, text, good}); len(out) == 5 || good {
			break
		}
	}
	return out
}

// remedyHead is the line of a remedy that is seen before it is opened.
type remedyHead struct{ Icon, Text, Why string }

func newRemedyHead(icon, text, why string) remedyHead { return remedyHead{icon, text, why} }

// keepWords says what can stay when a page is no longer watched.
func keepWords(it itemData) string {
	if n := len(it.Captures); n > 0 {
		return "the " + words.Count(n, "reading") + " can stay"
	}
	return ""
}
