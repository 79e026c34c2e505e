package client

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
)

const showLong = `Show everything known about one source: its status, its settings, the result of the
last fetch, its schedule, and its captures.`

func showCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "show ID|SOURCE",
		Short: "Show everything known about one source",
		Long:  showLong,
		Example: "  tidemark show https://example.com/news\n  tidemark show url_k7gxn3…\n  tidemark show url_k7gxn3… " +
			"--json | jq .captures",
		Args: command.One("id or source"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return showItem(cmd.Context(), t, s, args[0], all)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, fmt.Sprintf("read all captures, not only the newest %s",
		words.Thousands(api.MaxPast)))
	return cmd
}

func showItem(ctx context.Context, t *terminal.Terminal, s *command.Server, id string, all bool) error {
	item, err := getItem(ctx, s, id)
	if err == nil && all {
		err = s.Client().Past(ctx, &item)
	}
	if err != nil {
		return err
	}
	sayFields(t, fields(t.Now(), item))
	if len(item.Captures) > 0 {
		t.Say("\n%s", words.Count(len(item.Captures), "capture"))
	}
	for _, c := range item.Captures {
		again := ""
		if !c.ReprocessedAt.IsZero() {
			again = ", reprocessed " + terminal.Stamp(c.ReprocessedAt)
		}
		if c.PlainSHA256 != "" {
			again += fmt.Sprintf(", as a browser showed it; the source sent %.12s", terminal.Clean(c.PlainSHA256))
		}
		t.Say("  %s  %.12s  %s bytes  %s%s", terminal.Stamp(c.CapturedAt), terminal.Clean(c.SHA256),
			words.Thousands(int(c.Bytes)),
			terminal.Clean(c.MimeType), again)
	}
	if !all && len(item.Captures) == api.MaxPast {
		t.Say("  and older ones, if there are any; --all has them")
	}
	showChanges(t, item.Changes)
	for _, e := range item.Lineage[:min(len(item.Lineage), shownEdges)] {
		t.Say("  %s  %s supersedes %s: %s", terminal.Stamp(e.At), captureName(item.ID, e.Newer), captureName(item.ID,
			e.Older),
			terminal.Clean(e.Meta.Reason))
	}
	if more := len(item.Lineage) - shownEdges; more > 0 {
		t.Say("  and %d before; --json has them", more)
	}
	if n := len(item.History); n > 0 {
		t.Say("\nlast decision: %s; `tidemark why %s` lists all", decisionText(item.History[n-1]),
			terminal.Clean(item.ID))
	}
	return nil
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
		if c.Fields != "" {
			how += "  " + terminal.Clean(c.Fields)
		}
		t.Say("  %s  %.12s  %s%s", terminal.Stamp(c.At), terminal.Clean(c.SHA256), terminal.Clean(string(c.Kind)), how)
	}
	if more := len(changes) - shownEdges; more > 0 {
		t.Say("  and %d changes before; --json has them", more)
	}
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
	var out []string
	if u.Moved > 0 {
		out = append(out, fmt.Sprintf("furniture and text that changes by itself moved %s, last %s",
			words.Count(u.Moved, "time"), terminal.Moment(now, u.Last)))
	}
	if u.Unread != "" {
		out = append(out, "text in "+u.Unread+", unless a selector asks for it")
	}
	for _, f := range u.Folded {
		out = append(out, fmt.Sprintf("%q (%s)", f.Line, f.Rule))
	}
	return strings.Join(out, "; ")
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
	if l.RefusedMore > 0 {
		out = append(out, "and "+words.Count(l.RefusedMore, "more entry"))
	}
	return strings.Join(out, "; ")
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

// unlinked says since when no page links to a page.
func unlinked(now, since time.Time) string {
	if since.IsZero() {
		return ""
	}
	return "no page of its site links to it any more, since " + terminal.Moment(now, since) + "; it stays"
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
		{"watch broken", whyIf(it.WatchBroken, it)},
		{"collapsed", whyIf(it.Collapsed && !it.WatchBroken, it)},
		{"thin", whyIf(it.Thin && !it.Collapsed && !it.WatchBroken, it)},
		{"not indexed", it.NotIndexed},
		{"cut", it.Cut},
		{"passed over", passedOver(detail.Folder)},
		{"unlinked", unlinked(now, it.UnlinkedSince)},
		{"not registered", refusedEntries(detail.List)},
		{"not compared", uncompared(now, it.Uncompared)},
		{"offer", offer(it.Offer)},
	}
	all = append(append(all, valueFields(now, it.Fields)...), field{"not read", unreadDataText(it.UnreadData)})
	all = append(all, renderedFields(now, detail)...)
	all = append(all, settingFields(detail)...)
	return append(all, []field{
		{"next check", terminal.Moment(now, it.NextCrawlAt)},
		{"interval", interval(it.CrawlIntervalSeconds)},
		{"last checked", terminal.Moment(now, it.LastChecked)},
		{"last changed", terminal.Moment(now, it.LastChanged)},
		{"last indexed", terminal.Moment(now, it.LastIndexed)},
		{"first seen", terminal.Moment(now, it.FirstSeen)},
		{"force", force(it)},
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
		if value := terminal.Clean(f.value); value != "" {
			t.Say("%-14s %s", f.name, value)
		}
	}
}

func whyIf(yes bool, it api.Item) string {
	if !yes {
		return ""
	}
	return it.Why
}

// day formats a date from a page. Such a date often has no time of day.
func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}

func interval(seconds int64) string {
	if seconds <= 0 {
		return ""
	}
	return "every " + words.Span(time.Duration(min(seconds, 1e9))*time.Second)
}

func failure(it api.Item) string {
	if it.ErrorMessage == "" || it.CrawlAttempts == 0 {
		return it.ErrorMessage
	}
	checks := words.Count(it.CrawlAttempts, "check")
	return fmt.Sprintf("%s (%s in a row failed or found no page)", it.ErrorMessage, checks)
}

func force(it api.Item) string {
	if !it.ReindexRequested {
		return ""
	}
	return fmt.Sprintf("asked for (generation %d)", it.ReindexGeneration)
}

func answer(it api.Item) string {
	if it.HTTPStatusCode == 0 {
		return ""
	}
	text := fmt.Sprint(it.HTTPStatusCode)
	if it.HTTPContentLength != nil {
		text += fmt.Sprintf(", %s bytes", words.Thousands(int(*it.HTTPContentLength)))
	}
	if !it.HTTPLastModified.IsZero() {
		text += ", modified " + terminal.Stamp(it.HTTPLastModified)
	}
	return text
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

func positive(n int) string {
	if n <= 0 {
		return ""
	}
	return words.Thousands(n)
}
