package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

const changesHelp = `changes
List changes

List changes of pages, files and entries, the newest first.

--since takes a time (2026-03-01T12:00:00Z), a day (2026-03-01), today, yesterday,
a span such as 90m, 12h or 3d, or the cursor that an earlier call printed with
--json. With --follow the oldest come first, and new ones are added as they happen,
until Ctrl-C.

--mark-read marks the listed changes as read, and --unread leaves out changes that
are marked; --mark-unread makes the listed changes unread again. Marks belong to the name of the key. A server that needs no keys has one
set of marks for all its users.

With --format, all matching changes are written as CSV or JSON Lines.

On a terminal the list is shown in PAGER (less, if it is not set).

  tidemark changes --since yesterday
  tidemark changes --host example.com --kind content,gone --min-share 0.1
  tidemark changes --unread --mark-read
  tidemark changes --follow
  tidemark changes --since 7d --format csv > week.csv
  tidemark changes --since 7d --all --json | jq -r '.changes[].url'`

// changesOptions are the flags of changes.
type changesOptions struct {
	query       api.ChangeQuery
	format      string // format of the file that all changes are written to; empty for a list
	all, follow bool
	read        bool // mark the listed changes as read
	unread      bool // make the listed changes unread again
	allRead     bool // mark every change as read, and list none
}

const changeWhyHelp = `why ID
Show who was notified of a change, and what was ignored

It says of each rule for the page why it did or did not report the change.

  tidemark changes why 1.20780.3
  tidemark changes why 1.20780.3 --top 100`

func changeWhy(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var q api.ChangeID
	cmd := command.New(changeWhyHelp, command.One("id of a change"), func(ctx context.Context, args []string) error {
		q.ID = args[0]
		why, err := api.ExplainChange.Call(ctx, s.Client(), q)
		if err == nil {
			explainChange(t, why)
		}
		return err
	})
	cmd.Flags().IntVar(&q.Top, "top", 10, "how many rules, 1 to 500")
	return cmd
}

func changesCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var o changesOptions
	cmd := command.New(changesHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		switch err := o.check(t.Now()); {
		case err != nil:
			return err
		case o.allRead:
			return readAllChanges(ctx, t, s)
		case o.format != "":
			q := o.query
			return exported(ctx, t, s, api.ExportChanges, api.ChangeExport{Format: o.format, Since: q.Since,
				Until: q.Until, Host: q.Host, Tag: q.Tag, Type: q.Type, Kind: q.Kind, Zone: q.Zone, Small: q.Small,
				MinShare: q.MinShare, Q: q.Q, Unread: q.Unread, Silenced: q.Silenced, Order: q.Order})
		case o.follow:
			return followChanges(ctx, t, s, o)
		}
		return t.Paged(ctx, func() error { return listChanges(ctx, t, s, o) })
	})
	f := cmd.Flags()
	f.StringVar(&o.query.Since, "since", "", "only changes since this `TIME`, or after this cursor")
	f.StringVar(&o.query.Until, "until", "", "only changes before this `TIME`")
	command.HostFlag(f, &o.query.Host, "only changes of this `HOST`")
	f.StringVar(&o.query.Tag, "tag", "", "only changes of items that had this `TAG`")
	f.StringVar(&o.query.Silenced, "silenced", "", "changes that watch rules hide: false, true (with them) or only")
	f.StringVar(&o.query.Zone, "zone", "",
		"all (the default); main, without changes beside the main content and beyond what is read; or facts, without "+
			"those beside it that have no fact")
	f.StringVar(&o.query.Small, "small", "",
		"changes of which rules do not tell by default: true (the default, with them), false or only")
	f.StringVar(&o.query.Kind, "kind", "",
		"only changes of these `KINDS`, of which content includes beside, beyond and reverted: "+namesOf(api.ChangeKinds))
	f.StringVar(&o.query.Type, "type", "", "only changes of this `TYPE`: url, file or entry")
	f.Float64Var(&o.query.MinShare, "min-share", 0, "the smallest changed `PART` of the text, 0 to 1")
	f.StringVarP(&o.query.Q, "words", "q", "", "`WORDS` that must all occur in the title, the address or the passages")
	f.IntVar(&o.query.Top, "top", 50, "how many; with --all, how many to read at a time")
	f.StringVar(&o.query.Order, "order", "", "`ORDER`: newest (the default) or oldest")
	f.BoolVar(&o.all, "all", false, "list everything, to the end")
	formatFlag(f, &o.format)
	f.BoolVarP(&o.query.Unread, "unread", "u", false, "only changes that were not marked as read")
	f.BoolVar(&o.read, "mark-read", false, "mark the listed changes as read")
	f.BoolVar(&o.unread, "mark-unread", false, "make the listed changes unread again")
	f.BoolVar(&o.allRead, "mark-all-read", false, "mark all changes as read, and show none")
	f.BoolVarP(&o.follow, "follow", "f", false, "show new changes as they happen, from now or from --since")
	cmd.AddCommand(changeWhy(t, s))
	return cmd
}

// explainChange shows a change with the rules that it matched, the channels that were notified, and the differences
// that did not count.
func explainChange(t *terminal.Terminal, why api.ChangeWhy) {
	showChange(t, why.Change)
	said := why.Change // of which the lines above have these
	said.ID, said.URL, said.Title, said.Why, said.From, said.To = "", "", "", "", "", ""
	said.At, said.Kind, said.Silenced, said.Small = time.Time{}, "", false, nil
	sayFields(t, factFields(t.Now(), form.Facts(said)))
	t.SayWhen(why.Change.Silenced, "silenced by what is watched of the page: it is listed with --silenced only")
	for _, ig := range why.Change.Ignored {
		t.Say("did not count, by %s", terminal.Clean(ig.Rule))
		if ig.Hunk != "" {
			showLine(t, ig.Op, []api.DiffPiece{{Text: ig.Hunk}}, "    ")
		}
	}
	for _, o := range why.Outcome {
		t.Say("rule %s (%s): %s%s", terminal.Clean(o.Name), terminal.Clean(o.Rule), terminal.Clean(o.Words()),
			terminal.When(!o.Until.IsZero(), ", until %s", words.Stamp(o.Until)))
	}
	t.SayWhen(why.OutcomeMore > 0, "and %s; --top shows more", words.Count(why.OutcomeMore, "more rule"))
	t.SayWhen(len(why.Outcome) == 0, "no rule is for its page")
	for _, d := range why.Deliveries {
		t.Say("%s to %s, %s: %s", terminal.Clean(d.State), terminal.Clean(d.Channel), words.Stamp(d.Created),
			terminal.Clean(answerText(d.Answer)))
	}
}

// check parses the times, and refuses the options that the server would also refuse.
func (o *changesOptions) check(now time.Time) error {
	o.query.Since, o.query.Until = timeOf(o.query.Since, now), timeOf(o.query.Until, now)
	switch {
	case o.query.Top < 1 || o.query.Top > 500:
		return command.Usagef("--top is %d: give 1 to 500", o.query.Top)
	case math.IsNaN(o.query.MinShare) || o.query.MinShare < 0 || o.query.MinShare > 1:
		return command.Usagef("--min-share is %v: give 0 to 1", o.query.MinShare)
	case o.format != "" && (o.follow || o.read || o.unread):
		return command.Usagef("--format writes what there is: leave --follow, --mark-read and --mark-unread out")
	case o.read && o.unread:
		return command.Usagef("--mark-read and --mark-unread exclude each other")
	case o.follow && (o.query.Until != "" || o.all):
		return command.Usagef("--follow has no end: leave --until and --all out")
	}
	return nil
}

// timeOf converts a time to the form of the API: "today" and "yesterday" mean midnight in local time, and a span such
// as 2h means that long before now. A text in any other form is left for the server to parse.
func timeOf(text string, now time.Time) string {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch text {
	case "today":
		return midnight.Format(time.RFC3339)
	case "yesterday":
		return midnight.AddDate(0, 0, -1).Format(time.RFC3339)
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 {
			return now.AddDate(0, 0, -n).Format(time.RFC3339)
		}
	}
	if span, err := time.ParseDuration(text); err == nil && span > 0 {
		return now.Add(-span).Format(time.RFC3339)
	}
	return text
}

func listChanges(ctx context.Context, t *terminal.Terminal, s *command.Server, o changesOptions) error {
	client, n := s.Client(), 0
	for page, err := range client.Changes(ctx, o.query) {
		if err != nil {
			return err
		}
		if err := o.show(ctx, t, s, page.Changes); err != nil {
			return err
		}
		n += len(page.Changes)
		if !o.all && n >= o.query.Top && page.Continuation != "" {
			t.Note("%s shown, there are more: see --all", words.Count(n, "change"))
			return nil
		}
	}
	t.SayWhen(n == 0, "nothing has changed")
	return nil
}

// show prints changes, and marks them as read or unread if the options ask for that. With --json the answer
// to that is not printed, so that the list is the only output.
func (o *changesOptions) show(ctx context.Context, t *terminal.Terminal, s *command.Server,
	all []api.FeedChange) error {
	q := api.ReadRequest{Unread: o.unread}
	for _, c := range all {
		showChange(t, c)
		q.IDs = append(q.IDs, c.ID)
	}
	if !o.read && !o.unread || len(all) == 0 {
		return nil
	}
	_, err := api.MarkRead.Call(ctx, s.Silent(), q)
	return err
}

// readAllChanges marks all changes up to now as read.
func readAllChanges(ctx context.Context, t *terminal.Terminal, s *command.Server) error {
	var reader api.Reader
	now, err := api.ListChanges.Call(ctx, s.Silent(), api.ChangeQuery{Top: 1})
	if err == nil {
		reader, err = api.MarkRead.Call(ctx, s.Client(), api.ReadRequest{UpTo: now.Cursor})
	}
	t.SayWhen(err == nil, "everything up to now is marked as read")
	sayUndo(t, reader.Undo)
	return err
}

// followWait is the pause between two polls when there was no new change.
const followWait = 2 * time.Second

// followChanges prints changes as they happen, until ctx ends.
func followChanges(ctx context.Context, t *terminal.Terminal, s *command.Server, o changesOptions) error {
	q := o.query
	if q.Since == "" {
		now, err := api.ListChanges.Call(ctx, s.Silent(), api.ChangeQuery{Top: 1})
		if err != nil {
			return err
		}
		q.Since = now.Cursor
	}
	q.Order = "oldest"
	for {
		page, err := api.ListChanges.Call(ctx, s.Silent(), q)
		if err != nil {
			return err
		}
		if len(page.Changes) > 0 && t.JSON {
			if err := json.NewEncoder(t.Out).Encode(page); err != nil {
				return err
			}
		}
		if err := o.show(ctx, t, s, page.Changes); err != nil {
			return err
		}
		if q.Since = page.Cursor; page.Continuation == "" {
			if err := t.Sleep(ctx, followWait); err != nil {
				return err
			}
		}
	}
}

// showChange prints a change as git log -p prints a commit.
func showChange(t *terminal.Terminal, c api.FeedChange) {
	t.Say("%s", t.Screen.Bold(fmt.Sprintf("%-9s %s", c.Kind, terminal.Clean(cmp.Or(c.URL, c.ItemID, c.EntryID)))))
	t.Say("  %s, %s, change %s", words.Stamp(c.At), words.Ago(t.Now(), c.At), terminal.Clean(c.ID))
	t.SayWhen(c.Title != "", "  %s", terminal.Clean(c.Title))
	t.SayWhen(c.Why != "", "  %s", terminal.Clean(c.Why))
	if c.Small != nil {
		t.Say("  small: %s; rules do not tell of it by default", terminal.Clean(c.Small.Words()))
	}
	for _, place := range api.ShownOf(c.Passages) {
		t.SayWhen(place.Under != "", "  %s:", terminal.Clean(place.Under))
		if place.Table != nil {
			showRows(t, place.Table, "    ")
			continue
		}
		pieces := place.Passage.Pieces
		if pieces == nil {
			pieces = []api.DiffPiece{{Text: place.Passage.Text}}
		}
		showLine(t, place.Passage.Op, pieces, "    ")
	}
	if c.From != "" && c.To != "" && slices.Contains([]api.ChangeKind{api.ChangeContent, api.ChangeBeside,
		api.ChangeReverted, api.ChangeBack}, c.Kind) {
		t.Say("  tidemark diff %s %.12s %.12s", c.ItemID, c.From, c.To)
	}
	t.Say("")
}
