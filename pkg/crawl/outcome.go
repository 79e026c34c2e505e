package crawl

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/schedule"
)

// outcome is what a check found out. The zero outcome is none yet: the check goes on.
type outcome struct {
	kind       schedule.Outcome
	why        string        // for people
	retryAfter time.Duration // the pause that the source asked for
	note       string        // for the history, where that says more than why
	change     string        // why the content is news; empty where it is not
	images     string        // why the images are, though the text is not
	store      bool          // the body is to be stored
	refresh    bool          // the index is to hold what was read now
}

// collapsed is the outcome of a page that shows what its host shows for pages that do not exist. It
// counts as one that is missing.
const collapsed schedule.Outcome = "collapsed"

// Why content is news.
const (
	firstContent = "fetched for the first time"
	newContent   = "the content is different"
)

func (o outcome) decided() bool { return o.kind != "" }

// failed is the outcome of a check that came to nothing.
func failed(format string, args ...any) outcome {
	return outcome{kind: schedule.Failed, why: fmt.Sprintf(format, args...)}
}

func unchanged(why string) outcome { return outcome{kind: schedule.Unchanged, why: why} }

func missing(how string) outcome { return outcome{kind: schedule.Missing, why: how} }

func excluded(why string) outcome { return outcome{kind: schedule.OutOfScope, why: why} }
