package backfill

import (
	"fmt"
	"time"
)

// Report tells what a run came to, a line each, in the words of seed 004 OPS-1. Of a dry run that is
// what would be done.
func (s *Service) Report(r Run) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, "[backfill] "+fmt.Sprintf(format, args...)) }
	if r.DryRun {
		say("DRY RUN - no jobs will be queued")
	}
	for _, p := range r.Progress {
		say("Discovered %d URLs from %s", p.Discovered, p.Source)
	}
	if !r.DryRun {
		say("Queued %d new items (%d already exist)", r.Queued, r.Skipped)
	} else {
		say("Would queue %d new items (%d already exist)", r.Queued, r.Skipped)
		if r.Queued > 0 {
			say("Fetching them would take about %s%s", s.estimate(r), r.size())
		}
	}
	if n := r.Reasons[fullHost]; n > 0 {
		say("Refused %d: %s", n, fullHost)
	}
	if left := r.Excluded + r.Trapped + r.Duplicates; left > 0 {
		say("Passed over %d: %d excluded, %d traps, %d duplicates", left, r.Excluded, r.Trapped, r.Duplicates)
	}
	say("Read %d documents (%d bytes) with %d requests; %d errors", r.Documents, r.Bytes, r.Requests, r.Errors)
	return out
}

// estimate is how long the sites' pace makes fetching what is new last. Sites are asked side by side.
func (s *Service) estimate(r Run) time.Duration {
	var longest time.Duration
	for _, p := range r.Progress {
		found := s.o.Sites.Find(p.Source)
		if found == nil {
			continue
		}
		pace := s.o.Pace(found.Domain)
		each := (pace.MinDelay + max(pace.MinDelay, pace.MaxDelay)) / 2
		longest = max(longest, time.Duration(p.Queued)*each)
	}
	return longest.Round(time.Second)
}

// size estimates the bytes of what is new from those of the pages that are known.
func (r *Run) size() string {
	if r.KnownPages == 0 {
		return ""
	}
	return fmt.Sprintf(" and give some %d bytes", int64(r.Queued)*r.KnownBytes/int64(r.KnownPages))
}
