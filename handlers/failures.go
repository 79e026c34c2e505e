package handlers

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/handlers/wire"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
)

// failures lists the pages that began to fail, a host and an hour at a time. They are in the feed already, so that the
// list needs no rows of its own and outlives the process.
func (h *changeHandlers) failures(ctx context.Context, q api.FailureQuery) (page api.FailurePage, err error) {
	filter, err := feed.NewFilter(api.ChangeFilter{Host: q.Host, Kind: string(api.ChangeFailing)})
	if err != nil {
		return page, err
	}
	since, err := wire.Since("since", q.Since, time.Now())
	if err != nil {
		return page, err
	}
	begin, err := parseFailureStart(q.Continuation)
	if err != nil {
		return page, fault.Field("continuation", "continuation: %w", err)
	}
	if begin.after == (feed.Position{}) {
		if begin.after, err = h.Feed.End(ctx); err != nil {
			return page, err
		}
	}
	l := failureList{FailurePage: api.FailurePage{Failures: []api.Failure{}}, top: q.Top, start: begin}
	filter = filter.During(since, time.Time{})
	scanned, last := 0, begin.after
	for c, err := range h.Feed.Newest(ctx, begin.after) {
		if err != nil {
			return page, err
		}
		if !since.IsZero() && c.At.Before(since.Add(-clocksDiffer)) {
			break
		}
		if hour := c.At.Truncate(time.Hour); l.hour.IsZero() || hour.Before(l.hour) {
			if !l.hour.IsZero() && l.end(last, scanned >= maxScannedChanges) {
				return l.FailurePage, nil
			}
			l.hour = hour
		}
		if filter.Wants(c) && (q.Kind == "" || c.Cause == q.Kind) {
			l.add(c)
		}
		scanned, last = scanned+1, c.Position
	}
	if !l.end(last, false) || l.start.after == last { // nothing follows the last hour
		l.Continuation = ""
	}
	return l.FailurePage, nil
}

// failureStart is where a page of failures begins: after a number of failures of the hour that follows a position in
// the feed. Pages are cut within an hour, because it may have more hosts than a page has failures.
type failureStart struct {
	after feed.Position
	skip  int
}

func (p failureStart) String() string { return fmt.Sprintf("%s-%d", p.after, p.skip) }

func parseFailureStart(text string) (p failureStart, err error) {
	if text == "" {
		return p, nil
	}
	at, n, _ := strings.Cut(text, "-")
	if p.after, err = feed.ParsePosition(at); err != nil {
		return p, err
	}
	if p.skip, err = strconv.Atoi(n); err != nil || p.skip < 0 {
		return p, fault.New(fault.Invalid, "%.40q is no place in the list", text)
	}
	return p, nil
}

// failureList gathers the changes of an hour, and ends when there are enough failures. Changes are only roughly in
// order of time: one that is newer than those before it belongs to their hour, so that the hours are the same on every
// page.
type failureList struct {
	api.FailurePage
	top   int
	start failureStart // where the hour begins
	hour  time.Time    // zero before the first change
	found []api.Failure
}

// add adds a change, which is older than those before it.
func (l *failureList) add(c feed.Change) {
	i := slices.IndexFunc(l.found, func(f api.Failure) bool { return f.Host == c.Host })
	if i < 0 {
		i = len(l.found)
		l.found = append(l.found, api.Failure{})
	}
	l.found[i] = api.Failure{At: c.At, Kind: c.Cause, Host: c.Host, Count: l.found[i].Count + 1, First: c.Why,
		ItemID: c.ItemID}
}

// end adds the failures of the hour, which ends after a position, to the page. It reports whether the page ends there.
func (l *failureList) end(after feed.Position, enough bool) bool {
	rest := l.found[min(l.start.skip, len(l.found)):]
	fit := min(len(rest), l.top-len(l.Failures))
	l.Failures = append(l.Failures, rest[:fit]...)
	if fit < len(rest) {
		l.start.skip += fit
	} else {
		l.start, l.found = failureStart{after: after}, nil
	}
	l.Continuation = l.start.String()
	return enough || fit < len(rest) || len(l.Failures) == l.top
}
