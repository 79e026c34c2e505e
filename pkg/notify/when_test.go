package notify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// TestQ3RulesThatAskForSmallChanges checks that a rule takes what it looks for wherever that stands, and although it is
// small, unless it names a zone (Q3).
func TestQ3RulesThatAskForSmallChanges(t *testing.T) {
	c := feed.Change{Kind: feed.Beside, Small: &feed.Small{Why: feed.SmallBeside},
		Passages: []feed.Passage{{Text: "New charts", Op: feed.Added}},
		Fields:   []field.Change{price("84", "79")}}
	moves := c
	moves.Kind, moves.Small = feed.Content, &feed.Small{Why: feed.SmallMoves, What: "a clock"}
	inZone := ruleFor(api.ChangeFilter{Zone: "facts"})
	inZone.Filter.Added = "charts"
	for name, tt := range map[string]struct {
		spec          api.RuleSpec
		beside, moves bool
	}{
		"by default":         {api.RuleSpec{}, false, false},
		"words":              {api.RuleSpec{Filter: api.RuleFilter{Added: "charts"}}, true, true},
		"other words":        {api.RuleSpec{Filter: api.RuleFilter{Added: "maps"}}, false, false},
		"a kind":             {ruleFor(api.ChangeFilter{Kind: "beside"}), true, false},
		"words in a zone":    {inZone, false, false},
		"a condition":        {api.RuleSpec{When: below("80")}, true, true},
		"small changes only": {ruleFor(api.ChangeFilter{Small: "only"}), true, true},
		"the whole page":     {ruleFor(api.ChangeFilter{Zone: "all"}), true, false},
	} {
		tt.spec.Name, tt.spec.Channels = name, []string{"ops"}
		r, errs := compile(tt.spec)
		if errs != nil {
			t.Fatal(name, errs)
		}
		for what, want := range map[*feed.Change]bool{&c: tt.beside, &moves: tt.moves} {
			left := maxEffort
			if have, err := r.wants(t.Context(), *what, &left); have != want || err != nil {
				t.Errorf("%s, %s: %v, %v", name, what.Small.Why, have, err)
			}
		}
	}
}

func ruleFor(f api.ChangeFilter) api.RuleSpec {
	return api.RuleSpec{Filter: api.RuleFilter{ChangeFilter: f}}
}

func euros(n field.Decimal) field.Moment {
	return field.Moment{Value: field.Value{Type: field.Money, Number: n, Currency: "EUR"}}
}

// price is a change of a price.
func price(then, now field.Decimal) field.Change {
	return field.Change{Name: field.Price, State: field.Found, Then: euros(then), Now: euros(now), Reported: true}
}

// below is a condition on a price.
func below(amount api.Constant) *api.Condition {
	return &api.Condition{Field: field.Price, Op: "<", Value: amount}
}

// fields publishes a change of fields of a page.
func (r *rig) fields(c feed.Change, all ...field.Change) {
	r.t.Helper()
	r.n++
	c.At, c.Host, c.Type, c.Fields = r.now, "shop.example", "url", all
	if c.ItemID == "" {
		c.ItemID = "lamp"
	}
	if c.Kind == "" {
		c.Kind = feed.Field
	}
	c.URL = "https://shop.example/" + c.ItemID
	must(r.t, r.feed.Publish(r.t.Context(), feed.Group{ID: fmt.Sprint("f", r.n), Changes: []feed.Change{c}}))
}

// TestG2RulesWithConditions checks on every store which changes a rule with a condition reports: those that its filter
// selects and in which a field meets the condition, also if they are silenced, and of any kind if they stand in the
// feed only for conditions (G2).
func TestG2RulesWithConditions(t *testing.T) {
	silenced := feed.Change{Silenced: true}
	hidden := feed.Change{Silenced: true, Kind: feed.Content, Ignored: []feed.Ignored{{Rule: "ignore: ^Updated"}}}
	falls := []field.Change{price("84", "79")}
	firsts := []field.Change{{Name: field.Price, State: field.Found, Now: euros("70"), First: true}}
	other := []field.Change{{Name: "list", Then: euros("90"), Now: euros("70")}}
	content := feed.Change{Kind: feed.Content}
	of := func(kind string) api.ChangeFilter { return api.ChangeFilter{Kind: kind} }
	asks := &api.Condition{Field: field.Price, Op: "<", Value: "80", First: true}
	for name, tt := range map[string]struct {
		filter api.ChangeFilter
		when   *api.Condition
		change feed.Change
		fields []field.Change
		want   bool
	}{
		"met":                 {when: below("80 EUR"), fields: falls, want: true},
		"not met":             {when: below("80 EUR"), fields: []field.Change{price("84", "81")}},
		"met before, too":     {when: below("80 EUR"), fields: []field.Change{price("79", "75")}},
		"of another field":    {when: below("80"), fields: other},
		"no field":            {when: below("80 EUR"), change: content},
		"in a change of text": {when: below("80"), change: content, fields: falls, want: true},
		"another kind":        {filter: of("gone"), when: below("80"), fields: falls},
		"another host":        {filter: api.ChangeFilter{Host: "a.example"}, when: below("80"), fields: falls},
		"too small a share":   {filter: api.ChangeFilter{MinShare: .1}, when: below("80"), fields: falls},
		"a word of the value": {filter: api.ChangeFilter{Q: "price 79"},
			when: below("80"), fields: falls, want: true},
		"a word that is not there": {filter: api.ChangeFilter{Q: "78"}, when: below("80"), fields: falls},
		"for conditions":           {when: below("80"), change: silenced, fields: falls, want: true},
		"for conditions, of any kind": {filter: of("gone"), when: below("80"),
			change: silenced, fields: falls, want: true},
		"for conditions, without one": {filter: api.ChangeFilter{Silenced: "true"}, change: silenced, fields: falls},
		"hidden by a watch":           {when: below("80"), change: hidden, fields: falls, want: true},
		"hidden, of another kind":     {filter: of("gone"), when: below("80"), change: hidden, fields: falls},
		"hidden, without a condition": {filter: api.ChangeFilter{Silenced: "true"},
			change: hidden, fields: falls, want: true},
		"a first value":                  {when: asks, change: silenced, fields: firsts, want: true},
		"a first value, not asked for":   {when: below("80"), change: silenced, fields: firsts},
		"a broken watch, whatever it is": {when: below("80"), change: feed.Change{Kind: feed.WatchBroken}, want: true},
	} {
		for store, open := range map[string]opener{"mem": openMem, "embedded": openEmbedded, "azurite": openAzurite} {
			if store != "mem" && name != "met" && name != "for conditions" {
				continue // of these, the store matters
			}
			r := newRigOn(t, open)
			rule := r.rule(api.RuleSpec{Filter: api.RuleFilter{ChangeFilter: tt.filter}, When: tt.when}, "ops")
			r.now = r.now.Add(time.Minute)
			r.fields(tt.change, tt.fields...)
			r.follow()
			r.work()
			if n, _ := r.told("ops"); n == 1 != tt.want {
				t.Errorf("%s on %s: %d messages", name, store, n)
			}
			test, err := r.TestRule(t.Context(), rule.ID)
			must(t, err)
			if test.Matched == 1 != tt.want {
				t.Errorf("%s on %s: a test of the rule finds %d", name, store, test.Matched)
			}
		}
	}
}

// TestG2FirstValueForOneRule checks that a first value that a rule for one page has asked for is reported by that rule
// alone (G2).
func TestG2FirstValueForOneRule(t *testing.T) {
	r := newRig(t)
	spec := forPage("lamp")
	spec.When = &api.Condition{Field: field.Price, Op: "<", Value: "80", First: true}
	asks, asked := r.rule(spec, "asks"), r.rule(spec, "asked")
	r.rule(spec, "other")
	r.rule(api.RuleSpec{When: spec.When}, "general")
	r.now = r.now.Add(time.Minute)
	r.fields(feed.Change{Silenced: true}, field.Change{Name: field.Price, State: field.Found, Now: euros("70"),
		First: true, Rule: asks.ID + " " + asked.ID})
	r.pass(time.Minute)
	r.expect("asks", 1, 1)
	r.expect("asked", 1, 1)
	r.expect("other", 0, 0)
	r.expect("general", 0, 0)
}

// TestG2BrokenConditions checks that a condition that cannot be read is refused, with the name of the field (G2).
func TestG2BrokenConditions(t *testing.T) {
	r := newRig(t)
	for want, when := range map[string]api.Condition{
		"when.field": {Op: "<", Value: "1"}, "when.op": {Field: "price", Op: "!"}, "when.value": {Field: "price", Op: "<"},
		"when.to":      {Field: "price", Op: "fromTo", From: "1", To: "1"},
		"when.against": {Field: "price", Op: "<", Against: "best"},
	} {
		_, err := r.PreviewRule(t.Context(), api.RuleSpec{When: &when})
		if fault.FieldOf(err) != want || !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", when, err)
		}
	}
}

// TestG2Asked checks which fields rules ask for: those of the conditions of rules that are switched on and about the
// page (G2).
func TestG2Asked(t *testing.T) {
	r := newRig(t)
	on := func(name string, spec api.RuleSpec) api.RuleSpec {
		spec.When = &api.Condition{Field: name, Op: "appears"}
		return spec
	}
	host := func(name string) api.RuleFilter {
		return api.RuleFilter{ChangeFilter: api.ChangeFilter{Host: name, Kind: "gone"}}
	}
	r.rule(on("author", api.RuleSpec{Filter: host("shop.example")}), "ops")
	r.rule(on("author", api.RuleSpec{Filter: api.RuleFilter{Items: "tag=lamps"}}), "ops")
	r.rule(on("elsewhere", api.RuleSpec{Filter: host("a.example")}), "ops")
	r.rule(on("off", api.RuleSpec{Off: true}), "ops")
	r.rule(api.RuleSpec{}, "ops")
	r.rule(on("version", forPage("lamp")), "ops")
	r.rule(on("page", forPage("shelf")), "ops")
	asked := func(c feed.Change, same bool, want ...string) {
		t.Helper()
		c.Host, c.Type, c.Silenced = "shop.example", "url", true
		fields, needs, err := r.Asking.Asked(t.Context(), c)
		must(t, err)
		if !slices.Equal(fields, want) || needs != same {
			t.Errorf("rules ask for %q, same %t; want %q, %t", fields, needs, want, same)
		}
	}
	asked(feed.Change{ItemID: "lamp"}, false, "author", "version")
	asked(feed.Change{ItemID: "other", Tags: []string{"lamps"}}, false, "author")
	asked(feed.Change{ItemID: "shelf"}, false, "author", "page")
	lowest := api.RuleSpec{When: &api.Condition{Field: field.Price, Op: "=", Against: "lowest"}}
	kept := r.rule(lowest, "ops")
	asked(feed.Change{ItemID: "other"}, true, "author", "price")
	_, err := r.over(r.store).RemoveRule(t.Context(), kept.ID)
	must(t, err)
	r.now = r.now.Add(askingAge)
	asked(feed.Change{ItemID: "other"}, false, "author")
}

// TestG2FirstIsAskedFor checks that a rule for one page whose condition may be met by the first value asks for the
// present values before it is stored: when it is new, when its condition changes, and when it is switched on (G2).
func TestG2FirstIsAskedFor(t *testing.T) {
	r := newRig(t)
	var asked []string
	var fails error
	r.Book.o.AskFields = func(ctx context.Context, item source.ID, rule string) error {
		asked = append(asked, string(item)+" "+rule)
		return fails
	}
	spec := forPage("lamp")
	spec.When = &api.Condition{Field: field.Price, Op: "<", Value: "80", First: true}
	fails = fault.New(fault.Unavailable, "no answer")
	r.rule(api.RuleSpec{When: spec.When}, "ops")
	spec.Channels = []string{"ops"}
	if _, err := r.SaveRule(t.Context(), "", spec); len(asked) != 1 || !fault.Is(err, fault.Unavailable) {
		t.Errorf("asked %q: %v", asked, err)
	}
	if all, err := r.Rules(t.Context(), api.RuleQuery{ItemID: "lamp"}); err != nil || len(all.Rules) != 0 {
		t.Errorf("rules of the page: %+v, %v", all, err)
	}
	fails, asked = nil, nil
	rule := r.rule(spec, "ops")
	save := func(want int, change func(spec *api.RuleSpec)) {
		t.Helper()
		change(&rule.RuleSpec)
		_, err := r.SaveRule(t.Context(), rule.ID, rule.RuleSpec)
		must(t, err)
		if len(asked) != want || asked[0] != "lamp "+rule.ID {
			t.Errorf("asked %q, want %d", asked, want)
		}
	}
	save(1, func(spec *api.RuleSpec) { spec.Name = "another name" })
	save(2, func(spec *api.RuleSpec) {
		spec.When = &api.Condition{Field: field.Price, Op: ">", Value: "80", First: true}
	})
	save(2, func(spec *api.RuleSpec) { spec.Off = true })
	save(3, func(spec *api.RuleSpec) { spec.Off = false })
	save(3, func(spec *api.RuleSpec) { spec.When = nil })
}

// TestG2MessagesOfConditions checks that the message, the digest and the test of a rule say first which field meets its
// condition, and how (G2).
func TestG2MessagesOfConditions(t *testing.T) {
	r := newRig(t)
	rule := r.rule(api.RuleSpec{Name: "Cheap", When: below("80 EUR")}, "ops")
	r.rule(api.RuleSpec{Name: "Daily", When: below("80 EUR"), Digest: "hourly"}, "hourly")
	stock := field.Change{Name: "stock", Reported: true, Now: euros("3"), Then: euros("4")}
	r.now = r.now.Add(time.Minute)
	r.fields(feed.Change{Kind: feed.Content, Title: "Lamp"}, stock, price("84", "79"))
	r.pass(2 * time.Hour)
	const title = "Lamp: price 84 → 79 EUR"
	test, err := r.TestRule(t.Context(), rule.ID)
	must(t, err)
	if test.Message != title+", and 1 more" || len(test.Preview.Messages) != 1 && test.Changes[0].Field == nil {
		t.Errorf("the test of the rule: %+v", test)
	}
	const both = title + ", and 1 more"
	for channel, want := range map[string]string{"ops": both, "hourly": "Daily: " + both} {
		all := r.to.got[address(channel)]
		if len(all) != 1 || all[0].Title != want || !strings.Contains(string(all[0].Body), "price is below 80 EUR") {
			t.Errorf("%s got %+v", channel, all)
		}
	}
}
