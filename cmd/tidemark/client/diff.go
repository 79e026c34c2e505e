package client

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

const diffHelp = `diff ID|SOURCE [FROM [TO]]
Show what changed of a source

Show the differences between two captures of a source, line by line, with the words
that differ marked. The default is the last two captures with different texts.

FROM and TO are the beginnings of the SHA-256 digests that "tidemark show" and
"tidemark changes" print. --since-read compares with the version that "tidemark
changes --mark-read" showed last. On a terminal the text is shown in PAGER.

  tidemark diff https://example.com/prices
  tidemark diff https://example.com/prices 7f1d441a 3f235255
  tidemark diff --since-read https://example.com/prices
  tidemark diff --stat url_k7gxn3…`

func diffCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var stat, sinceRead bool
	var part string
	cmd := command.New(diffHelp, nil, func(ctx context.Context, args []string) error {
		if len(args) < 1 || len(args) > 3 {
			return command.Usagef("give an id or a source, and up to two captures, not %s",
				words.Count(len(args), "argument"))
		}
		if sinceRead && len(args) > 1 {
			return command.Usagef("--since-read stands for FROM: leave the captures out")
		}
		args = append(args, "", "")
		d, err := diffOf(ctx, s, args[0], api.DiffQuery{From: args[1], To: args[2], Part: part}, sinceRead)
		if err != nil || t.JSON {
			return err
		}
		if stat {
			statDiff(t, d)
			return nil
		}
		return t.Paged(ctx, func() error { showDiff(t, d); return nil })
	})
	cmd.Flags().BoolVar(&sinceRead, "since-read", false,
		"compare with the version that was last marked as read")
	cmd.Flags().StringVar(&part, "part", "", "the `PART` to compare: page (the default), or watched")
	cmd.Flags().BoolVar(&stat, "stat", false, "print only how much differs")
	return cmd
}

func diffOf(ctx context.Context, s *command.Server, name string, q api.DiffQuery, sinceRead bool) (d api.Diff,
	err error) {
	if name, err = namedCaptures(ctx, s, name, &q.From, &q.To); err != nil {
		return d, err
	}
	if sinceRead {
		q.From = api.SinceRead
	}
	return onItem(ctx, s, name, func(id string) (api.Diff, error) {
		q.ID = id
		return api.GetDiff.Call(ctx, s.Client(), q)
	})
}

// namedCaptures replaces the beginnings of digests, of which some may be empty, by the digests of captures of an item.
// It returns the id of the item, or the name if there is nothing to replace.
func namedCaptures(ctx context.Context, s *command.Server, name string, captures ...*string) (string, error) {
	captures = slices.DeleteFunc(captures, func(c *string) bool { return *c == "" })
	if len(captures) == 0 {
		return name, nil
	}
	it, err := itemFrom(ctx, s, s.Silent(), name)
	if err == nil {
		err = s.Silent().Past(ctx, &it)
	}
	for _, into := range captures {
		if err == nil {
			*into, err = captureOf(it, *into)
		}
	}
	return it.ID, err
}

// captureOf returns the digest that begins with prefix. It returns an error unless exactly one capture has such a
// digest.
func captureOf(it api.ItemDetail, prefix string) (digest string, err error) {
	for _, c := range it.Captures {
		if !strings.HasPrefix(c.SHA256, strings.ToLower(prefix)) || c.SHA256 == digest {
			continue
		}
		if digest != "" {
			return "", command.Usagef("several captures begin with %s: give more of the digest", prefix)
		}
		digest = c.SHA256
	}
	if digest == "" {
		return "", command.Usagef("no capture of %s begins with %s: `tidemark show` lists them", it.ID, prefix)
	}
	return digest, nil
}

func statDiff(t *terminal.Terminal, d api.Diff) {
	lines, changed := 0, map[string]int{} // words by what happened to them
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			for _, piece := range l.Text {
				if piece.Changed {
					changed[l.Op] += len(strings.Fields(piece.Text))
				}
			}
			if l.Op != "same" {
				lines++
			}
		}
	}
	t.Say("%s → %s: %s, %s; %s added, %s removed", words.Stamp(d.From.CapturedAt), words.Stamp(d.To.CapturedAt),
		words.Count(len(d.Hunks), "place"), words.Count(lines, "line"), words.Count(changed["added"], "word"),
		words.Thousands(changed["removed"]))
}

func showDiff(t *terminal.Terminal, d api.Diff) {
	t.Say("%s", t.Screen.Bold(fmt.Sprintf("--- %.12s %s", d.From.SHA256, words.Stamp(d.From.CapturedAt))))
	t.Say("%s", t.Screen.Bold(fmt.Sprintf("+++ %.12s %s", d.To.SHA256, words.Stamp(d.To.CapturedAt))))
	for i, h := range d.Hunks {
		t.SayWhen(i > 0, "   ⋯")
		if h.Table != nil {
			showTable(t, h.Table)
			continue
		}
		for _, l := range h.Lines {
			showLine(t, l.Op, l.Text, "")
			sayIgnored(t, l.Ignored, l.PartlyIgnored)
		}
	}
	t.SayWhen(len(d.Hunks) == 0, "the texts are the same")
	t.NoteWhen(d.Cut, "this is the beginning: the texts are longer, or more differs")
}

// The terminal colors of lines that differ, and of the words in them that differ.
var (
	lineColor = map[string]string{"added": "\x1b[32m", "removed": "\x1b[31m"}
	lineSign  = map[string]string{"added": "+", "removed": "-"}
)

// showLine prints a line that both texts have, or that only one of them has.
func showLine(t *terminal.Terminal, op string, pieces []api.DiffPiece, indent string) {
	color := terminal.When(t.Screen.Color, "%s", lineColor[op])
	line := color + indent + cmp.Or(lineSign[op], " ") + " "
	for _, piece := range pieces {
		text := terminal.CleanPiece(piece.Text)
		if color != "" && piece.Changed && len(pieces) > 1 {
			text = "\x1b[7m" + text + "\x1b[27m"
		}
		line += text
	}
	t.Say("%s", strings.TrimRight(line+terminal.When(color != "", "\x1b[0m"), " "))
}

// showTable prints the header of a table, the rows that differ, and what is left out.
func showTable(t *terminal.Terminal, table *api.DiffTable) {
	if table.HasHeader() {
		var names []string
		for _, c := range table.Columns {
			names = append(names, terminal.Clean(api.TextOf(c.Text)))
		}
		t.Say("  %s", t.Screen.Bold(strings.Join(names, " · ")))
	}
	showRows(t, table, "")
	note := letter.TableNote(table)
	t.SayWhen(note != "", "  (%s)", note)
}

// showRows prints the rows of a table, each with the cells that differ.
func showRows(t *terminal.Terminal, table *api.DiffTable, indent string) {
	for _, r := range table.Rows {
		text := letter.RowText(table, r)
		if lineSign[r.Op] == "" {
			t.Say("%s~ %s", indent, terminal.Clean(letter.RowSign(r.Op)+text))
		} else {
			showLine(t, r.Op, []api.DiffPiece{{Text: text}}, indent)
		}
		sayIgnored(t, r.Ignored, r.PartlyIgnored)
	}
}

// sayIgnored says of a line or a row that it does not count, or what of it does not.
func sayIgnored(t *terminal.Terminal, rule, partly string) {
	t.SayWhen(rule != "", "    (ignored by %s)", terminal.Clean(rule))
	t.SayWhen(rule == "" && partly != "", "    (counts in part: some of it is ignored by %s)",
		terminal.Clean(partly))
}
