package client

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const generationsHelp = `generations
Change the model of the index without an outage

A generation is all that is indexed, with the vectors of one model. A second one is
built beside the one that answers searches. When it is whole, it can be compared,
and it takes over with a switch. The former one is kept right for a day, in which
the change can be taken back.

  tidemark generations begin --model text-embedding-3-large
  tidemark generations list
  tidemark generations compare g2 "opening hours of the harbour"
  tidemark generations switch g2`

func generationsCommand(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.Group(generationsHelp, generationsList(t, s), generationsBegin(t, s), generationsCompare(t, s),
		asked(s, generationsSwitchHelp, command.One("id"), api.SwitchGeneration, func(g api.Generation) {
			t.Say("%s answers searches now; for a day, `%s generations list` shows the former one, and `rollback` brings it "+
				"back", terminal.Clean(g.ID), t.Name)
		}),
		asked(s, generationsRollbackHelp, command.One("id"), api.RollbackGeneration, func(g api.Generation) {
			t.Say("%s answers searches again", terminal.Clean(g.ID))
		}),
		asked(s, generationsRemoveHelp, command.One("id"), api.RemoveGeneration, func(g api.Generation) {
			t.Say("the generation %s is removed", terminal.Clean(g.ID))
		}))
}

const generationsSwitchHelp = `switch ID
Let a generation that is whole answer searches

Let a generation that is whole answer searches, from the next one on. One that was
begun because the settings changed does so by itself.

  tidemark generations switch g2`

const generationsRollbackHelp = `rollback ID
Let the generation that answered before answer again

Let the generation that answered before answer again. This is possible for a day
after a switch.

  tidemark generations rollback g1`

const generationsRemoveHelp = `remove ID
Remove a generation that does not answer searches

Remove a generation that does not answer searches, and its files. If it is being
built, the building ends.

  tidemark generations remove g2`

const generationsListHelp = `list
List the generations, and how far the next one is

  tidemark generations list`

func generationsList(t *terminal.Terminal, s *command.Server) *cobra.Command {
	return command.New(generationsListHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		got, err := api.ListGenerations.Call(ctx, s.Client(), api.None{})
		if err != nil {
			return err
		}
		err = terminal.List(t, got.Generations, "no generations", "ID\tMODEL\tBEGUN\tWHY\tSTATE",
			func(g api.Generation) string {
				return terminal.Row(g.ID, cmp.Or(g.Model, "no vectors"), words.Ago(t.Now(), g.Begun), g.Why,
					generationText(g, t.Now()))
			})
		for _, g := range got.Generations {
			t.SayWhen(g.Trouble != "", "\n%s does not go on: %s", terminal.Clean(g.ID), terminal.Clean(g.Trouble))
		}
		return err
	})
}

// generationText says in words what a generation is for, or how far it is.
func generationText(g api.Generation, now time.Time) string {
	switch g.State {
	case api.GenerationBuilding:
		var until time.Time
		if g.Forecast != nil && g.Trouble == "" {
			until = g.Forecast.Until
		}
		return "building: " + progressText(g.Done, g.Of, until, now)
	case api.GenerationWhole:
		return "whole" + terminal.When(g.By == "person", ", waits for a switch")
	case api.GenerationCurrent:
		return "current: answers searches"
	case api.GenerationPrevious:
		return "previous" + terminal.When(!g.KeptUntil.IsZero(), ", kept for another %s", words.Span(g.KeptUntil.Sub(now)))
	}
	return terminal.Clean(string(g.State))
}

// progressText says how far a generation is, and until about when it is being built. A time on another day has its
// date.
func progressText(done, of int, until, now time.Time) string {
	text := words.Thousands(done) + " of " + words.Thousands(of)
	if until.IsZero() {
		return text
	}
	form := "15:04"
	if until.In(now.Location()).Format(time.DateOnly) != now.Format(time.DateOnly) {
		form = "2006-01-02 15:04"
	}
	return text + ", until about " + until.In(now.Location()).Format(form)
}

const generationsBeginHelp = `begin
Build the index anew beside the one that answers

Build the index anew beside the one that answers, with the vectors of another model,
or with those that the settings ask for. The answer says what it will take. Searches
are not affected until the switch.

  tidemark generations begin --model text-embedding-3-large
  tidemark generations begin --model none`

// noModel is the name on the command line for an index without vectors.
const noModel = "none"

func generationsBegin(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var model string
	cmd := command.New(generationsBeginHelp, cobra.NoArgs, func(ctx context.Context, _ []string) error {
		var req api.GenerationRequest
		switch model {
		case "":
		case noModel:
			req.Model = new("")
		default:
			req.Model = &model
		}
		g, err := api.BeginGeneration.Call(ctx, s.Client(), req)
		if err != nil {
			return err
		}
		t.Say("%s has begun: %s", terminal.Clean(g.ID), forecastText(g, t.Now()))
		t.Say("`%s generations list` tells how far it is", t.Name)
		return nil
	})
	cmd.Flags().StringVar(&model, "model", "", `the `+"`MODEL`"+` of the vectors, or none; by default that of the settings`)
	return cmd
}

// forecastText says what it takes to build a generation.
func forecastText(g api.Generation, now time.Time) string {
	f := g.Forecast
	if f == nil {
		return generationText(g, now)
	}
	return terminal.Join(", ", progressText(g.Done, g.Of, f.Until, now),
		terminal.When(f.Tokens > 0, "about %s tokens", words.Thousands(int(f.Tokens))),
		terminal.When(f.Bytes > 0, "about %s on disk", words.Size(f.Bytes)))
}

const generationsCompareHelp = `compare ID QUESTION…
Ask the current generation and another one the same questions

Ask the current generation and another one the same questions, and show where their
best results differ. Nothing changes.

  tidemark generations compare g2 "opening hours of the harbour" "crane"`

func generationsCompare(t *terminal.Terminal, s *command.Server) *cobra.Command {
	var top int
	cmd := command.New(generationsCompareHelp, nil, func(ctx context.Context, args []string) error {
		if len(args) < 2 || len(args) > api.MaxCompared+1 {
			return command.Usagef("give the id of a generation, and 1 to %d questions", api.MaxCompared)
		}
		if top < 1 || top > 100 {
			return command.Usagef("--top is %d: give 1 to 100", top)
		}
		got, err := api.CompareGeneration.Call(ctx, s.Client(), api.CompareRequest{ID: args[0], Queries: args[1:], Top: top})
		if err != nil || t.JSON {
			return err
		}
		for i, q := range got.Queries {
			t.SayWhen(i > 0, "")
			t.Say("%s", strings.Join(comparedLines(q), "\n"))
		}
		return nil
	})
	cmd.Flags().IntVar(&top, "top", 10, "how many results of each, up to 100")
	return cmd
}

// comparedLines says how the answers of two generations to a question differ: the results of the other one in its
// order, each with its place among those of the current one, and then what only the current one has.
func comparedLines(q api.ComparedQuery) []string {
	if slices.Equal(q.Current, q.This) {
		return []string{fmt.Sprintf("%s: %s, in the same order", terminal.Clean(q.Q), words.Count(len(q.This), "result"))}
	}
	same := 0
	var lines []string
	for i, id := range q.This {
		was := slices.Index(q.Current, id)
		note := "new"
		if was >= 0 {
			same++
			note = terminal.When(was != i, "was %d", was+1)
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("  %3d  %s  %s", i+1, terminal.Clean(id), note), " "))
	}
	for i, id := range q.Current {
		if !slices.Contains(q.This, id) {
			lines = append(lines, fmt.Sprintf("    -  %s  was %d", terminal.Clean(id), i+1))
		}
	}
	head := fmt.Sprintf("%s: %d of %d results in common", terminal.Clean(q.Q), same, max(len(q.This), len(q.Current)))
	return append([]string{head}, lines...)
}
