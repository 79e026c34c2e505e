package backfill

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// paceOf returns the pace of the host of a source, for estimates.
type paceOf func(source string) policy.Politeness

// reportOf describes the result of a run, one line each, in the words of spec 004 OPS-1. For a dry run it describes
// what a real run would do.
func reportOf(r Run, pace paceOf) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, "[backfill] "+fmt.Sprintf(format, args...)) }
	if r.DryRun {
		say("DRY RUN - no jobs will be queued")
	}
	for _, p := range r.Progress {
		say("Discovered %s from %s", words.Count(p.Discovered, "URL"), p.Source)
		if p.Note != "" { // the reason why the source ended early
			say("%s: %s", p.Source, p.Note)
		}
	}
	if !r.DryRun {
		say("Queued %s (%s)", words.Count(r.Queued, "new item"), exist(r.Skipped))
	} else {
		say("Would queue %s (%s)", words.Count(r.Queued, "new item"), exist(r.Skipped))
		if r.Queued > 0 {
			say("Fetching them would take %s%s", long(r.estimate(pace)), r.size())
		}
	}
	if n := r.Reasons[fullHost]; n > 0 {
		say("Refused %s: %s", words.Thousands(n), fullHost)
	}
	if left := r.Excluded + r.Trapped + r.Duplicates; left > 0 {
		say("Passed over %s: %s excluded, %s, %s", words.Thousands(left), words.Thousands(r.Excluded),
			words.Count(r.Trapped, "trap"), words.Count(r.Duplicates, "duplicate"))
	}
	say("Read %s (%s) with %s; %s", words.Count(r.Documents, "document"), words.Count(int(r.Bytes), "byte"),
		words.Count(r.Requests, "request"), words.Count(r.Errors, "error"))
	return out
}

func exist(n int) string {
	if n == 1 {
		return "1 already exists"
	}
	return words.Thousands(n) + " already exist"
}

// long formats an estimate, which is a sum of pauses. If there are no pauses, the text states that only the sites'
// answers take time.
func long(d time.Duration) string {
	if d < time.Second {
		return "as long as the sites need to answer, as there are no pauses between requests"
	}
	return "about " + d.String()
}

// estimate returns how long fetching the new pages will take at the pace of their sites. It assumes that the sites
// are fetched in parallel.
func (r *Run) estimate(pace paceOf) time.Duration {
	var longest time.Duration
	for _, p := range r.Progress {
		pace := pace(p.Source)
		each := (pace.MinDelay + max(pace.MinDelay, pace.MaxDelay)) / 2
		longest = max(longest, time.Duration(p.Queued)*each)
	}
	return longest.Round(time.Second)
}

// size estimates the bytes of the new pages from the sizes of known pages.
func (r *Run) size() string {
	if r.KnownPages == 0 {
		return ""
	}
	return fmt.Sprintf("; they have about %s", words.Count(int(int64(r.Queued)*r.KnownBytes/int64(r.KnownPages)), "byte"))
}
