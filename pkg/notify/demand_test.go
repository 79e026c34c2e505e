package notify

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/bulk"
	"github.com/tidemark/tidemark/pkg/run/runtest"
)

// demandRig is an installation with items, rules and runs.
type demandRig struct {
	*runtest.Rig
	*Notifier

	reg  *registry.Registry
	runs *bulk.Service
	down bool // no run can be begun
}

func newDemandRig(t *testing.T, file File) *demandRig {
	r := &demandRig{Rig: runtest.New(t, runtest.Stores["mem"], runtest.Noon)}
	r.reg = r.Registry(r.Store)
	tokens := 0
	token := func() string {
		tokens++
		return fmt.Sprint("t", tokens)
	}
	r.runs = bulk.New(r.Store, r.reg.Items, bulk.Options{Clock: r.Clock.Now, Token: token})
	changes := feed.Open(r.Store, r.Clock.Now)
	r.Notifier = New(r.Store, changes, nil, Options{Clock: r.Clock.Now, Token: token, Page: PageOf(r.reg.Items),
		File: file, Demand: DemandsIn(r.reg.Items), DemandAll: func(ctx context.Context, f registry.Filter) (string, error) {
			if r.down {
				return "", fault.New(fault.Conflict, "too many runs")
			}
			begun, err := r.runs.ApplyDemands(ctx, f)
			return begun.ID, err
		}})
	r.reg.Items.DemandsBy(r.DemandsOf)
	r.runs.DemandsBy(r.Demands)
	for _, create := range []func(context.Context) error{r.reg.Create, changes.Create, r.Notifier.Create, r.runs.Create} {
		r.Must(create(t.Context()))
	}
	_, err := r.SaveChannel(t.Context(), api.ChannelSpec{Name: "ops", ChannelSettings: api.ChannelSettings{Kind: Webhook,
		URL: "https://ops.example/"}}, true)
	r.Must(err)
	return r
}

// crawl checks the pages that are due, each without a change.
func (r *demandRig) crawl() {
	r.CrawlDue(r.reg, func(it registry.Item) registry.Finding {
		e, err := r.reg.Tags.Effective(r.Context(), &it)
		r.Must(err)
		it.LastChecked, it.Status = r.Clock.Now(), registry.Indexed
		it.CheckAt(it.LastChecked.Add(24 * time.Hour))
		if _, most := e.Demand(it.LastChecked); len(e.Demands) > 0 {
			it.CheckAt(it.LastChecked.Add(most))
		}
		return registry.Finding{Item: it}
	})
}

// finish does the steps of all runs.
func (r *demandRig) finish() {
	r.Finish(bulk.Queue, r.runs, func() bool { return len(r.Rows("Runs", "active|")) == 0 })
}

func (r *demandRig) rule(id string, every string, f api.RuleFilter) api.Rule {
	r.Helper()
	out, err := r.SaveRule(r.Context(), id, api.RuleSpec{Name: "Lamp " + every, Channels: []string{"ops"}, Every: every,
		Filter: f})
	r.Must(err)
	return out
}

// nextOf returns how long it is until the next check of an item, and the rule that wants it.
func (r *demandRig) nextOf(it registry.Item) string {
	wait := it.NextCrawlAt.Sub(r.Clock.Now()).Round(5 * time.Minute)
	switch {
	case len(it.Demands) > 0:
		return fmt.Sprint(wait, " ", it.Demands[0].Name)
	case wait > 23*time.Hour && wait < 26*time.Hour:
		return "a day"
	}
	return wait.String()
}

func (r *demandRig) wants(what, url, want string) {
	r.Helper()
	if have := r.nextOf(r.Items(r.reg)[url]); have != want {
		r.Errorf("%s: %s is checked in %s, want %s", what, url, have, want)
	}
}

// TestK15ARuleForAPage checks that a rule for one page moves its next check at once: when it is saved, changed,
// switched off, muted or removed (K15).
func TestK15ARuleForAPage(t *testing.T) {
	r := newDemandRig(t, File{})
	const page, other = "https://a.example/lamp", "https://a.example/other"
	r.Register(r.reg, page, other)
	r.crawl()
	r.wants("no rule", page, "a day")
	id := string(r.Items(r.reg)[page].ID)
	price := r.rule("", "1h", api.RuleFilter{ItemID: id})
	r.wants("a rule", page, "1h0m0s Lamp 1h")
	stock := r.rule("", "15m", api.RuleFilter{ItemID: id})
	r.wants("the shortest demand", page, "15m0s Lamp 15m")
	r.wants("another page", other, "a day")
	r.Clock.Pass(15 * time.Minute)
	r.crawl()
	r.wants("after a check", page, "15m0s Lamp 15m")

	m, err := r.Mute(t.Context(), api.MuteRequest{ItemID: id, Rule: stock.ID, For: "day"}, Page{})
	r.Must(err)
	r.wants("the shortest is muted", page, "1h0m0s Lamp 15m")
	_, err = r.Unmute(t.Context(), m.ID)
	r.Must(err)
	r.wants("the mute has ended", page, "15m0s Lamp 15m")
	m, err = r.Mute(t.Context(), api.MuteRequest{ItemID: id, For: "always"}, Page{})
	r.Must(err)
	r.wants("the page is muted", page, "a day")
	_, err = r.Unmute(t.Context(), m.ID)
	r.Must(err)

	_, err = r.PatchRule(t.Context(), stock.ID, api.Patch{"off": true})
	r.Must(err)
	r.wants("switched off", page, "1h0m0s Lamp 1h")
	_, err = r.PatchRule(t.Context(), stock.ID, api.Patch{"off": nil, "anyway": true,
		"filter": map[string]any{"kind": "new"}})
	r.Must(err)
	r.wants("a rule that can report nothing", page, "1h0m0s Lamp 1h")
	_, err = r.RemoveRule(t.Context(), price.ID)
	r.Must(err)
	r.wants("removed", page, "a day")
	r.Check(r.reg)
}

// TestK15ARuleForATag checks that a rule for a tag moves the next checks of its pages by a run, that pages which get or
// lose the tag follow, and that the timer begins a run that the process could not (K15).
func TestK15ARuleForATag(t *testing.T) {
	r := newDemandRig(t, File{})
	urls := runtest.Pages("https://a.example/", 300)
	r.Register(r.reg, urls...)
	const other = "https://b.example/"
	r.Register(r.reg, other)
	r.crawl()
	tagged := func(tags ...string) {
		for _, it := range r.Items(r.reg) {
			if it.SourceHost == "a.example" {
				_, err := r.reg.Items.Set(t.Context(), it.ID, registry.Settings{Tags: append([]string{}, tags...)})
				r.Must(err)
			}
		}
	}
	tagged("lamps")
	all := func(what, want string) {
		t.Helper()
		for u, it := range r.Items(r.reg) {
			if have := r.nextOf(it); u != other && have != want || u == other && have != "a day" {
				t.Fatalf("%s: %s is checked in %s, want %s", what, u, have, want)
			}
		}
	}
	rule := r.rule("", "6h", api.RuleFilter{ChangeFilter: api.ChangeFilter{Tag: "lamps"}})
	if rule.Run == "" || rule.Cost != "about 4 requests a day" {
		t.Errorf("the answer is %+v", rule)
	}
	r.finish()
	all("a rule for a tag", "6h0m0s Lamp 6h")
	tagged()
	all("the tag is lost", "a day")
	tagged("lamps")
	all("the tag is there again", "6h0m0s Lamp 6h")
	r.down = true
	r.rule(rule.ID, "1h", api.RuleFilter{ChangeFilter: api.ChangeFilter{Tag: "lamps"}})
	all("no run can be begun", "6h0m0s Lamp 6h")
	r.down = false
	_, err := r.Follower.Follow(t.Context())
	r.Must(err)
	r.finish()
	all("the timer has begun it", "1h0m0s Lamp 1h")
	_, err = r.Follower.Follow(t.Context())
	r.Must(err)
	if active := r.Rows("Runs", "active|"); len(active) > 0 {
		t.Errorf("the timer begins %v again", active)
	}
	_, err = r.RemoveRule(t.Context(), rule.ID)
	r.Must(err)
	r.finish()
	all("the rule is removed", "a day")
	r.Check(r.reg)
}

// TestK15RulesOfAFile checks that the demands of the rules file are written by a run that the timer begins, and that a
// new page has them from the beginning (K15).
func TestK15RulesOfAFile(t *testing.T) {
	file, err := ParseFile("rules.yaml", []byte(
		"channels: []\nrules:\n  - name: All\n    channels: [ops]\n    every: 2h\n    filter: {host: a.example}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := newDemandRig(t, File{})
	r.Register(r.reg, "https://a.example/old", "https://b.example/")
	r.crawl()
	r.Notifier.o.File = file
	r.Follower.o.File = file
	r.Asking.forget()
	_, err = r.Follower.Follow(t.Context())
	r.Must(err)
	r.finish()
	r.wants("a page", "https://a.example/old", "2h0m0s All")
	r.wants("another host", "https://b.example/", "a day")
	r.Register(r.reg, "https://a.example/new")
	r.crawl()
	r.wants("a new page", "https://a.example/new", "2h0m0s All")
}

// TestK15WrongDemands checks what every may be (K15).
func TestK15WrongDemands(t *testing.T) {
	r := newDemandRig(t, File{})
	for every, want := range map[string]string{"1m": "", "30d": "", "30s": "every", "31d": "every", "often": "every"} {
		_, err := r.SaveRule(t.Context(), "", api.RuleSpec{Name: "a", Channels: []string{"ops"}, Every: every})
		if fault.FieldOf(err) != want {
			t.Errorf("%s: %v", every, err)
		}
	}
}

// TestK15Proposals checks how often checks are proposed for what a rule waits for, and what that costs (K15).
func TestK15Proposals(t *testing.T) {
	r := newDemandRig(t, File{})
	r.Register(r.reg, "https://a.example/lamp")
	it := r.Items(r.reg)["https://a.example/lamp"]
	for what, spec := range map[string]api.RuleSpec{
		"15m": {When: &api.Condition{Field: "availability", Op: "fromTo", To: "InStock"}},
		"1h":  {When: &api.Condition{Field: "price", Op: "<", Value: "80"}},
		"6h":  {Filter: api.RuleFilter{ChangeFilter: api.ChangeFilter{Kind: "listed"}}},
		"1d":  {},
	} {
		spec.Filter.ItemID, spec.Every = string(it.ID), what
		got, err := r.PreviewRule(t.Context(), spec)
		cost := map[string]string{"15m": "about 96 requests a day", "1h": "about 24 requests a day",
			"6h": "about 4 requests a day", "1d": "about 1 request a day"}[what]
		if err != nil || got.ProposedEvery != what || got.Cost != cost {
			t.Errorf("%s: %q, %q, %v", what, got.ProposedEvery, got.Cost, err)
		}
	}
	_, err := r.reg.Items.Set(t.Context(), it.ID, registry.Settings{Patch: api.Patch{"watch": map[string]any{
		"include": []any{"main > table"}}}})
	r.Must(err)
	got, err := r.PreviewRule(t.Context(), api.RuleSpec{Filter: api.RuleFilter{ItemID: string(it.ID)}})
	if err != nil || got.ProposedEvery != "6h" {
		t.Errorf("a table: %q, %v", got.ProposedEvery, err)
	}
}

// TestK15WhatHoldsACheckBack checks that it is said what holds a check back that a rule wants (K15).
func TestK15WhatHoldsACheckBack(t *testing.T) {
	const page = "https://a.example/lamp"
	yes := true
	for want, set := range map[string]registry.Settings{
		"": {}, "the page is paused": {Paused: &yes},
		"schedule daily at 9am":   {Patch: api.Patch{"schedule": map[string]any{"text": "daily at 9am"}}},
		"the active hours set by": {Patch: api.Patch{"activeHours": map[string]any{"from": "03:00", "to": "04:00"}}},
	} {
		r := newDemandRig(t, File{})
		r.Register(r.reg, page)
		r.crawl()
		id := r.Items(r.reg)[page].ID
		r.rule("", "15m", api.RuleFilter{ItemID: string(id)})
		if !set.Zero() {
			_, err := r.reg.Items.Set(t.Context(), id, set)
			r.Must(err)
		}
		held := func() string {
			it := r.Items(r.reg)[page]
			e, err := r.reg.Tags.Effective(t.Context(), &it)
			r.Must(err)
			_, why, err := r.reg.Hosts.Held(t.Context(), &it, e)
			r.Must(err)
			return why
		}
		if have := held(); !strings.HasPrefix(have, want) || (have == "") != (want == "") {
			t.Errorf("%q is held back by %q", want, have)
		}
		if want != "" {
			continue
		}
		r.Clock.Pass(20 * time.Minute)
		if have := held(); !strings.HasPrefix(have, "the pace of the host") {
			t.Errorf("a check that is late: %q", have)
		}
		it := r.Items(r.reg)[page]
		r.Must(r.reg.Hosts.Pause(t.Context(), it.Partition(), "a.example", r.Clock.Now().Add(time.Hour), "it is busy"))
		if have := held(); !strings.Contains(have, "it is busy") {
			t.Errorf("a host that is paused: %q", have)
		}
	}
}
