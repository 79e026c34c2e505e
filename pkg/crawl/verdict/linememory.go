package verdict

import (
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/policy/change"
	"github.com/tidemark/tidemark/pkg/registry"
)

// TeachesLines reports whether the difference between two texts is held against what is remembered of the page's lines.
// What a person hides is not, nor is a watched part of a few words, or one that was empty: who watches such a part
// wants all that moves there.
func TeachesLines(o Outcome, t *Texts) bool {
	const few = 12 // words
	return t != nil && o.News.Silenced == "" &&
		(!o.News.Part || t.Before != "" && len(strings.Fields(t.Now)) > few)
}

// SeeLines holds the difference between two texts against what is remembered of the page's lines. It returns the memory
// with the difference, and the outcome, which says whether something is told by default.
func SeeLines(it *registry.Item, m linememory.Memory, t *Texts, o Outcome, at time.Time) (
	linememory.Memory, linememory.Verdict, Outcome) {
	check := linememory.After(it.Saw, at)
	before, now := t.readings()
	m, seen := m.With(it.Decided).See(before, now, check)
	it.Moving = it.Moving.Sum(m, check)
	if seen.Small == linememory.Order {
		o.News.Kind, o.News.Why = change.Moved, change.Moved.Why(change.Extent{})
	}
	if seen.Small != "" {
		o.News.Small = &feed.Small{Why: feed.Why(seen.Small), What: seen.What}
	}
	o.News.Again = seen.Again
	if rule := it.Moving.Offer(it.Language); rule != "" && it.Moving.Last.Unix() > it.Saw.At.Unix() {
		o.News.Why += "; this moves often: ignore it? The pattern would be " + rule
	}
	return m, seen, o
}

// readings returns the texts as they are held against the memory. What stands beside the main content is known for
// whole pages only: a watched part is content.
func (t *Texts) readings() (before, now linememory.Reading) {
	links := map[string]bool{}
	for _, l := range slices.Concat(t.was.Links, t.is.Links) {
		links[linememory.LineOf(l.Text)] = true
	}
	reading := func(text string, doc extract.Document) linememory.Reading {
		text = words.Clip(text, maxCompared)
		r := linememory.Reading{Text: text, Beside: len(text), IsLink: func(line string) bool { return links[line] }}
		if main := doc.MainText(); !t.part && strings.HasPrefix(text, main) {
			r.Beside = len(main)
		}
		return r
	}
	return reading(t.Before, t.was), reading(t.Now, t.is)
}

// CountedSince returns an item whose checks are counted from a time on, as far as they are known: how many there were
// is known by the item's interval alone if the item is from before they were counted.
func CountedSince(it *registry.Item, from time.Time) registry.Item {
	out := *it
	out.Saw.Number = max(it.Saw.Number, 1+checksSince(it, from))
	if out.Saw.At.IsZero() {
		out.Saw.At = it.LastChecked
	}
	return out
}

// CheckOf returns the check that found the capture of an edge, after another one, as far as that is known: the checks
// between two captures are not, so the item's interval says how many there were. The last check of the edges is the
// item's last.
func CheckOf(it *registry.Item, edge lineage.Edge, before linememory.Check) linememory.Check {
	number := it.Saw.Number - checksSince(it, edge.At)
	check := linememory.After(before, edge.At)
	check.Number = max(number, before.Number+1)
	return check
}

// SawAfter returns the last check that saw an item, after the check that found its last capture: the checks of the
// captures come before those that were counted.
func SawAfter(it *registry.Item, last linememory.Check) linememory.Check {
	saw := it.Saw
	saw.Number = max(saw.Number, last.Number)
	saw.Close += last.Close
	return saw
}

// checksSince returns the number of checks since a time, at the item's present interval.
func checksSince(it *registry.Item, at time.Time) int {
	every := max(time.Duration(it.CrawlIntervalSeconds)*time.Second, time.Minute)
	return int(it.LastChecked.Sub(at) / every)
}

// secondCheck is the time after which a page is asked a second time, and oncePer the least time between two such looks.
const (
	secondCheck = 15 * time.Minute
	oncePer     = 30 * 24 * time.Hour
)

// checkAgain plans a second check at a page whose lines move at each check, unless people have set the times of its
// checks, or the next one comes as soon.
func checkAgain(it *registry.Item, b Basis, again bool, now time.Time) {
	at := now.Add(secondCheck)
	if !again || it.Paused || b.Options.HasTimes() || !it.NextCrawlAt.After(at) ||
		now.Sub(it.Moving.SecondCheck) < oncePer {
		return
	}
	it.Moving.SecondCheck = now
	it.CheckAt(at)
	it.Record(now, "scheduled", "a second check in 15 minutes, to see whether what has moved moves at each check")
}
