package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const diffLong = `Show what differs between two captures of a source, line by line, with the words
that differ marked: by default between the last two of which the text differs.

FROM and TO are the beginnings of the SHA-256 digests that "tidemark show" and
"tidemark changes" print. --since-read takes the version that "tidemark changes
--mark-read" has shown last. On a terminal the text goes through PAGER.`

const diffExample = `  tidemark diff https://example.com/prices
  tidemark diff https://example.com/prices 7f1d441a 3f235255
  tidemark diff --since-read https://example.com/prices
  tidemark diff --stat url_k7gxn3…`

func diffCommand(p *program) *cobra.Command {
	var stat, sinceRead bool
	cmd := &cobra.Command{
		Use:     "diff ID|SOURCE [FROM [TO]]",
		Short:   "Show what changed of a source",
		Long:    diffLong,
		Example: diffExample,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 3 {
				return usagef("give an id or a source, and up to two captures, not %s", words.Count(len(args), "argument"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if sinceRead && len(args) > 1 {
				return usagef("--since-read stands for FROM: leave the captures out")
			}
			d, err := p.diffOf(cmd.Context(), args, sinceRead)
			if err != nil || p.json {
				return err
			}
			if stat {
				p.statDiff(d)
				return nil
			}
			return p.paged(cmd.Context(), func() error { p.showDiff(d); return nil })
		},
	}
	cmd.Flags().BoolVar(&sinceRead, "since-read", false,
		"from the version that was last marked as read")
	cmd.Flags().BoolVar(&stat, "stat", false, "only how much differs")
	return cmd
}

func (p *program) diffOf(ctx context.Context, args []string, sinceRead bool) (api.Diff, error) {
	name, captures := args[0], args[1:]
	var q api.DiffQuery
	if sinceRead {
		q.From = api.SinceRead
	}
	if len(captures) > 0 {
		it, err := itemFrom(ctx, p, p.silentClient(), name)
		if err != nil {
			return api.Diff{}, err
		}
		if err := p.silentClient().Past(ctx, &it); err != nil {
			return api.Diff{}, err
		}
		name = it.ID
		for i, into := range []*string{&q.From, &q.To}[:len(captures)] {
			if *into, err = captureOf(it, captures[i]); err != nil {
				return api.Diff{}, err
			}
		}
	}
	return onItem(p, name, func(id string) (api.Diff, error) {
		q.ID = id
		return api.GetDiff.Call(ctx, p.client(), q)
	})
}

// captureOf finds the one capture whose digest begins so.
func captureOf(it api.ItemDetail, prefix string) (digest string, err error) {
	for _, c := range it.Captures {
		if !strings.HasPrefix(c.SHA256, strings.ToLower(prefix)) || c.SHA256 == digest {
			continue
		}
		if digest != "" {
			return "", usagef("several captures begin with %s: give more of the digest", prefix)
		}
		digest = c.SHA256
	}
	if digest == "" {
		return "", usagef("no capture of %s begins with %s: `tidemark show` lists them", it.ID, prefix)
	}
	return digest, nil
}

func (p *program) statDiff(d api.Diff) {
	added, removed, lines := 0, 0, 0
	for _, h := range d.Hunks {
		for _, l := range h.Lines {
			for _, piece := range l.Text {
				n := len(strings.Fields(piece.Text))
				switch {
				case l.Op == "added" && piece.Changed:
					added += n
				case l.Op == "removed" && piece.Changed:
					removed += n
				}
			}
			if l.Op != "same" {
				lines++
			}
		}
	}
	p.say("%s → %s: %s, %s; %s added, %s removed", stamp(d.From.CapturedAt), stamp(d.To.CapturedAt),
		words.Count(len(d.Hunks), "place"), words.Count(lines, "line"), words.Count(added, "word"), words.Thousands(removed))
}

func (p *program) showDiff(d api.Diff) {
	p.say("%s", p.screen.bold(fmt.Sprintf("--- %.12s %s", d.From.SHA256, stamp(d.From.CapturedAt))))
	p.say("%s", p.screen.bold(fmt.Sprintf("+++ %.12s %s", d.To.SHA256, stamp(d.To.CapturedAt))))
	for i, h := range d.Hunks {
		if i > 0 {
			p.say("   ⋯")
		}
		for _, l := range h.Lines {
			p.showLine(l.Op, l.Text, "")
		}
	}
	if len(d.Hunks) == 0 {
		p.say("the texts are the same")
	}
	if d.Cut {
		p.note("this is the beginning: the texts are longer, or more differs")
	}
}

// The colours of a terminal for what differs: of a line, and of the words in it that differ.
var (
	lineColor = map[string]string{"added": "\x1b[32m", "removed": "\x1b[31m"}
	lineMark  = map[string]string{"added": "+", "removed": "-"}
)

// showLine prints a line that both texts have, or one of them.
func (p *program) showLine(op string, pieces []api.DiffPiece, indent string) {
	mark := lineMark[op]
	if mark == "" {
		mark = " "
	}
	var b strings.Builder
	color := p.screen.color && lineColor[op] != ""
	if color {
		b.WriteString(lineColor[op])
	}
	b.WriteString(indent + mark + " ")
	for _, piece := range pieces {
		text := cleanPiece(piece.Text)
		if color && piece.Changed && len(pieces) > 1 {
			text = "\x1b[7m" + text + "\x1b[27m"
		}
		b.WriteString(text)
	}
	if color {
		b.WriteString("\x1b[0m")
	}
	p.say("%s", strings.TrimRight(b.String(), " "))
}
