package client

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
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
	var capture api.CaptureID
	cmd := command.New(showHelp, command.One("id or source"), func(ctx context.Context, args []string) error {
		if capture.SHA256 != "" {
			return showCapture(ctx, t, s, args[0], capture)
		}
		if capture.Raw || capture.Plain {
			return command.Usagef("--raw and --plain are of one capture: give --capture")
		}
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
	cmd.Flags().StringVar(&capture.SHA256, "capture", "", "show the `CAPTURE` whose digest begins so")
	cmd.Flags().BoolVar(&capture.Raw, "raw", false, "with --capture: write its bytes")
	cmd.Flags().BoolVar(&capture.Plain, "plain", false, "with --capture: write the bytes that the source sent, of a "+
		"page that was rendered")
	return cmd
}

// showCapture shows what is known of a capture, or writes its bytes.
func showCapture(ctx context.Context, t *terminal.Terminal, s *command.Server, name string, q api.CaptureID) error {
	it, err := itemFrom(ctx, s, s.Silent(), name)
	if err == nil {
		err = s.Silent().Past(ctx, &it)
	}
	if err == nil {
		q.SHA256, err = captureOf(it, q.SHA256)
	}
	if err != nil {
		return err
	}
	if q.Raw || q.Plain {
		q.ID, q.Raw = it.ID, true
		body, err := api.GetCapture.Call(ctx, s.Silent(), q)
		if err == nil {
			_, err = t.Out.Write(body)
		}
		return err
	}
	c := it.Captures[slices.IndexFunc(it.Captures, func(c api.Capture) bool { return c.SHA256 == q.SHA256 })]
	if t.JSON {
		return json.NewEncoder(t.Out).Encode(c)
	}
	sayFields(t, factFields(t.Now(), form.Facts(c)))
	return nil
}

func showItem(t *terminal.Terminal, item api.ItemDetail, all bool) {
	sayFields(t, factFields(t.Now(), form.OfItem(item)))
	t.SayWhen(len(item.Captures) > 0, "\n%s", words.Count(len(item.Captures), "capture"))
	for _, c := range item.Captures {
		again := terminal.When(!c.ReprocessedAt.IsZero(), ", reprocessed %s", words.Stamp(c.ReprocessedAt)) +
			terminal.When(c.PlainSHA256 != "", ", as a browser showed it; the source sent %.12s",
				terminal.Clean(c.PlainSHA256))
		t.Say("  %s  %.12s  %s  %s%s", words.Stamp(c.CapturedAt), terminal.Clean(c.SHA256),
			words.Size(c.Bytes), terminal.Clean(c.MimeType), again)
	}
	t.SayWhen(!all && len(item.Captures) == api.MaxPast, "  and older ones, if there are any; --all has them")
	showChanges(t, item.Changes)
	for _, e := range item.Lineage[:min(len(item.Lineage), shownEdges)] {
		t.Say("  %s  %s supersedes %s: %s", words.Stamp(e.At), captureName(item.ID, e.Newer),
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
			how = fmt.Sprintf("  %s added, %s removed; %s new, %s gone", words.Count(*c.WordsAdded, "word"),
				words.Thousands(*c.WordsRemoved), words.Percent(*c.NewShare), words.Percent(*c.GoneShare))
		}
		how += terminal.When(c.Fields != "", "  %s", terminal.Clean(c.Fields))
		t.Say("  %s  %.12s  %s%s", words.Stamp(c.At), terminal.Clean(c.SHA256), terminal.Clean(string(c.Kind)), how)
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

// A field is one known fact, printed on a line.
type field struct{ name, value string }

// factFields returns facts to be printed, with the origin of a setting unless that is the item itself. Defaults of the
// app are left out.
func factFields(now time.Time, facts []form.Fact) (all []field) {
	for _, f := range facts {
		value := f.Text(now)
		if f.From != "" && !f.Own() {
			value += " (" + f.From + ")"
		}
		if f.From != "default" {
			all = append(all, field{f.Lowered(), value})
		}
	}
	return all
}

// sayFields prints the fields that have a value, one on a line.
func sayFields(t *terminal.Terminal, all []field) {
	for _, f := range all {
		value := terminal.Clean(f.value)
		t.SayWhen(value != "", "%-14s %s", f.name, value)
	}
}

func positive(n int) string { return terminal.When(n > 0, "%s", words.Thousands(n)) }

const whyHelp = `why ID|SOURCE
Show what was decided about one source, and why

Show how one source is watched, and what Tidemark decided about it, when and why,
newest last.

The last few dozen decisions are kept. Checks in a row that found nothing share a
line, which counts them. For older changes, see the captures in "tidemark show".

  tidemark why https://example.com/news
  tidemark why url_k7gxn3…`

func whyCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(whyHelp, command.One("id or source"), func(ctx context.Context, args []string) error {
		item, err := getItem(ctx, s, args[0])
		if err == nil {
			explainItem(ctx, t, s, item)
		}
		return err
	})
}

func explainItem(ctx context.Context, t *terminal.Terminal, s *command.Server, item api.ItemDetail) {
	now := t.Now()
	t.Say("%s  %s", terminal.Clean(string(item.Status)), nameOf(item.Item))
	sayWatch(ctx, t, s, item)
	t.SayWhen(len(item.History) == 0, "nothing was decided yet")
	for _, d := range item.History {
		t.Say("%s  %14s  %s", words.Stamp(d.At), words.Relative(now, d.At), decisionText(d))
	}
	switch next := item.NextCrawlAt; {
	case !next.IsZero():
		t.Say("%s  %14s  next check", words.Stamp(next), words.Relative(now, next))
		sayPause(ctx, t, s, item.SourceHost)
	case item.Paused:
		t.Say("paused: no check until somebody asks for one")
	default:
		t.Say("no further check is planned")
	}
}

// sayWatch says how a source is watched, whether its watch is broken, and until when its messages are muted.
func sayWatch(ctx context.Context, t *terminal.Terminal, s *command.Server, item api.ItemDetail) {
	t.SayWhen(item.WatchBroken, "the watch is broken: %s", terminal.Clean(item.Why))
	if e := item.WatchEmpty; e != nil {
		t.Say("what is watched is empty, since %s", e.Since.Format(time.DateOnly))
	}
	facts := slices.DeleteFunc(form.OfItem(item), func(f form.Fact) bool { return f.From == "" && f.Path != "unreadData" })
	for _, f := range factFields(t.Now(), facts) {
		t.Say("%s: %s", f.name, terminal.Clean(f.value))
	}
	muted, err := api.ListMutes.Call(ctx, s.Silent(), api.MuteQuery{ItemID: item.ID})
	t.NoteWhen(err != nil, "mutes could not be read: %v", err)
	for _, m := range muted.Mutes {
		t.Say("%s", muteText(m))
	}
	why, err := api.ExplainItem.Call(ctx, s.Silent(), api.ItemWhyQuery{ID: item.ID})
	t.NoteWhen(err != nil, "rules could not be read: %v", err)
	for _, r := range why.Rules {
		t.Say("rule %s (%s): %s%s", terminal.Clean(r.Name), terminal.Clean(r.Rule), terminal.Clean(r.Words()),
			terminal.When(r.Remedy != "", "; what to do: %s", terminal.Clean(r.Remedy)))
	}
	t.SayWhen(why.Continuation != "", "and more rules; `%s rules list` lists them", t.Name)
}

// muteText describes a mute of a page.
func muteText(m api.Mute) string {
	return "messages" + terminal.When(m.Rule != "", " of the rule %s", terminal.Clean(m.Rule)) + " are muted" +
		terminal.When(!m.Until.IsZero(), " until %s", words.Stamp(m.Until))
}

// decisionText describes a decision with its reason in one line.
func decisionText(d api.Decision) string {
	return terminal.Clean(d.What) + terminal.When(d.Why != "", ": %s", terminal.Clean(d.Why)) +
		terminal.When(d.IsShared(), ", %s since %s", words.Count(d.Times, "time"), words.Stamp(d.Since))
}
