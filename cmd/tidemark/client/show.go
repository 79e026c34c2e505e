package client

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
)

const showHelp = `show ID|SOURCE
Show everything known about one source

Show everything known about one source: its status, its settings, the result of the
last fetch, its schedule, and its captures.

  tidemark show https://example.com/news
  tidemark show url_k7gxn3…
  tidemark show url_k7gxn3… --json | jq .captures`

func showCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var all bool
	cmd := command.New(showHelp, command.One("id or source"), func(ctx context.Context, args []string) error {
		item, err := getItem(ctx, s, args[0])
		if err == nil && all {
			err = s.Client().Past(ctx, &item)
		}
		if err == nil {
			showItem(t, item, all)
		}
		return err
	})
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("read all captures, not only the newest %s",
		words.Thousands(api.MaxPast)))
	return cmd
}

func showItem(t *terminal.Terminal, item api.ItemDetail, all bool) {
	sayFields(t, fields(t.Now(), item))
	t.SayWhen(len(item.Captures) > 0, "\n%s", words.Count(len(item.Captures), "capture"))
	for _, c := range item.Captures {
		again := terminal.When(!c.ReprocessedAt.IsZero(), ", reprocessed %s", terminal.Stamp(c.ReprocessedAt)) +
			terminal.When(c.PlainSHA256 != "", ", as a browser showed it; the source sent %.12s",
				terminal.Clean(c.PlainSHA256))
		t.Say("  %s  %.12s  %s bytes  %s%s", terminal.Stamp(c.CapturedAt), terminal.Clean(c.SHA256),
			words.Thousands(int(c.Bytes)), terminal.Clean(c.MimeType), again)
	}
	t.SayWhen(!all && len(item.Captures) == api.MaxPast, "  and older ones, if there are any; --all has them")
	showChanges(t, item.Changes)
	for _, e := range item.Lineage[:min(len(item.Lineage), shownEdges)] {
		t.Say("  %s  %s supersedes %s: %s", terminal.Stamp(e.At), captureName(item.ID, e.Newer),
			captureName(item.ID, e.Older), terminal.Clean(e.Meta.Reason))
	}
	more := len(item.Lineage) - shownEdges
	t.SayWhen(more > 0, "  and %d before; --json has them", more)
	if n := len(item.History); n > 0 {
		t.Say("\nlast decision: %s; `tidemark why %s` lists all", decisionText(item.History[n-1]),
			terminal.Clean(item.ID))
	}
}

// shownEdges limits the number of edges that are shown, and also the number of changes. The newest are shown.
const shownEdges = 10

// showChanges lists the latest changes.
func showChanges(t *terminal.Terminal, changes []api.Change) {
	for _, c := range changes[:min(len(changes), shownEdges)] {
		how := ""
		if c.WordsAdded != nil && c.WordsRemoved != nil && c.NewShare != nil && c.GoneShare != nil {
			how = fmt.Sprintf("  %s added, %s removed; %.0f %% new, %.0f %% gone", words.Count(*c.WordsAdded, "word"),
				words.Thousands(*c.WordsRemoved), 100**c.NewShare, 100**c.GoneShare)
		}
		how += terminal.When(c.Fields != "", "  %s", terminal.Clean(c.Fields))
		t.Say("  %s  %.12s  %s%s", terminal.Stamp(c.At), terminal.Clean(c.SHA256), terminal.Clean(string(c.Kind)), how)
	}
	more := len(changes) - shownEdges
	t.SayWhen(more > 0, "  and %d changes before; --json has them", more)
}

// captureName returns the beginning of a capture's digest. If the capture belongs to another item, it puts that
// item's id before the digest.
func captureName(item, capture string) string {
	of, digest := lineage.CaptureID(capture).Split()
	if of == item {
		return fmt.Sprintf("%.12s", terminal.Clean(digest))
	}
	return fmt.Sprintf("%.12s of %s", terminal.Clean(digest), terminal.Clean(of))
}

// uncompared says what is not compared, and how often only that has changed.
func uncompared(now time.Time, u *api.Uncompared) string {
	if u == nil {
		return ""
	}
	out := []string{terminal.When(u.Moved > 0, "furniture and text that changes by itself moved %s, last %s",
		words.Count(u.Moved, "time"), terminal.Moment(now, u.Last)),
		terminal.When(u.Unread != "", "text in %s, unless a selector asks for it", u.Unread)}
	for _, f := range u.Folded {
		out = append(out, fmt.Sprintf("%q (%s)", f.Line, f.Rule))
	}
	return terminal.Join("; ", out...)
}

// refusedEntries says which entries of a list were not registered, and why.
func refusedEntries(l *api.ListState) string {
	if l == nil {
		return ""
	}
	var out []string
	for _, r := range l.Refused {
		out = append(out, r.URL+": "+r.Why)
	}
	return terminal.Join("; ", append(out, terminal.When(l.RefusedMore > 0, "and %s",
		words.Count(l.RefusedMore, "more entry")))...)
}

// passedOver says what the last listing of a folder passed over.
func passedOver(f *api.FolderState) string {
	if f == nil {
		return ""
	}
	var out []string
	for _, p := range f.PassedOver {
		out = append(out, fmt.Sprintf("%s %s (%q)", words.Thousands(p.Number), p.Why, p.Example))
	}
	return strings.Join(out, ", ")
}

// offer asks whether a number that moves each time is to be ignored.
func offer(o *api.IgnoreOffer) string {
	if o == nil {
		return ""
	}
	return fmt.Sprintf("%q moves each time: ignore it? The rule would be %s", o.Line, o.Ignore)
}

// A field is one known fact, printed on a line.
type field struct{ name, value string }

// fields returns what is known about an item, the most useful facts first.
func fields(now time.Time, detail api.ItemDetail) []field {
	it := detail.Item
	all := []field{
		{"id", it.ID},
		{"title", it.Title},
		{"source", sourceOf(it)},
		{"status", string(it.Status)},
		{"error", failure(it)},
		{"watch broken", terminal.When(it.WatchBroken, "%s", it.Why)},
		{"collapsed", terminal.When(it.Collapsed && !it.WatchBroken, "%s", it.Why)},
		{"thin", terminal.When(it.Thin && !it.Collapsed && !it.WatchBroken, "%s", it.Why)},
		{"not indexed", it.NotIndexed},
		{"cut", it.Cut},
		{"passed over", passedOver(detail.Folder)},
		{"unlinked", terminal.When(!it.UnlinkedSince.IsZero(),
			"no page of its site links to it any more, since %s; it stays", terminal.Moment(now, it.UnlinkedSince))},
		{"not registered", refusedEntries(detail.List)},
		{"not compared", uncompared(now, it.Uncompared)},
		{"offer", offer(it.Offer)},
	}
	for _, name := range slices.Sorted(maps.Keys(it.Fields)) {
		all = append(all, field{name, valueText(now, it.Fields[name])})
	}
	all = append(all, field{"not read", unreadDataText(it.UnreadData)})
	all = append(all, renderedFields(now, detail)...)
	all = append(all, settingFields(detail)...)
	return append(all, []field{
		{"next check", terminal.Moment(now, it.NextCrawlAt)},
		{"interval", interval(it.CrawlIntervalSeconds)},
		{"last checked", terminal.Moment(now, it.LastChecked)},
		{"last changed", terminal.Moment(now, it.LastChanged)},
		{"last indexed", terminal.Moment(now, it.LastIndexed)},
		{"first seen", terminal.Moment(now, it.FirstSeen)},
		{"force", terminal.When(it.ReindexRequested, "asked for (generation %d)", it.ReindexGeneration)},
		{"answer", answer(it)},
		{"etag", firstOf(it.HTTPETag, it.FileETag)},
		{"validators", it.Validators},
		{"redirects", strings.Join(it.HTTPRedirectChain, " → ")},
		{"robots.txt", robots(it.HTTPRobotsAllowed)},
		{"canonical", it.HTTPCanonicalURL},
		{"alias of", it.AliasOf},
		{"published", day(it.PublishedAt)},
		{"modified", day(it.ModifiedAt)},
		{"author", it.Author},
		{"site", it.SiteName},
		{"content", strings.TrimSpace(it.MimeType + " " + it.Language)},
		{"content hash", it.ContentHash},
		{"images", positive(it.ImageCount)},
	}...)
}

// sayFields prints the fields that have a value, one on a line.
func sayFields(t *terminal.Terminal, all []field) {
	for _, f := range all {
		value := terminal.Clean(f.value)
		t.SayWhen(value != "", "%-14s %s", f.name, value)
	}
}

// day formats a date from a page. Such a date often has no time of day.
func day(t time.Time) string {
	return terminal.When(!t.IsZero(), "%s", t.UTC().Format(time.DateOnly))
}

func interval(seconds int64) string {
	every := time.Duration(min(seconds, 1e9)) * time.Second
	return terminal.When(seconds > 0, "every %s", words.Span(every))
}

func failure(it api.Item) string {
	return it.ErrorMessage + terminal.When(it.ErrorMessage != "" && it.CrawlAttempts > 0,
		" (%s in a row failed or found no page)", words.Count(it.CrawlAttempts, "check"))
}

func answer(it api.Item) string {
	if it.HTTPStatusCode == 0 {
		return ""
	}
	text := fmt.Sprint(it.HTTPStatusCode)
	if it.HTTPContentLength != nil {
		text += fmt.Sprintf(", %s bytes", words.Thousands(int(*it.HTTPContentLength)))
	}
	return text + terminal.When(!it.HTTPLastModified.IsZero(), ", modified %s",
		terminal.Stamp(it.HTTPLastModified))
}

func robots(allowed *bool) string {
	switch {
	case allowed == nil:
		return ""
	case *allowed:
		return "allows it"
	default:
		return "forbids it"
	}
}

func positive(n int) string { return terminal.When(n > 0, "%s", words.Thousands(n)) }

// renderedFields says what a browser showed of an item, what that cost, and what may be missing.
func renderedFields(now time.Time, it api.ItemDetail) []field {
	r := it.Rendered
	if it.LacksBrowser() {
		return []field{{"in a browser", "not read, because none is set up: see `tidemark start --browser` or " +
			"RENDER_ENDPOINT"}}
	}
	if r == nil {
		return nil
	}
	how := "read " + terminal.Moment(now, r.At) + ", because " + r.Why
	if it.StaysThin() {
		how = "read " + terminal.Moment(now, r.At) + ", and it said no more there"
	} else if r.Needless {
		how = "needs none: it said the same in one " + terminal.Moment(now, r.At)
	}
	var refused []string
	for _, f := range r.Refused {
		refused = append(refused, f.Words())
	}
	cost := terminal.Join(", ", r.Seconds(), words.Count(r.Requests, "request"),
		words.Thousands(int(r.Bytes))+" bytes", r.Browser)
	return []field{{"in a browser", how}, {"may be missing", r.Lacks()}, {"refused", strings.Join(refused, "; ")},
		{"led to", r.URL}, {"render cost", cost},
		{"picture", terminal.When(r.PictureOnly, "it shows a picture, and hardly any text")},
		{"data", terminal.When(r.DataChanges, "changes while its own HTML stays the same, so each check renders it")}}
}
