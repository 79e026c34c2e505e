package client

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/form"
)

const pickHelp = `pick ID|SOURCE
Choose a part of a page, and try what would be watched

List the texts of a page, each with the number of its element. With --element, with
--part, or with settings of a watch, show what would be watched in the last captures;
--save then saves it. Nothing else is saved, and the site is not contacted.

  tidemark pick https://shop.example/lamp --find EUR
  tidemark pick https://shop.example/lamp --element 17
  tidemark pick https://shop.example/lamp --element 17 --as value --save
  tidemark pick https://council.example/meetings --part "Great Hall" --save
  tidemark pick https://jobs.example/ --part "Warden*" --scope alike --save
  tidemark pick https://shop.example/lamp --element 17 --larger 1 --as out --save
  tidemark pick https://shop.example/lamp --include .price --trigger "in stock"`

// watchOnly are the settings that a trial takes.
type watchOnly struct {
	Watch *api.Watch `json:"watch,omitempty"`
}

func pickCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var q api.TryRequest
	var find string
	var save bool
	var set *changes
	cmd := command.New(pickHelp, command.One("id or source"), func(ctx context.Context, args []string) error {
		patch, err := set.patch()
		if err != nil {
			return err
		}
		it, err := itemFrom(ctx, s, s.Silent(), args[0])
		if err != nil {
			return err
		}
		if q.ID = it.ID; q.Capture != "" {
			if q.Capture, err = captureOf(it, q.Capture); err != nil {
				return err
			}
		}
		if q.Element > 0 && q.Capture == "" { // numbers are those of a capture
			page, err := api.ListElements.Call(ctx, s.Silent(), api.ElementQuery{ID: it.ID})
			if err != nil {
				return err
			}
			q.Capture = page.Capture
		}
		switch isTrial := q.Element > 0 || q.Text != "" || q.Selector != "" || len(patch) > 0; {
		case isTrial:
			return try(ctx, t, s, it, q, patch, save)
		case save || q.As != "" || q.Larger != 0 || q.Scope != "":
			return command.Usagef("give --element or --part, or what to watch, such as --include")
		}
		return listElements(ctx, t, s, api.ElementQuery{ID: it.ID, Capture: q.Capture, Find: find})
	})
	f := cmd.Flags()
	f.StringVar(&find, "find", "", "only lines with this `TEXT`")
	f.StringVar(&q.Capture, "capture", "", "of the `CAPTURE` whose digest begins so; the newest one if left out")
	f.IntVar(&q.Element, "element", 0, "try the element with this `NUMBER`")
	f.StringVar(&q.Text, "part", "", "try the row or entry with this name, or the element that shows this `TEXT`")
	f.StringVar(&q.Selector, "selector", "", "try the element that this `SELECTOR` finds")
	f.StringVar(&q.Scope, "scope", "",
		"`SCOPE`: this (the default), row for its row or entry, alike for all like it, or column")
	f.IntVar(&q.Larger, "larger", 0, "take the element around it, this many `TIMES`")
	f.StringVar(&q.As, "as", "", "`HOW`: only (the default) or also watch the element, only its value, or leave it out")
	f.BoolVar(&save, "save", false, "save what was tried")
	set = changesOf(f, form.Of[watchOnly]()).clears(f)
	return cmd
}

// listElements prints the lines of a page, with what can be chosen within each.
func listElements(ctx context.Context, t *terminal.Terminal, s *command.Server, q api.ElementQuery) error {
	page, err := api.ListElements.Call(ctx, s.Client(), q)
	if err != nil || t.JSON {
		return err
	}
	for _, l := range page.Lines {
		text := terminal.Clean(l.Text)
		if l.Heading {
			text = t.Screen.Bold(text)
		}
		if l.Larger {
			text += " (and what is around it)"
		}
		if l.Around != "" {
			text = terminal.Clean(l.Around) + ": " + text
		}
		t.Say("%5d  %s", l.Element, text)
		for _, p := range l.Parts {
			t.Say("%9d  %s", p.Element, terminal.Clean(p.Text))
		}
	}
	t.NoteWhen(page.Cut != "", "%s", page.Cut)
	t.NoteWhen(page.Why != "", "%s", page.Why)
	t.Say("%s of %s, captured %s (%.12s)", words.Thousands(len(page.Lines)), words.Count(page.Total, "line"),
		words.Stamp(page.At), terminal.Clean(page.Capture))
	return nil
}

// try shows what a watch finds in the last captures, and saves it if asked.
func try(ctx context.Context, t *terminal.Terminal, s *command.Server, it api.ItemDetail, q api.TryRequest,
	patch api.Patch, save bool) error {
	now := watchOnly{&api.Watch{}}
	if it.Effective != nil && it.Effective.Watch != nil {
		*now.Watch = *it.Effective.Watch
	}
	tried := now
	if len(patch) > 0 {
		if err := patch.Apply(&tried); err != nil {
			return command.Usagef("%v", err)
		}
		q.Watch = cmp.Or(tried.Watch, &api.Watch{})
	}
	client := s.Client()
	if save {
		client = s.Silent()
	}
	trial, err := api.TryWatch.Call(ctx, client, q)
	if err != nil {
		return err
	}
	showTrial(t, trial)
	if !save {
		return nil
	}
	for name, parts := range map[string][2][]string{"include": {now.Watch.Include, trial.Watch.Include},
		"exclude":   {now.Watch.Exclude, trial.Watch.Exclude},
		"listLinks": {now.Watch.ListLinks, trial.Watch.ListLinks}} {
		if !slices.Equal(parts[0], parts[1]) {
			patch.Set(parts[1], "watch", name)
		}
	}
	if !maps.Equal(now.Watch.Fields, trial.Watch.Fields) {
		patch.Set(trial.Watch.Fields, "watch", "fields")
	}
	if now.Watch.List != trial.Watch.List {
		patch.Set(trial.Watch.List, "watch", "list")
	}
	return patchItem(ctx, t, s, it.ID, patch)
}

// showTrial says what a watch finds in each capture.
func showTrial(t *terminal.Terminal, trial api.WatchTrial) {
	t.SayWhen(trial.Selector != "", "%s shows: %s", terminal.Clean(trial.Selector), terminal.Clean(trial.Text))
	for _, o := range trial.Offers {
		t.Say("%-6s  %s%s  %s", o.Scope, terminal.When(o.ByPosition(), "by its place: "), terminal.Clean(o.Says),
			terminal.Clean(o.Selector))
		t.Say("%s%s", indent, o.Finds())
	}
	if v := trial.Value; v != nil {
		t.Say("its value is %s: %s", terminal.Clean(v.Name), terminal.Clean(strings.TrimSpace(v.Text+" "+v.Unit)))
	}
	t.SayWhen(trial.Larger, "there is a larger element around it: see --larger")
	t.Say("watch: %s", inWords(watchOnly{&trial.Watch}))
	for _, c := range trial.Captures {
		when := words.Stamp(c.At)
		if c.Current {
			when = "now"
		}
		t.Say("%-20s  %.12s  %s", when, terminal.Clean(c.SHA256), terminal.Clean(foundWords(c)))
		for _, l := range c.Ignored {
			showLine(t, l.Op, []api.DiffPiece{{Text: l.Hunk}}, indent)
			sayIgnored(t, l.Rule, "")
		}
		for _, e := range c.Entries {
			if e.More > 0 {
				t.Say("%sand %s", indent, words.Count(e.More, "more entry"))
				continue
			}
			t.Say("%s%s  %s", indent, terminal.Clean(e.Title), terminal.Clean(firstOf(e.URL, e.ID)))
		}
		for _, f := range c.Fields {
			t.Say("%s%s: %s", indent, terminal.Clean(f.Name), terminal.Clean(firstOf(f.Text, f.State)+because(f.Why)))
		}
	}
	t.SayWhen(len(trial.Captures) == 0, "nothing of the page is kept yet")
}

// foundWords says what a watch finds in a capture, and what it leaves out.
func foundWords(c api.TriedCapture) string {
	if c.Why != "" {
		return "not tried: " + c.Why
	}
	return words.Count(c.Found, "element") + ": " + c.Text + terminal.When(c.Cut, "…") +
		terminal.When(c.Out > 0, "; without %s: %s", words.Count(c.Out, "element"), c.OutText) + because(c.NoEntry)
}

// because puts a reason behind a text.
func because(why string) string { return terminal.When(why != "", " (%s)", why) }
