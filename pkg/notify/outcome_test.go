package notify

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/feed"
)

// priced is a change of the price of a page.
func priced(at time.Time, before, now string) feed.Change {
	then, is := kept(field.Price, "", field.Money, before).Last, kept(field.Price, "", field.Money, now).Last
	return feed.Change{At: at, Kind: feed.Field, ItemID: "url_lamp", Host: "shop.example", Type: "url",
		URL: "https://shop.example/lamp", Fields: []field.Change{{Name: field.Price, State: field.Found, Then: then, Now: is,
			Reported: true}}}
}

// TestQ18WhyOfAChange checks what is said of each rule that is for the page of a change: each state with its reason,
// and no word of rules that are for other pages (Q18, W17).
func TestQ18WhyOfAChange(t *testing.T) {
	r := newRig(t)
	r.knows(page("url_lamp", "shop.example", kept(field.Price, "", field.Money, "89 EUR")))
	when := func(value string) api.RuleSpec {
		return api.RuleSpec{Name: "below " + value, When: isBelow("price", value)}
	}
	of := func(name, host, kind string) api.RuleSpec {
		s := api.RuleSpec{Name: name}
		s.Filter.Host, s.Filter.Kind = host, kind
		return s
	}
	hourly := of("hourly", "shop.example", "")
	hourly.Digest = "hourly"
	cannot, off, words := when("1"), of("off", "", ""), of("words", "", "")
	cannot.Name, cannot.When.Field, off.Off = "cannot", "cost", true
	words.Filter.Added = "harbour"
	muted := r.rule(of("muted", "", ""), "quiet")
	for _, spec := range []api.RuleSpec{when("90"), when("80"), hourly, cannot, off, words, of("gone", "", "gone"),
		of("elsewhere", "a.example", "")} {
		r.rule(spec, "ops")
	}
	_, err := r.Mute(t.Context(), api.MuteRequest{ItemID: "url_lamp", Rule: muted.ID, For: "day"}, Page{})
	must(t, err)
	r.now = r.now.Add(time.Minute)
	clock := feed.Change{At: r.now, Kind: feed.Content, ItemID: "url_lamp", Host: "shop.example", Type: "url",
		Small: &feed.Small{Why: feed.SmallMoves, What: "a clock"}}
	hidden := clock
	hidden.Small, hidden.Silenced, hidden.Ignored = nil, true, []feed.Ignored{{Rule: "ignore: ^Updated"}}
	must(t, r.feed.Publish(t.Context(), feed.Group{ID: "w1", Changes: []feed.Change{priced(r.now, "99 EUR", "89 EUR")}}))
	must(t, r.feed.Publish(t.Context(), feed.Group{ID: "w2", Changes: []feed.Change{clock}}))
	must(t, r.feed.Publish(t.Context(), feed.Group{ID: "w3", Changes: []feed.Change{hidden}}))
	r.follow()
	r.work()
	var ids []string
	for c, err := range r.feed.Oldest(t.Context(), feed.Position{}) {
		must(t, err)
		ids = append(ids, c.Position.String())
	}
	for i, want := range []string{
		"below 80: not met: price: 89 EUR is not below 80; below 90: told; cannot: cannot fire: the page has no value " +
			`named "cost"; there are price; gone: not met: it asks only for pages that are gone; hourly: gathered; muted: ` +
			"muted; off: switched off; words: not met: nothing added matches harbour",
		"below 80: not met: price did not change; below 90: not met: price did not change; cannot: cannot fire: the page " +
			`has no value named "cost"; there are price; gone: not met: it asks only for pages that are gone; hourly: small: ` +
			"a clock that moves at most checks; muted: small: a clock that moves at most checks; off: switched off; " +
			"words: not met: nothing added matches harbour",
		"below 80: not met: price did not change; below 90: not met: price did not change; cannot: cannot fire: the page " +
			`has no value named "cost"; there are price; gone: ignored: ignore: ^Updated; hourly: ignored: ignore: ^Updated; ` +
			"muted: ignored: ignore: ^Updated; off: switched off; words: ignored: ignore: ^Updated",
	} {
		why, err := r.Follower.Why(t.Context(), api.ChangeID{ID: ids[i], Top: 10})
		must(t, err)
		var have []string
		for _, o := range why.Outcome {
			have = append(have, o.Name+": "+o.Words())
			if o.State == api.OutcomeGathered && !o.Until.After(r.now) || o.State == api.OutcomeMuted && o.Until.IsZero() ||
				o.State == api.OutcomeSent && o.At.IsZero() {
				t.Errorf("the times of %+v", o)
			}
		}
		if got := strings.Join(have, "; "); got != want {
			t.Errorf("change %d:\nhave %s\nwant %s", i, got, want)
		}
	}
	all := []api.FeedChange{{ID: ids[0]}, {ID: "1.77.1"}}
	must(t, r.Follower.Outcomes(t.Context(), all))
	if len(all[0].Outcome) != 8 || all[1].Outcome != nil {
		t.Errorf("of a list: %+v", all)
	}
}

// TestQ18OutcomesOfMessages checks the outcomes of messages that fail and that wait, and of a rule that is newer than
// the change (Q18).
func TestQ18OutcomesOfMessages(t *testing.T) {
	r := newRig(t)
	r.to.no[address("no")], r.to.ill[address("ill")] = true, true
	r.rule(api.RuleSpec{Name: "fails"}, "ok", "no")
	r.rule(api.RuleSpec{Name: "waits"}, "ill")
	r.publish(1, feed.Content)
	var at string
	for c, err := range r.feed.Oldest(t.Context(), feed.Position{}) {
		must(t, err)
		at = c.Position.String()
	}
	states := func() (out string) {
		why, err := r.Follower.Why(t.Context(), api.ChangeID{ID: at, Top: 10})
		must(t, err)
		for _, o := range why.Outcome {
			out += fmt.Sprintf("%s %s %q; ", o.Name, o.State, o.Why)
		}
		return out
	}
	if got := states(); strings.Count(got, "rules have not decided about it yet") != 2 {
		t.Errorf("before the step: %s", got)
	}
	r.follow()
	r.work()
	r.rule(api.RuleSpec{Name: "younger"}, "ok")
	younger := `younger notMet "the rule was made or switched on after the change"; `
	if got, want := states(), `fails gathered "no: it refuses the message"; waits gathered "ill: no answer"; `+
		younger; got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	for range 9 {
		r.settle()
	}
	if got, want := states(), `fails failed "no: it refuses the message"; waits failed "ill: no answer"; `+
		younger; got != want {
		t.Errorf("a day later: have %s\nwant %s", got, want)
	}
}

// TestQ18RulesOfAPage checks that all rules for a page are listed with their state there, a page of the list at a time,
// however many there are, and that no rule is left out or named twice (Q18).
func TestQ18RulesOfAPage(t *testing.T) {
	r := newRig(t)
	lamp := page("url_lamp", "shop.example")
	r.knows(lamp)
	own := forPage("url_lamp")
	own.When = isBelow("price", "80")
	r.rule(own, "ops")
	for i := range 60 {
		spec := api.RuleSpec{Name: fmt.Sprintf("r%02d", i), Off: i == 7}
		if i%10 == 0 {
			spec.Filter.Host = "other.example"
		}
		r.rule(spec, "ops")
	}
	r.publish(1, feed.Content)
	r.follow()
	seen, states := map[string]bool{}, map[api.RuleHereState]int{}
	q := api.ItemWhyQuery{Top: 7}
	for pages := 0; ; pages++ {
		all, next, err := r.Follower.Here(t.Context(), lamp, q)
		must(t, err)
		for _, one := range all {
			if seen[one.Rule] {
				t.Errorf("%s is listed twice", one.Name)
			}
			seen[one.Rule] = true
			if states[one.State]++; one.State == api.RuleCannot && (one.Remedy == "" || len(seen) != 1) {
				t.Errorf("have %+v", one)
			}
		}
		if q.Continuation = next; next == "" {
			break
		}
		if len(all) != 7 || pages > 20 {
			t.Fatalf("a page of %d rules", len(all))
		}
	}
	if want := (map[api.RuleHereState]int{api.RuleCannot: 1, api.RuleOff: 1, api.RuleWaits: 53}); fmt.Sprint(states) !=
		fmt.Sprint(want) {
		t.Errorf("have %v, want %v", states, want)
	}
}
