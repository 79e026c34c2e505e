package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage/storagetest"
)

// page makes the facts of a page that has been read.
func page(item, host string, all ...field.Kept) Facts {
	p := Facts{Page: feed.Change{Kind: feed.Field, ItemID: item, Host: host, Type: "url", Title: "The " + item,
		URL: "https://" + host + "/" + item}, Read: true, Fields: field.Known{Read: true, All: all},
		Types: map[string]field.Type{}}
	for _, k := range all {
		p.Types[k.Name] = k.Last.Value.Type
	}
	return p
}

// kept makes a field that was read, by itself or as a setting asks.
func kept(name, key string, of field.Type, text string) field.Kept {
	v, _, _ := field.Parse(of, text, field.Hint{Locale: "en-US"})
	return field.Kept{Name: name, Key: key, State: field.Found, Last: field.Moment{Value: v}, At: time.Unix(1, 0)}
}

// knows makes pages known to the rig.
func (r *rig) knows(pages ...Facts) *bool {
	whole := true
	r.Book.o.Pages = func(_ context.Context, f api.RuleFilter, see func(Facts) bool) (bool, error) {
		found := false
		for _, p := range pages {
			if f.ItemID == "" || f.ItemID == p.Page.ItemID {
				found = true
				if !see(p) {
					return false, nil
				}
			}
		}
		if f.ItemID != "" && !found {
			return false, fault.New(fault.NotFound, "no such item")
		}
		return whole, nil
	}
	return &whole
}

// saves saves a rule that may be refused.
func (r *rig) saves(spec api.RuleSpec) (api.Rule, []api.CannotFire, error) {
	r.t.Helper()
	r.channel("ops")
	if spec.Name = "rule"; spec.Channels == nil {
		spec.Channels = []string{"ops"}
	}
	rule, err := r.SaveRule(r.t.Context(), "", spec)
	if refused, ok := errors.AsType[*cannotFireError](err); ok {
		return rule, refused.Cannot, err
	}
	return rule, rule.Cannot, err
}

// channel makes a channel unless there is one.
func (r *rig) channel(name string) {
	r.t.Helper()
	_, err := r.SaveChannel(r.t.Context(), api.ChannelSpec{Name: name,
		ChannelSettings: api.ChannelSettings{Kind: Webhook, URL: address(name)}}, true)
	must(r.t, fault.Except(err, fault.Conflict))
}

func isBelow(name, value string) *api.Condition {
	return &api.Condition{Field: name, Op: "<", Value: api.Constant(value)}
}

// TestQ18ReasonsAgainstRules checks each reason for which a rule cannot fire on a page, that such a rule is not saved,
// and that one without a reason is (Q18, G2).
func TestQ18ReasonsAgainstRules(t *testing.T) {
	price := kept(field.Price, "", field.Money, "84 EUR")
	lamp, plain := page("url_lamp", "shop.example", price), page("url_plain", "plain.example")
	unread := page("url_new", "new.example")
	unread.Read = false
	lost := price
	lost.State, lost.Why = field.Gone, "the page declares no product"
	broken := page("url_broken", "broken.example")
	broken.Broken = "nothing fits .price"
	list := page("url_list", "list.example")
	list.List = true
	ambiguous := kept("cost", "k", field.Money, "")
	ambiguous.State, ambiguous.At, ambiguous.Why = field.Unread, time.Time{}, "1.000 is ambiguous"
	asked := page("url_asked", "asked.example", ambiguous)
	r := newRig(t)
	sold := kept(field.Stock, "", field.Availability, "out of stock")
	sold.State = field.Gone
	r.knows(lamp, plain, unread, page("url_lost", "lost.example", lost), broken, list, asked,
		page("url_sold", "sold.example", sold))
	kind := func(kind string) (f api.RuleFilter) {
		f.Kind = kind
		return f
	}
	words := func(text string) api.RuleFilter { return api.RuleFilter{Added: text} }
	for _, tc := range []struct {
		item   string
		filter api.RuleFilter
		when   *api.Condition
		why    string // "" if the rule is saved
	}{
		{"url_lamp", kind(""), isBelow("price", "80"), ""},
		{"url_lamp", kind(""), isBelow("salePrice", "80"), ""},
		{"url_lamp", kind(""), isBelow("version", "80"), `no value named "version"; there are price`},
		{"url_lamp", kind(""), &api.Condition{Field: "price", Op: "=", Value: "in stock"}, "not a value for the field price"},
		{"url_plain", kind(""), isBelow("price", "180"), `no value named "price", nor any other value`},
		{"url_plain", kind(""), &api.Condition{Field: "price", Op: "appears"}, `no value named "price"`},
		{"url_plain", kind(""), &api.Condition{Field: "price", Op: "appears", First: true}, ""},
		{"url_new", kind("listed"), isBelow("price", "180"), ""},
		{"url_lost", kind(""), isBelow("price", "80"), "price is not there: the page declares no product"},
		{"url_sold", kind(""), &api.Condition{Field: "availability", Op: "fromTo", To: "in stock"},
			"stock is not there: its source is gone"},
		{"url_plain", kind(""), &api.Condition{Field: "availability", Op: "fromTo", To: "in stock"},
			"the page does not say whether it is in stock, and has no value"},
		{"url_asked", kind(""), isBelow("cost", "80"), "cost cannot be read: 1.000 is ambiguous"},
		{"url_plain", kind("listed"), nil, "not watched as a list"},
		{"url_plain", kind("listed,content"), nil, ""},
		{"url_list", kind("listed"), nil, ""},
		{"url_plain", kind("field"), nil, "the page has none"},
		{"url_broken", kind(""), nil, "nothing fits .price"},
		{"url_broken", words("new"), nil, "nothing fits .price"},
		{"url_broken", kind("gone"), nil, ""},
		{"url_plain", kind("new"), nil, "it waits for a new page"},
		{"url_plain", kind(""), nil, ""},
	} {
		tc.filter.ItemID = tc.item
		rule, cannot, err := r.saves(api.RuleSpec{Filter: tc.filter, When: tc.when})
		if name := fmt.Sprint(tc.item, tc.filter.Kind, tc.when); tc.why == "" {
			if err != nil || rule.Warning != "" || len(cannot) > 0 {
				t.Errorf("%s: refused: %v %q", name, err, rule.Warning)
			}
		} else if !fault.Is(err, fault.Conflict) || len(cannot) != 1 || !strings.Contains(cannot[0].Why, tc.why) ||
			cannot[0].Remedy == "" {
			t.Errorf("%s: have %v %+v, want %q", name, err, cannot, tc.why)
		}
		tried, err := r.PreviewRule(t.Context(), api.RuleSpec{Filter: tc.filter, When: tc.when, Channels: []string{"ops"}})
		must(t, err)
		if (tried.Warning == "") != (tc.why == "") || tc.why != "" && tried.Preview != nil {
			t.Errorf("%s: a trial has %q and %+v", tc.item, tried.Warning, tried.Preview)
		}
	}
	rule := r.rule(api.RuleSpec{Filter: api.RuleFilter{ItemID: "url_plain"}, When: isBelow("price", "8")}, "ops")
	if rule.Warning == "" || len(rule.Cannot) != 1 {
		t.Errorf("saved anyway: %+v", rule)
	}
}

// TestQ18PagesOfAFilter checks a rule for several pages: it is saved if it can fire on one of them or if not all were
// examined, at most ten of the others are named, and it is refused if there is no page (Q18).
func TestQ18PagesOfAFilter(t *testing.T) {
	r := newRig(t)
	var pages []Facts
	for i := range 12 {
		pages = append(pages, page(fmt.Sprintf("url_%02d", i), "many.example"))
	}
	whole := r.knows(append(pages, page("url_lamp", "shop.example", kept(field.Price, "", field.Money, "84 EUR")))...)
	at := func(host, kind string) (f api.RuleFilter) {
		f.Host, f.Kind = host, kind
		return f
	}
	rule, cannot, err := r.saves(api.RuleSpec{When: isBelow("price", "80")})
	if must(t, err); len(cannot) != 10 || rule.CannotMore != 2 || rule.Warning != "" || cannot[0].Title != "The url_00" {
		t.Errorf("some: %+v", rule)
	}
	_, cannot, err = r.saves(api.RuleSpec{Filter: at("many.example", ""), When: isBelow("price", "80")})
	if !fault.Is(err, fault.Conflict) || len(cannot) != 10 || !strings.Contains(err.Error(), "2 pages") {
		t.Errorf("none: %v %+v", err, cannot)
	}
	*whole = false
	rule, _, err = r.saves(api.RuleSpec{Filter: at("many.example", ""), When: isBelow("price", "80")})
	if must(t, err); rule.Warning != "" || !rule.Unexamined {
		t.Errorf("of pages that were not examined: %+v", rule)
	}
	*whole = true
	if _, cannot, err = r.saves(api.RuleSpec{Filter: at("other.example", "")}); len(cannot) != 1 ||
		!strings.Contains(cannot[0].Why, "no page that its filter selects") {
		t.Errorf("no page: %v %+v", err, cannot)
	}
	for _, f := range []api.RuleFilter{at("other.example", "new"), at("", "")} {
		if _, _, err := r.saves(api.RuleSpec{Filter: f}); err != nil {
			t.Errorf("%+v: %v", f, err)
		}
	}
	r.Book.o.Entries = func(context.Context) (bool, error) { return true, nil }
	if _, _, err := r.saves(api.RuleSpec{Filter: at("other.example", "")}); err != nil {
		t.Errorf("an entry may be of the host: %v", err)
	}
	r.Book.o.Pages = func(context.Context, api.RuleFilter, func(Facts) bool) (bool, error) {
		return false, fault.New(fault.Unavailable, "no answer")
	}
	if _, _, err := r.saves(api.RuleSpec{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("have %v", err)
	}
	if have := noSuchField("a", strings.Fields("1 2 3 4 5 6 7 8 9 10 11")); !strings.HasSuffix(have, "10 and 1 other") {
		t.Errorf("have %q", have)
	}
}

// TestQ18AStoppedRule checks that the channels of a rule that can fire nowhere any more are notified once, that the
// rule is then listed as such until it can fire again, and that nobody is notified of what a person has saved anyway,
// of a watch whose breaking was reported, and of a rule that is off (Q18).
func TestQ18AStoppedRule(t *testing.T) {
	for name, open := range map[string]opener{"mem": openMem, "embedded": openEmbedded} {
		t.Run(name, func(t *testing.T) {
			r := newRigOn(t, open)
			price := kept(field.Price, "", field.Money, "84 EUR")
			lamp := page("url_lamp", "shop.example", price)
			r.knows(lamp)
			spec := api.RuleSpec{When: isBelow("price", "80"), Filter: api.RuleFilter{ItemID: "url_lamp"}}
			rule := r.rule(spec, "ops")
			r.rule(api.RuleSpec{When: isBelow("price", "80"), Off: true}, "off")
			anyway := api.RuleSpec{When: isBelow("cost", "80"), Filter: spec.Filter}
			silent := r.rule(anyway, "silent")
			review := func() {
				t.Helper()
				_, err := r.Follower.Review(t.Context())
				must(t, err)
				r.work()
			}
			unable := func(want ...string) {
				t.Helper()
				got, err := r.Rules(t.Context(), api.RuleQuery{Cannot: true, Top: 10})
				must(t, err)
				all, err := r.Rules(t.Context(), api.RuleQuery{Top: 10})
				must(t, err)
				n := 0
				for _, one := range all.Rules {
					if one.Warning != "" {
						n++
					}
				}
				if len(got.Rules) != len(want) || n != len(want) {
					t.Errorf("have %+v and %d in the list, want %v", got.Rules, n, want)
				}
			}
			review()
			unable(silent.ID)
			price.State, price.Why = field.Gone, "the page declares no product"
			r.knows(page("url_lamp", "shop.example", kept("count", "", field.Number, "1")))
			review()
			review()
			unable(silent.ID, rule.ID)
			got := r.to.got[address("ops")]
			if len(got) != 1 || !strings.Contains(got[0].Text, `no value named "price"`) ||
				!strings.Contains(string(got[0].Body), string(api.EventCannot)) {
				t.Errorf("messages: %+v", got)
			}
			if n := len(r.to.got[address("off")]) + len(r.to.got[address("silent")]); n != 0 {
				t.Errorf("%d messages of a rule that is off, or was saved anyway", n)
			}
			r.knows(lamp)
			unable(silent.ID)
			review()
			r.knows(page("url_lamp", "shop.example", price))
			review()
			if got := r.to.got[address("ops")]; len(got) != 1 {
				t.Errorf("the broken watch is reported by itself, and not again: %+v", got)
			}
			unable(silent.ID, rule.ID)
			_, err := r.RemoveRule(t.Context(), rule.ID)
			must(t, err)
			review()
			unable(silent.ID)
		})
	}
}

// TestQ18ReportedOnceWhateverFails checks that the channels of a rule that can fire nowhere any more get one message,
// whichever request of the round fails, before it took effect or after (Q18).
func TestQ18ReportedOnceWhateverFails(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n, died := 1, true; died; n++ {
			r := newRig(t)
			r.knows(page("url_lamp", "shop.example", kept(field.Price, "", field.Money, "84 EUR")))
			r.rule(api.RuleSpec{When: isBelow("price", "80"), Filter: api.RuleFilter{ItemID: "url_lamp"}}, "ops", "chat")
			r.knows(page("url_lamp", "shop.example"))
			died = false
			dies := r.over(storagetest.Hooked(r.store, dying(n, after, &died)))
			dies.Book.o.Pages = r.Book.o.Pages
			_, _ = dies.Follower.Review(t.Context())
			_, err := r.Follower.Review(t.Context())
			must(t, err)
			r.work()
			r.now = r.now.Add(2 * lostAfter)
			r.follow()
			r.work()
			if a, b := len(r.to.got[address("ops")]), len(r.to.got[address("chat")]); a != 1 || b != 1 {
				t.Errorf("request %d, after it took effect: %t: %d and %d messages", n, after, a, b)
			}
			if !died && n < 5 {
				t.Errorf("only %d requests", n)
			}
		}
	}
}

// TestQ18AWatchBreaks checks that a broken watch makes the rules of its page stopped ones at once, and that this
// sends no message besides that of the broken watch (Q18).
func TestQ18AWatchBreaks(t *testing.T) {
	r := newRig(t)
	r.knows(page("lamp", "a.example"))
	rule := r.rule(forPage("lamp"), "ops")
	listed := func() string {
		all, err := r.Rules(t.Context(), api.RuleQuery{Top: 10})
		must(t, err)
		return all.Rules[0].Warning
	}
	broken := page("lamp", "a.example")
	broken.Broken = "nothing fits .price"
	r.knows(broken)
	must(t, r.feed.Publish(t.Context(), feed.Group{ID: "b1", Changes: []feed.Change{{At: r.now, Kind: feed.WatchBroken,
		ItemID: "lamp", Host: "a.example", Type: "url"}}}))
	r.follow()
	r.work()
	if why := listed(); !strings.Contains(why, "nothing fits .price") {
		t.Errorf("the list has %q", why)
	}
	if got := r.to.got[address("ops")]; len(got) != 1 {
		t.Errorf("messages: %+v", got)
	}
	_, err := r.PatchRule(t.Context(), rule.ID, api.Patch{"off": true})
	must(t, err)
	if why := listed(); why != "" {
		t.Errorf("switched off, it has %q", why)
	}
}

// TestQ18ChannelsThatAreGone checks that a rule whose channels are all gone cannot fire, in a file, too (Q18).
func TestQ18ChannelsThatAreGone(t *testing.T) {
	f, err := ParseFile("rules.yaml", []byte("rules:\n  - {name: gone, channels: [nobody]}\n  - {name: lost, "+
		"channels: [nobody, somebody], when: {field: cost, op: <, value: 1}}\n"+
		"channels:\n  - {name: somebody, kind: shoutrrr, urlFrom: X}\n"))
	must(t, err)
	r := newRig(t)
	r.Book.o.File = f
	r.knows(page("url_lamp", "shop.example"))
	_, err = r.Follower.Review(t.Context())
	must(t, err)
	all, err := r.Rules(t.Context(), api.RuleQuery{Top: 10})
	must(t, err)
	want := []string{"there is no channel nobody", `no value named "cost"`}
	for i, rule := range all.Rules {
		if !strings.Contains(rule.Warning, want[i]) {
			t.Errorf("%s: have %q, want %q", rule.Name, rule.Warning, want[i])
		}
	}
	r.follow() // the start and the follower go on with such rules
}

// TestQ18WhatHoldsAlready checks that saving a rule says on which pages its condition holds already, that "now" sends a
// message about each, and that a page that is muted sends none (Q18).
func TestQ18WhatHoldsAlready(t *testing.T) {
	r := newRig(t)
	r.knows(page("url_lamp", "shop.example", kept(field.Price, "", field.Money, "39 EUR")),
		page("url_shelf", "shop.example", kept(field.Price, "", field.Money, "99 EUR")),
		page("url_desk", "shop.example", kept(field.Price, "", field.Money, "9 EUR")))
	_, err := r.Mute(t.Context(), api.MuteRequest{ItemID: "url_desk", For: "day"}, Page{})
	must(t, err)
	rule := r.rule(api.RuleSpec{When: isBelow("price", "40 EUR")}, "ops")
	want := api.HeldCondition{Item: "url_lamp", Title: "The url_lamp", Value: "39 EUR"}
	if len(rule.Holds) != 2 || rule.Holds[0] != want {
		t.Errorf("holds: %+v", rule.Holds)
	}
	r.work()
	r.expect("ops", 0, 0)
	_, err = r.PatchRule(t.Context(), rule.ID, api.Patch{"now": true})
	must(t, err)
	r.work()
	r.expect("ops", 1, 1)
	if got := r.to.got[address("ops")][0].Title; !strings.Contains(got, "39 EUR") || !strings.Contains(got, "url_lamp") {
		t.Errorf("have %q", got)
	}
	read, err := r.Rule(t.Context(), rule.ID)
	must(t, err)
	if len(read.Holds) != 2 {
		t.Errorf("read: %+v", read)
	}
}
