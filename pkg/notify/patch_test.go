package notify

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
)

// TestV2PatchRule checks that a patch of a rule changes what it names, at each depth and by either name, and that null
// and an empty object leave nothing behind (V2).
func TestV2PatchRule(t *testing.T) {
	r := newRig(t)
	made := r.rule(api.RuleSpec{Name: "All", Timezone: "Europe/Paris",
		QuietHours: &api.QuietHours{From: "22:00", To: "07:00", Timezone: "Asia/Tokyo"},
		Filter:     api.RuleFilter{Added: "x", ChangeFilter: api.ChangeFilter{Host: "a.example"}},
		When:       &api.Condition{Field: "price", Op: "<", Value: "80"}}, "ops")
	id := made.ID
	for _, tc := range []struct {
		patch string
		want  func(*api.RuleSpec)
	}{
		{`{"quietHours":{"from":"23:00"},"filter":{"added":null}}`, func(s *api.RuleSpec) {
			s.QuietHours.From, s.Filter.Added = "23:00", ""
		}},
		{`{}`, func(*api.RuleSpec) {}},
		{`{"when":{"value":"70 EUR","first":true}}`, func(s *api.RuleSpec) { s.When.Value, s.When.First = "70 EUR", true }},
		{`{"quietHours":{"from":null,"to":null,"timezone":null},"when":null}`, func(s *api.RuleSpec) {
			s.QuietHours, s.When = nil, nil
		}},
		{`{"enabled":false}`, func(s *api.RuleSpec) { s.Off = true }},
		{`{"enabled":null}`, func(s *api.RuleSpec) { s.Off = false }},
		{`{"off":true,"enabled":true}`, func(s *api.RuleSpec) { s.Off = true }}, // an answer, in which one is changed
		{`{"off":null}`, func(s *api.RuleSpec) { s.Off = false }},
	} {
		before, err := r.Rule(t.Context(), id)
		must(t, err)
		want := before.RuleSpec
		want.QuietHours, want.When = clone(want.QuietHours), clone(want.When)
		tc.want(&want)
		p, err := api.ParsePatch([]byte(tc.patch))
		must(t, err)
		_, err = r.PatchRule(t.Context(), id, p)
		must(t, err)
		after, err := r.Rule(t.Context(), id)
		must(t, err)
		if diff := cmp.Diff(want, after.RuleSpec); diff != "" || after.Enabled == after.Off {
			t.Errorf("%s: enabled is %t\n%s", tc.patch, after.Enabled, diff)
		}
	}
	_, err := r.PatchRule(t.Context(), id, api.Patch{"filter": map[string]any{"itemId": "url_b"}})
	if fault.FieldOf(err) != "filter.itemId" {
		t.Errorf("another page: %v", err)
	}
	if _, err := r.PatchRule(t.Context(), "rule_none", api.Patch{}); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

func clone[T any](v *T) *T {
	if v == nil {
		return nil
	}
	return new(*v)
}

// TestV2PatchesAtOnce checks that of several patches of a rule and of a channel at once, each holds (V2).
func TestV2PatchesAtOnce(t *testing.T) {
	r := newRig(t)
	id := r.rule(api.RuleSpec{}, "ops").ID
	n := r.withKey(secrets.Options{Key: secretKey(0)})
	_, err := n.SaveChannel(t.Context(), mailSpec(), true)
	must(t, err)
	rules := []api.Patch{{"name": "One"}, {"timezone": "Asia/Tokyo"}, {"filter": map[string]any{"host": "a.example"}},
		{"filter": map[string]any{"q": "lamp"}}, {"message": map[string]any{"title": "{{title}}"}}}
	var all sync.WaitGroup
	for _, p := range rules {
		all.Go(func() {
			if _, err := r.PatchRule(t.Context(), id, p); err != nil {
				t.Errorf("%v: %v", p, err)
			}
		})
	}
	for i := range 4 {
		name := []string{"user", "fromName", "from", "to"}[i]
		all.Go(func() {
			p := api.Patch{"fields": map[string]any{name: fmt.Sprintf("a%d@b.example", i)}}
			if _, err := n.PatchChannel(t.Context(), "mail", p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	all.Wait()
	got, err := r.Rule(t.Context(), id)
	must(t, err)
	if got.Name != "One" || got.Timezone != "Asia/Tokyo" || got.Filter.Host != "a.example" || got.Filter.Q != "lamp" ||
		got.Message == nil {
		t.Errorf("a patch is lost: %+v", got.RuleSpec)
	}
	mail, _, err := n.channel(t.Context(), "mail")
	must(t, err)
	for i, name := range []string{"user", "fromName", "from", "to"} {
		if want := fmt.Sprintf("a%d@b.example", i); mail.Fields[name] != want {
			t.Errorf("%s is %q, want %q", name, mail.Fields[name], want)
		}
	}
}

// TestV2PatchKeepsSecrets checks that a patch of a channel keeps the secrets that it does not name, and removes those
// that it names without a value (V2).
func TestV2PatchKeepsSecrets(t *testing.T) {
	r := newRig(t)
	n := r.withKey(secrets.Options{Key: secretKey(0)})
	_, err := n.SaveChannel(t.Context(), mailSpec(), true)
	must(t, err)
	for _, tc := range []struct {
		patch   string
		wrong   string
		secrets int
	}{
		{`{}`, "", 1},
		{`{"fields":{"to":"bo@port.example"}}`, "", 1},
		{`{"fields":{"password":"other"}}`, "", 1},
		{`{"fields":{"host":"smtp.evil.example"}}`, "fields.password", 1},
		{`{"fields":{"colour":"red"}}`, "fields.colour", 1},
		{`{"kind":"pigeon"}`, "kind", 1},
		{`{"fields":{"user":null,"password":null}}`, "", 0},
		{`{"fields":{"user":"u","password":"again"}}`, "", 1},
		{`{"fields":{"user":null,"password":""}}`, "", 0},
		{`{"kind":"webhook","url":"https://ops.example/","fields":null}`, "", 0},
	} {
		p, err := api.ParsePatch([]byte(tc.patch))
		must(t, err)
		_, err = n.PatchChannel(t.Context(), "mail", p)
		if field := fault.FieldOf(err); field != tc.wrong || err != nil && field == "" {
			t.Errorf("%s: %v", tc.patch, err)
		}
		c, _, err := n.channel(t.Context(), "mail")
		must(t, err)
		if c.Kind == "smtp" && len(c.Sealed) != tc.secrets {
			t.Errorf("%s: the channel has the secrets %v", tc.patch, c.Sealed)
		}
	}
	c, _, err := n.channel(t.Context(), "mail")
	must(t, err)
	key, err := n.resolver.signingSecret(c)
	_, patch := n.PatchChannel(t.Context(), "mail", api.Patch{"url": "https://ops.example/hook"})
	after, _, _ := n.channel(t.Context(), "mail")
	kept, _ := n.resolver.signingSecret(after)
	if err != nil || patch != nil || kept != key || after.URL != "https://ops.example/hook" {
		t.Errorf("a webhook is %+v: %v, %v", after, err, patch)
	}
}
