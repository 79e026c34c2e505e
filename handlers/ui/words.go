package ui

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// helpers are what templates call.
var helpers = template.FuncMap{
	"ago": ago, "stamp": stamp, "iso": iso, "span": spanOf, "bytes": size, "thousands": words.Thousands,
	"percent": percent,
	"count":   words.Count, "tone": tone, "external": external, "short": short, "meaning": meaning, "marked": marked,
	"address": api.Address, "statuses": api.Statuses,
	"pct": share, "add": func(a, b int) int { return a + b }, "dash": dash, "since": since, "verdict": verdict,
	"bar": newBar, "stateTone": stateTone, "foundByRun": foundByRun, "foundAt": foundAt, "some": someOf,
	"changeTitle": changeTitle, "changeExtent": changeExtent, "dayName": dayName, "kindTone": kindTone,
	"kindWord": kindWord, "sharePercent": sharePercent, "kindChoices": kindChoices, "rhythms": rhythms,
	"name": titleOf, "changeTypes": func() []string { return []string{"url", "file", "entry"} },
	"entryTitle": entryTitle, "at": at, "known": known, "importBar": importBar, "spells": func() any { return spells },
	"changeRate": changeRate, "extent": extent, "found": foundAs, "modes": modes, "rebuildName": rebuildName,
	"rebuildBar": rebuildBar, "bulkName": bulkName, "bulkBar": bulkBar, "said": said, "listBar": listBar,
	"holds": effectiveFacts,
	"facts": func(s api.TagSettings) []fact { return facts(s, nil) }, "besides": besides,
	"phase": phase, "rfc3339": rfc3339, "int": func(n int64) int { return int(n) },
	"of": func(items map[api.Status]int, s api.Status) int { return items[s] },
}

// choice is one of a select.
type choice struct{ Value, Text string }

// since are the ages that a search can be narrowed to.
func since() []choice {
	return []choice{{"", "any time"}, {"day", "today"}, {"week", "this week"}, {"month", "this month"},
		{"year", "this year"}}
}

// foundAs are the types that a search can be narrowed to.
func foundAs() []choice {
	return []choice{{"", "anything"}, {api.TypePage, "pages"}, {api.TypeEntry, "entries"}}
}

// known is a number or a flag that may be missing, in words.
func known(v any) string {
	switch v := v.(type) {
	case *int64:
		if v != nil {
			return words.Thousands(int(*v))
		}
	case *float64:
		if v != nil {
			return fmt.Sprintf("%.2f", *v)
		}
	case *bool:
		if v != nil {
			return map[bool]string{true: "yes", false: "no"}[*v]
		}
	}
	return "–"
}

// modes are where a backfill can find pages.
func modes() []choice {
	return []choice{{"SITEMAP", "sitemaps and feeds"}, {"ARCHIVE", "archives by date"}, {"PAGINATION", "listings"},
		{"CONTAINER", "containers of blobs"}}
}

// flashes are what pages say after an action, by the name in their address.
var flashes = map[string]string{
	"filter-kept":      "The filter is saved. Only you can see it.",
	"filter-forgotten": "The filter is deleted.",
	"site-added":       "The site is added. Tidemark is looking for its pages.",
	"site-looked":      "Tidemark is looking for new pages of the site.",
	"site-removed":     "The site is removed. Its pages stay and are watched as before.",

	"added":     "Registered. It will be fetched as soon as its host allows.",
	"forced":    "It will be fetched and indexed again, even if it has not changed.",
	"check":     "It will be checked now.",
	"removed":   "The item will be gone within seconds, and every stored version is deleted.",
	"ignored":   "Lines like these are ignored from now on.",
	"counted":   "Lines like these count again.",
	"settings":  "Saved.",
	"tag-saved": "Saved.", "tag-removed": "The settings of the tag are removed.",
	"paused": "Paused. It is checked only on request.", "resumed": "Resumed. Checks follow their schedule again.",
	"accepted":  "The page is accepted as it is. It will be checked now.",
	"run-pause": "The run pauses before its next step.", "run-resume": "The run continues.",
	"run-cancel": "The run ends before its next step.",
	"described":  "The entry is described.",
	"batch-cancel": "The batch is being cancelled. Answers that arrive before it ends are used; " +
		"other entries stay as they were.",
	"delivery-retry": "The message is being sent again.", "rule-remove": "The rule is removed.",
	"rule-save": "The rule is saved. It applies to changes from now on.", "channel-remove": "The channel is removed.",
	"channel-save": "The channel is saved. Send a test to see whether it works.",
	"test-on":      "Test mode is on: entries go to the test tables.", "test-off": "Test mode is off.",
}

// stamp writes a moment to the second, in UTC.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// iso is a moment for machines.
func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// rfc3339 is a time as forms send it; "" for none.
func rfc3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return iso(t)
}

// ago says in words how far t is from now.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return words.Relative(now, t)
}

// spanOf says a number of seconds in words.
func spanOf(seconds int64) string {
	if seconds < 1 {
		return "less than a second"
	}
	return words.Span(time.Duration(seconds) * time.Second)
}

// size writes a number of bytes with three digits at most.
func size(n int64) string {
	f, units := float64(n), []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; f >= 1000 && i+1 < len(units); i++ {
		f /= 1024
	}
	if i == 0 || f >= 100 {
		return fmt.Sprintf("%.0f %s", f, units[i])
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}

func percent(share float64) string {
	if p := share * 100; p > 0 && p < 1 {
		return "< 1 %"
	}
	return fmt.Sprintf("%.0f %%", share*100)
}

// share is part of whole in percent, for the width of a bar.
func share(part, whole int) float64 {
	if whole <= 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// short is the beginning of a digest, enough to tell it from others.
func short(digest string) string { return digest[:min(12, len(digest))] }

// tone is the class of a status's colour.
func tone(s api.Status) string {
	switch s {
	case api.StatusIndexed:
		return "good"
	case api.StatusError:
		return "bad"
	case api.StatusPending, api.StatusCrawled:
		return "wait"
	}
	return "quiet"
}

// stateTone is the class of the colour of how far a run, a source, a rebuild, a batch, an import or one of its
// lines is.
func stateTone(state string) string {
	switch strings.ToLower(state) {
	case "completed", "done", "enriched", "sent":
		return "good"
	case "failed":
		return "bad"
	case "cancelled", "skipped":
		return "quiet"
	}
	return "wait"
}

// bar is how far something is, for people who look and for those who listen.
type bar struct {
	Done, Of int // no end is known when Of is 0
	What     string
}

func newBar(done, of int, what string) bar { return bar{min(done, of), of, what} }

// meaning says what a status means for whoever looks.
func meaning(s api.Status) string {
	return map[api.Status]string{
		api.StatusIndexed: "found by searches", api.StatusCrawled: "fetched and stored, not indexed yet",
		api.StatusPending:    "registered, not fetched yet",
		api.StatusError:      "the last check failed; it will be retried",
		api.StatusOutOfScope: "excluded by robots.txt, noindex or a rule, or another item stands for it",
		api.StatusGone:       "missing on several checks in a row; still checked occasionally",
	}[s]
}

// external is a crawled address that may be followed; "" for one that may not.
func external(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return u.String()
}

// piece is a part of a passage, found or not.
type piece struct {
	Text string
	Hit  bool
}

// marked cuts a passage at its highlights. Ranges that a passage does not have are left out.
func marked(p api.Passage) []piece {
	var out []piece
	at := 0
	for _, r := range p.Highlights {
		if r.From < at || r.To > len(p.Text) || r.From >= r.To {
			continue
		}
		out = append(out, piece{p.Text[at:r.From], false}, piece{p.Text[r.From:r.To], true})
		at = r.To
	}
	return append(out, piece{strings.ToValidUTF8(p.Text[at:], "�"), false})
}

// verdict says what a robots.txt means for us.
func verdict(v string) string {
	known := map[string]string{"body": "followed as shown below", "allow": "there is none, so everything may be fetched",
		"disallow": "it cannot be fetched, so nothing else is fetched for now"}
	if text, ok := known[v]; ok {
		return text
	}
	return v
}
