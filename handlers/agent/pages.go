package agent

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/notify/letter"
)

type readInput struct {
	Page   string `json:"page" jsonschema:"its id as other tools give it, or its address"`
	AsOf   string `json:"asOf,omitempty" jsonschema:"as it was then: a date, whose end is meant, or a time; now when left out"`
	From   int    `json:"from,omitempty" jsonschema:"where to go on reading a long page, as the answer before says"`
	Tokens int    `json:"tokens,omitempty" jsonschema:"the most tokens of the answer, 300 to 16000; 4000 when left out"`
}

func (b toolbox) readPage(ctx context.Context, in readInput) (*toolAnswer, error) {
	p, err := b.pageText(ctx, in)
	if err != nil {
		return nil, err
	}
	return readFrom(p, in)
}

func (b toolbox) pageText(ctx context.Context, in readInput) (api.PageText, error) {
	return onPage(b, in.Page, func(id string) (api.PageText, error) {
		return api.GetPageText.Call(ctx, b.Client, api.TextQuery{ID: id, AsOf: in.AsOf, Format: "json"})
	})
}

// readFrom shows the text of a page, or the part of it that was asked for.
func readFrom(p api.PageText, in readInput) (*toolAnswer, error) {
	p.Text = plain(p.Text)
	if in.From < 0 || in.From > len(p.Text) {
		return nil, fmt.Errorf("from is %d: the page has %d bytes", in.From, len(p.Text))
	}
	for in.From < len(p.Text) && !utf8.RuneStart(p.Text[in.From]) {
		in.From++
	}
	a, is := newAnswer(in.Tokens), "is what the page says now"
	if !p.Current {
		is = "is not what the page says now"
	}
	a.say("%s, captured %s, last verified %s; this %s.\n", p.ItemID, stamp(p.At), stamp(p.CheckedAt), is)
	a.quote(headed(p.Title, p.URL))
	if at := in.From + a.quote(p.Text[in.From:]); at < len(p.Text) {
		a.say("The page goes on: read on from %d of %d.\n", at, len(p.Text))
	}
	return a, nil
}

type changesInput struct {
	Since  string `json:"since" jsonschema:"a date, a time, or a span such as 1h, 7d or week for as long ago; or the cursor of an earlier answer"`
	Host   string `json:"host,omitempty" jsonschema:"only changes of this host"`
	Tag    string `json:"tag,omitempty" jsonschema:"only changes of pages with this tag"`
	Kind   string `json:"kind,omitempty" jsonschema:"only these kinds, with commas between them: new, content, beside, beyond, bytes, reverted, moved, title, images, metadata, field, gone, back, failing, recovered, watchBroken, watchRestored, listed, removed, left, returned"`
	Zone   string `json:"zone,omitempty" jsonschema:"all, the default; main for changes of the main content alone; facts to leave out those beside it without a fact"`
	Small  string `json:"small,omitempty" jsonschema:"changes of which people are not told by default, such as a number that always moves: true, the default; false or only"`
	Words  string `json:"words,omitempty" jsonschema:"words that all stand in the title, the address or the passages of a change"`
	Top    int    `json:"top,omitempty" jsonschema:"how many changes, 1 to 500; 50 when left out"`
	Tokens int    `json:"tokens,omitempty" jsonschema:"the most tokens of the answer, 300 to 16000; 4000 when left out"`
}

func (b toolbox) changesSince(ctx context.Context, in changesInput) (*toolAnswer, error) {
	page, err := api.ListChanges.Call(ctx, b.Client, api.ChangeQuery{Since: in.Since, Host: in.Host, Tag: in.Tag,
		Kind: in.Kind, Zone: in.Zone, Small: in.Small, Q: in.Words, Top: in.Top})
	if err != nil {
		return nil, err
	}
	a, more := newAnswer(in.Tokens), ""
	if page.Continuation != "" {
		more = " and there are more"
	}
	a.say("%d changes%s. What comes later is after the cursor %s.\n", len(page.Changes), more, page.Cursor)
	for _, c := range page.Changes {
		if !a.room() {
			break
		}
		a.change(c)
	}
	return a, nil
}

// change describes a change.
func (a *toolAnswer) change(c api.FeedChange) {
	a.say("\nchange %s of %s: %s at %s\n", c.ID, c.ItemID+c.EntryID, c.Kind, stamp(c.At))
	if c.Small != nil {
		a.say("It is small: %s.\n", c.Small.Words())
	}
	text := headed(c.Title, c.URL) + "\n" + c.Why
	a.quote(text + "\n" + letter.Difference(c))
}

type addInput struct {
	URL  string   `json:"url" jsonschema:"the address of the page: http or https"`
	Tags []string `json:"tags,omitempty" jsonschema:"words by which pages are listed and watched together"`
}

func (b toolbox) addPage(ctx context.Context, in addInput) (*toolAnswer, error) {
	it, err := api.AddURL.Call(ctx, b.Client, api.AddURLRequest{URL: in.URL,
		ItemSettings: api.ItemSettings{Tags: in.Tags}})
	if err != nil {
		return nil, err
	}
	a := newAnswer(0)
	a.say("%s is registered, its status is %s; it is checked soon.\n", it.ID, it.Status)
	if it.Warning != "" {
		a.say("%s.\n", it.Warning)
	}
	return a, nil
}

type whyInput struct {
	Page   string `json:"page,omitempty" jsonschema:"the id or address of a page"`
	Change string `json:"change,omitempty" jsonschema:"or the id of a change, as changes_since gives it"`
}

func (b toolbox) why(ctx context.Context, in whyInput) (*toolAnswer, error) {
	switch {
	case (in.Page == "") == (in.Change == ""):
		return nil, errors.New("give either page or change")
	case in.Change != "":
		return b.whyChange(ctx, in.Change)
	}
	it, err := onPage(b, in.Page, func(id string) (api.ItemDetail, error) {
		return api.GetItem.Call(ctx, b.Client, api.ItemID{ID: id})
	})
	if err != nil {
		return nil, err
	}
	a := newAnswer(0)
	a.say("%s: status %s, last checked %s, last changed %s, next check %s. Settings in force, and decisions, newest "+
		"last:\n", it.ID, it.Status, stamp(it.LastChecked), stamp(it.LastChanged), stamp(it.NextCrawlAt))
	text := it.DisplaySource + "\n" + it.ErrorMessage + "\n" + it.Why // an error message may quote text of sites
	for _, f := range form.OfItem(it) {
		if f.From != "" {
			text += fmt.Sprintf("\nsetting %s: %s (from %s)", f.Lowered(), f.Value, f.From)
		}
	}
	why, err := api.ExplainItem.Call(ctx, b.Client, api.ItemWhyQuery{ID: it.ID})
	if err != nil {
		return nil, err
	}
	for _, r := range why.Rules {
		text += fmt.Sprintf("\nrule %s (%s): %s", r.Name, r.Rule, r.Words())
	}
	for _, p := range why.Memory {
		text += fmt.Sprintf("\nwhat moves: %q %s", p.Text, p.Words())
		if p.Silent && p.Decision == "" {
			text += " since " + stamp(p.Since)
		}
	}
	for _, d := range it.History {
		text += fmt.Sprintf("\n%s %s: %s", stamp(d.At), d.What, d.Why)
		if d.IsShared() {
			text += fmt.Sprintf(", %d times since %s", d.Times, stamp(d.Since))
		}
	}
	a.quote(text)
	return a, nil
}

// whyChange lists who was notified of a change, and why others were not.
func (b toolbox) whyChange(ctx context.Context, id string) (*toolAnswer, error) {
	why, err := api.ExplainChange.Call(ctx, b.Client, api.ChangeID{ID: id})
	if err != nil {
		return nil, err
	}
	a := newAnswer(0)
	a.change(why.Change)
	a.say("Rules for its page: %d. Messages of it: %d.\n", len(why.Outcome)+why.OutcomeMore, len(why.Deliveries))
	for _, o := range why.Outcome {
		if a.room() {
			a.quote(fmt.Sprintf("%s: %s", o.Name, o.Words()))
		}
	}
	for _, d := range why.Deliveries {
		if a.room() {
			a.say("%s: %s\n", d.Channel, d.State)
		}
	}
	for _, g := range why.Change.Ignored {
		if a.room() {
			a.quote(fmt.Sprintf("does not count: %+v", g))
		}
	}
	return a, nil
}
