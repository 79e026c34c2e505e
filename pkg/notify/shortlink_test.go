package notify

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
	"pgregory.net/rapid"
)

const linkedPage = "url_27lyxtdsd22bpjirjwmu3cipdt"

// shortLinks are one link of each kind.
func shortLinks() []shortLink {
	at := feed.Position{Segment: 1200, Group: 30_000, Index: 99}
	until := linkNow.Add(muteLinkLife).Truncate(day)
	return []shortLink{{Opens: OpensDifference, Change: at}, {Opens: OpensWhy, Change: at},
		{Opens: OpensMute, Item: linkedPage, Rule: sumOf("rule_a"), Until: until},
		{Opens: OpensStop, Item: "file_" + linkedPage[4:], Rule: sumOf("rule_a"), Until: until},
		{Opens: OpensStop, Item: "lamp", Rule: sumOf("lamp.t3"), Until: until},
		{Opens: OpensStop, Rule: sumOf("rule_a"), Until: until}}
}

// W20: TestW20ShortLinks checks that a short link says what it opens, is short, and is taken only with its key, whole
// and unchanged, and while it holds.
func TestW20ShortLinks(t *testing.T) {
	for _, l := range shortLinks() {
		token := l.sign(linkKey)
		if have, err := parseShort(linkKey, token, linkNow); err != nil || have != l {
			t.Errorf("%+v, %v, want %+v", have, err, l)
		}
		if n := len(dashboardPath + shortPath + token); n > 60 {
			t.Errorf("the path of %+v has %d letters", l, n)
		}
		if strings.Trim(token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
			t.Errorf("%q does not go into an address", token)
		}
		refused := func(key []byte, token string) {
			t.Helper()
			if have, err := parseShort(key, token, linkNow); !fault.Is(err, fault.NotFound) || have != (shortLink{}) {
				t.Errorf("%+v, %v", have, err)
			}
		}
		refused(nil, token)
		refused([]byte(strings.Repeat("l", 32)), token)
		refused(linkKey, token+strings.Repeat("A", maxShort))
		for i := range token {
			refused(linkKey, token[:i])
			changed := []byte(token)
			if changed[i]++; changed[i] == token[i] {
				t.Fatal(changed)
			}
			refused(linkKey, string(changed))
		}
		_, err := parseShort(linkKey, token, linkNow.Add(muteLinkLife+day))
		if want := l.Opens >= OpensMute; fault.Is(err, fault.Expired) != want {
			t.Errorf("later, %+v: %v", l, err)
		}
	}
}

// W20: TestW20ShortLinksOfAnyPage checks that any id of a page comes back, and that the day on which a link ends is no
// earlier than it should be.
func TestW20ShortLinksOfAnyPage(t *testing.T) {
	letters := rapid.StringOfN(rapid.SampledFrom([]rune("abcdefghijklmnopqrstuvwxyz234567")), 26, 26, -1)
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.Map(letters, func(s string) string { return "url_" + s }),
			rapid.Map(letters, func(s string) string { return "file_" + s }), rapid.StringN(0, 80, 200)).Draw(t, "id")
		until := linkNow.Add(time.Duration(rapid.Int64Range(0, 1e17).Draw(t, "later")))
		l := shortLink{Opens: OpensMute, Item: id, Rule: sumOf(id), Until: until}
		have, err := parseShort(linkKey, l.sign(linkKey), linkNow.Add(-time.Hour))
		if err != nil || have.Item != id || have.Rule != l.Rule || have.Until.Before(until) ||
			have.Until.Sub(until) > day {
			t.Errorf("%+v, %v, want %+v", have, err, l)
		}
	})
}

// FuzzParseShort checks that only what was signed is taken, and that what is signed never fails to be read safely.
func FuzzParseShort(f *testing.F) {
	known := shortLinks()
	for _, l := range known {
		f.Add(l.sign(linkKey))
	}
	f.Fuzz(func(t *testing.T, token string) {
		have, err := parseShort(linkKey, token, linkNow)
		ok := err != nil
		for _, l := range known {
			ok = ok || have == l
		}
		if !ok {
			t.Errorf("%q is %+v", token, have)
		}
		if body, err := base64.RawURLEncoding.DecodeString(token); err == nil && len(body) > 0 {
			unpacked(body)
		}
	})
}

// stopRig has a rule for all pages, and makes links.
func stopRig(t *testing.T) (r *rig, all *rule, to links) {
	t.Helper()
	r = newRig(t)
	r.Book.o.Keys = secrets.Load(secrets.Options{Key: strings.Repeat("A", 43) + "="})
	_, err := r.Book.SavePublicAddress(t.Context(), "https://tide.example", "anna")
	must(t, err)
	id := r.rule(api.RuleSpec{Name: "All"}, "ops").ID
	kept, err := r.Book.rule(t.Context(), id)
	must(t, err)
	to, err = r.Book.links(t.Context())
	must(t, err)
	return r, &kept, to
}

func tokenOf(address string) string { return address[strings.LastIndex(address, "/")+1:] }

// W20: TestW20StopOfAllPages checks that the link that stops the mails of a rule about all pages does so, until it is
// taken back, and leaves other rules alone.
func TestW20StopOfAllPages(t *testing.T) {
	r, all, to := stopRig(t)
	r.rule(api.RuleSpec{Name: "Other"}, "other")
	token := tokenOf(to.stop(all, ""))
	before, err := r.Links.Read(t.Context(), token)
	if err != nil || before.Mute != nil || !before.Stops || before.Title != "" || before.Rule != all.Name {
		t.Fatalf("%+v, %v", before, err)
	}
	if _, err := r.Links.Mute(t.Context(), token, "week"); !fault.Is(err, fault.Invalid) {
		t.Errorf("for a week: %v", err)
	}
	for range 2 {
		after, err := r.Links.Mute(t.Context(), token, "stop")
		if err != nil || after.Mute == nil || !after.Own || !after.Mute.Until.IsZero() {
			t.Fatalf("%+v, %v", after, err)
		}
	}
	r.change("lamp")
	r.pass(time.Minute)
	r.expect("ops", 0, 0)
	r.expect("other", 1, 1)
	muted, err := r.Muted(t.Context(), "")
	if err != nil || len(muted.Mutes) != 1 || muted.Mutes[0].ItemID != "" || muted.Mutes[0].Rule != all.ID {
		t.Errorf("%+v, %v", muted, err)
	}
	if undone, err := r.Links.Undo(t.Context(), token); err != nil || undone.Mute != nil || undone.Own {
		t.Errorf("undone: %+v, %v", undone, err)
	}
	r.now = r.now.Add(time.Hour)
	r.change("lamp")
	r.pass(time.Minute)
	r.expect("ops", 1, 1)
	_, err = r.RemoveRule(t.Context(), all.ID)
	must(t, err)
	if _, err := r.Links.Read(t.Context(), token); !fault.Is(err, fault.NotFound) {
		t.Errorf("of a rule that is gone: %v", err)
	}
}

// W20: TestW20StopBesideMutes checks that a link stops a mail also while somebody has muted it for a day, and that its
// undo leaves that mute. The link of an older message mutes for a week at most, as before.
func TestW20StopBesideMutes(t *testing.T) {
	r, all, to := stopRig(t)
	token := tokenOf(to.stop(all, "lamp"))
	_, err := r.Mute(t.Context(), api.MuteRequest{ItemID: "lamp", Rule: all.ID, For: "day"}, Page{})
	must(t, err)
	r.now = r.now.Add(time.Second)
	after, err := r.Links.Mute(t.Context(), token, "stop")
	if err != nil || !after.Own || !after.Mute.Until.IsZero() {
		t.Errorf("%+v, %v", after, err)
	}
	after, err = r.Links.Undo(t.Context(), token)
	if err != nil || after.Own || after.Mute == nil || after.Mute.ByLink {
		t.Errorf("after the undo: %+v, %v", after, err)
	}
	old := muteLink{Item: "shelf", Rule: all.ID, Until: r.now.Add(time.Hour)}.sign(r.Book.o.Keys.Derive(mutePurpose))
	for _, length := range []string{"always", "stop"} {
		if _, err := r.Links.Mute(t.Context(), old, length); !fault.Is(err, fault.Invalid) {
			t.Errorf("an older link mutes %s: %v", length, err)
		}
	}
	if after, err := r.Links.Mute(t.Context(), old, "week"); err != nil || !after.Own || after.Always || after.Stops {
		t.Errorf("an older link: %+v, %v", after, err)
	}
}

// W20: TestW20LinksLeadToChanges checks where the links to a difference and to its reason lead, also when the change is
// not kept any more, and that a link that mutes leads nowhere.
func TestW20LinksLeadToChanges(t *testing.T) {
	r, all, to := stopRig(t)
	c := feed.Change{ItemID: "lamp", URL: "https://a.example/", At: r.now, Kind: feed.Content, From: "f", To: "g"}
	must(t, r.feed.Publish(t.Context(), feed.Group{ID: "g", Changes: []feed.Change{c}}))
	var shown api.FeedChange
	for c, err := range r.feed.Oldest(t.Context(), feed.Position{}) {
		must(t, err)
		shown = c.JSON()
	}
	of := to.of(all, shown)
	lost := shown
	lost.ID = "999.1.1"
	for address, want := range map[string]string{of.ShortDifference: of.Difference, of.ShortWhy: of.Why, of.Mute: "",
		to.of(all, lost).ShortWhy: "https://tide.example/api/ui/changes/999.1.1"} {
		have, err := r.Links.Leads(t.Context(), tokenOf(address))
		if err != nil || have != strings.TrimPrefix(want, "https://tide.example") {
			t.Errorf("%s leads to %q, %v, want %q", address, have, err, want)
		}
	}
	if _, err := r.Links.Leads(t.Context(), tokenOf(of.ShortWhy)+"A"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a link that is not signed: %v", err)
	}
}
