package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
)

// large is an expression whose program is much larger than its text.
var large = strings.Repeat("(.?){999}", 110)

// store stores a rule, as another release may have done.
func (r *rig) storeRule(id, spec string) {
	r.t.Helper()
	_, err := r.store.Table(Table).Transact(r.t.Context(), storage.Op{Kind: storage.Upsert, Entity: storage.Entity{
		Key: keyOf("", id), Props: storage.Properties{"spec": spec, "since": "0.0.0",
			"created": "2026-11-2" + fmt.Sprint(len(id)%5) + "T12:00:00Z"}}}, pointers.Put(pointerKey(id), "", &pointer{}))
	must(r.t, err)
}

// TestX16LargeExpressionsAreRefused checks that a rule whose expressions are too large is neither saved nor tried,
// alone or together with the others (X16).
func TestX16LargeExpressionsAreRefused(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	refused := func(what string, err error, field, why string) {
		t.Helper()
		if !fault.Is(err, fault.Invalid) || fault.FieldOf(err) != field || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v (%s)", what, err, fault.FieldOf(err))
		}
	}
	for field, f := range map[string]api.RuleFilter{
		"filter.added": {Added: large[:990]}, "filter.removed": {Removed: large[:990]}} {
		spec := api.RuleSpec{Name: "Large", Channels: []string{"ops"}, Filter: f}
		_, err := r.SaveRule(t.Context(), "", spec)
		refused("save", err, field, "it is too large")
		_, err = r.PreviewRule(t.Context(), spec)
		refused("preview", err, field, "it is too large")
	}
	var last error
	saved := 0
	for i := 0; last == nil; i++ {
		spec := api.RuleSpec{Name: fmt.Sprint("Rule ", i), Channels: []string{"ops"},
			Filter: api.RuleFilter{Removed: "x{990}y{990}"}}
		if _, last = r.SaveRule(t.Context(), "", spec); last == nil {
			saved++
		}
	}
	refused("together", last, "filter.removed", tooLargeTogether)
	if saved != maxPrograms/maxProgram {
		t.Errorf("%d rules were saved", saved)
	}
	_, err := ParseFile("rules.yaml", []byte("channels:\n"+
		"  - {name: ops, kind: webhook, url: 'https://ops.example/', secret: OPS}\n"+
		"rules:\n"+strings.Repeat("  - {name: R, channels: [ops], filter: {added: 'x{990}y{990}'}}\n", saved+1)))
	if err == nil || !strings.Contains(err.Error(), tooLargeTogether) {
		t.Error(err)
	}
}

// TestX16StoredRulesAreBroken checks that stored rules beyond the bounds, which an earlier release accepted, are shown
// as broken, do nothing, leave the other rules alone, and can be changed and removed (X16).
func TestX16StoredRulesAreBroken(t *testing.T) {
	r := newRig(t)
	r.rule(api.RuleSpec{}, "ops")
	r.storeRule("large", `{"name":"Large","filter":{"removed":"`+large[:990]+`"},"channels":["ops"]}`)
	r.storeRule("odd", `{"name":"Odd","digest":"monthly","channels":["ops"]}`)
	r.storeRule("torn", `{"name":`)
	all, err := r.Rules(t.Context(), api.RuleQuery{Top: 500})
	must(t, err)
	problems := map[string]string{}
	for _, rule := range all.Rules {
		problems[rule.ID] = rule.Problem
	}
	for id, want := range map[string]string{"large": "filter.removed: it is too large", "odd": "digest must be",
		"torn": "spec", "rule_t1": ""} {
		if have, ok := problems[id]; !ok || !strings.Contains(have, want) || want == "" && have != "" {
			t.Errorf("%s: %q", id, have)
		}
	}
	r.publish(2, feed.Content)
	r.follow()
	r.work()
	if _, n := r.told("ops"); n != 2 {
		t.Errorf("told of %d changes", n)
	}
	_, err = r.TestRule(t.Context(), "large")
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "broken") {
		t.Error(err)
	}
	mended, err := r.SaveRule(t.Context(), "large", api.RuleSpec{Name: "Small", Channels: []string{"ops"},
		Filter: api.RuleFilter{Removed: "quay"}})
	must(t, err)
	if got, err := r.Rule(t.Context(), "large"); err != nil || got.Problem != "" || got.Name != mended.Name {
		t.Errorf("%+v %v", got, err)
	}
	_, err = r.RemoveRule(t.Context(), "torn")
	must(t, err)
}

// TestX16StoredRulesTogether checks that of stored rules that are too large together, the newest are broken (X16).
func TestX16StoredRulesTogether(t *testing.T) {
	r := newRig(t)
	for i := range maxPrograms/maxProgram + 2 {
		r.storeRule(fmt.Sprintf("%c", 'a'+i), `{"name":"R","filter":{"added":"x{990}y{990}"},"channels":["ops"]}`)
	}
	all, err := r.Rules(t.Context(), api.RuleQuery{Top: 500})
	must(t, err)
	for _, rule := range all.Rules {
		if broken := rule.ID >= "k"; broken != (rule.Problem == tooLargeTogether) {
			t.Errorf("%s: %q", rule.ID, rule.Problem)
		}
	}
}

// TestX16RulesAreCompiledOnce checks that a rule is compiled again only after it was changed (X16).
func TestX16RulesAreCompiledOnce(t *testing.T) {
	r := newRig(t)
	id := r.rule(api.RuleSpec{Filter: api.RuleFilter{Added: "lock"}}, "ops").ID
	program := func() any {
		t.Helper()
		all, err := r.under(t.Context(), "")
		must(t, err)
		return all[0].sought[0].re
	}
	first := program()
	if program() != first {
		t.Error("it was compiled again")
	}
	_, err := r.SaveRule(t.Context(), id, api.RuleSpec{Name: "Other", Channels: []string{"ops"},
		Filter: api.RuleFilter{Added: "quay"}})
	must(t, err)
	if program() == first {
		t.Error("the change has no effect")
	}
}

// publishLong adds changes with long passages.
func (r *rig) publishLong(n int) {
	r.t.Helper()
	for i := range n {
		r.n++
		c := feed.Change{At: r.now, Kind: feed.Content, Host: "a.example", Type: "url", ItemID: fmt.Sprint(r.n, ".", i)}
		for range feed.MaxPassages {
			c.Passages = append(c.Passages, feed.Passage{Text: strings.Repeat("y", feed.MaxPassage), Op: feed.Added})
		}
		must(r.t, r.feed.Publish(r.t.Context(), feed.Group{ID: fmt.Sprint("long", r.n), Changes: []feed.Change{c}}))
	}
}

// TestX16Effort checks that a test of a rule ends when its expressions have taken too long, and when its request is
// cancelled; and that a change which they take too long for is reported (X16).
func TestX16Effort(t *testing.T) {
	r := newRig(t)
	r.publishLong(200)
	spec := api.RuleSpec{Filter: api.RuleFilter{Added: "x{990}z{990}"}}
	got, err := r.PreviewRule(t.Context(), spec)
	must(t, err)
	want := int(testedEffort) / (feed.MaxPassages * feed.MaxPassage * maxProgram)
	if !got.Partial || got.Looked < want || got.Looked > want+5 {
		t.Errorf("%+v, want %d", got, want)
	}
	got, err = r.PreviewRule(t.Context(), api.RuleSpec{Filter: api.RuleFilter{Added: "x"}})
	if err != nil || got.Partial || got.Looked != 200 {
		t.Errorf("%+v %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.PreviewRule(ctx, spec); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	compiled, errs := compile(api.RuleSpec{Name: "Slow", Channels: []string{"ops"}, Filter: spec.Filter})
	must(t, errors.Join(errs...))
	c := feed.Change{Passages: []feed.Passage{{Text: strings.Repeat("y", 1000), Op: feed.Added}}}
	for left, want := range map[effort]bool{1000: true, maxEffort: false} {
		if met, err := compiled.meets(t.Context(), c, &left); met != want || err != nil {
			t.Errorf("with effort %d it met: %v %v", left, met, err)
		}
	}
	if _, err := compiled.meets(ctx, c, new(effort)); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestX16StepsEnd checks that a step of the follower ends, with what it has done, when the expressions of the rules
// have taken too long (X16).
func TestX16StepsEnd(t *testing.T) {
	r := newRig(t)
	for i := range 5 {
		r.rule(api.RuleSpec{Name: fmt.Sprint("Slow ", i), Filter: api.RuleFilter{Added: "x{990}z{990}"}}, "ops")
	}
	r.publishLong(100)
	var report Report
	more, err := r.Follower.step(t.Context(), &report)
	must(t, err)
	if !more || report.Examined < 50 || report.Examined > 70 {
		t.Errorf("%+v, more %v", report, more)
	}
	if total := r.follow(); report.Examined+total.Examined != 100 {
		t.Errorf("%d and %d changes", report.Examined, total.Examined)
	}
}
