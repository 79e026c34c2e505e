package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/tidemark/tidemark/pkg/api"
)

// person is somebody with a phone whose presses are counted: a click, a key, or a field that is filled.
type person struct {
	*stage
	presses int
	sink    *mailSink
	port    string // of the mail server
}

// seen is a script that finds the first element that is visible and has a text.
const seen = `const e = [...document.querySelectorAll(%q)].find(e => e.checkVisibility() && !e.disabled &&
	(e.innerText || e.ariaLabel || e.value || "").includes(%q));`

// onIt waits for a visible element with a text, and evaluates something with it. The page may have no scripts.
func (p *person) onIt(selector, text, act string, answer any) {
	p.Helper()
	p.eventually(fmt.Sprintf("%s with %q is visible", selector, text), func() bool {
		var done bool
		p.ask(fmt.Sprintf("{"+seen+"!!e }", selector, text), &done)
		if done {
			p.ask(fmt.Sprintf("{"+seen+"%s }", selector, text, act), answer)
		}
		return done
	})
}

// click presses what a person sees, where nothing lies above it. The page that was there may leave.
func (p *person) click(selector, text string) {
	p.Helper()
	p.presses++
	var at []float64
	p.onIt(selector, text, `e?.scrollIntoView({block: "center", behavior: "instant"}); const r = e?.getClientRects()[0];
		const x = r?.x + r?.width / 2, y = r?.y + r?.height / 2, top = r && document.elementFromPoint(x, y);
		top && (e.contains(top) || top.contains(e)) ? [x, y] : []`, &at)
	if len(at) == 0 {
		p.shoot("failed")
		p.Fatalf("%s with %q is not on top of the page", selector, text)
	}
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// follow presses what leads to another page, and waits for that page.
func (p *person) follow(selector, text string) {
	p.Helper()
	p.leaving(func() { p.click(selector, text) })
}

// fill writes into a field that a person sees, or chooses in it.
func (p *person) fill(name, value string) {
	p.Helper()
	p.presses++
	p.set(name, value)
}

// set fills a field without a count: what only the test needs.
func (p *person) set(name, value string) {
	p.Helper()
	p.onIt(`[name="`+name+`"]`, "", fmt.Sprintf(`e.focus(); e.value = %q;
		for (const kind of ["input", "change"]) e.dispatchEvent(new Event(kind, {bubbles: true}));`, value), nil)
}

// job is something a person does, and the presses that it may take.
type job struct {
	name string
	most int
	play func(p *person) // on the page of an item, or on the first page
}

// address is that of a page of the site as a person types it.
func (p *person) address(name string) string {
	return strings.TrimPrefix(p.site, "http://") + "/" + name
}

// firstMail adds the first page of all, and sets up the mail that tells of it. What becomes of the page then is not a
// press: its change and its check.
func firstMail(p *person) {
	p.fill("url", p.address("lamp.html"))
	p.follow("main button", "Read the page")
	p.fill("fields.to", "anna@a.example")
	p.fill("fields.host", "127.0.0.1:"+p.port)
	p.fill("fields.user", "anna")
	p.fill("fields.password", "hunter2")
	p.follow("main button", "Watch and tell me")
}

// firstOfKnown adds the first page where the operator has set how mail is sent.
func firstOfKnown(p *person) {
	p.fill("url", p.address("lamp.html"))
	p.follow("main button", "Read the page")
	p.follow("main button", "Watch and tell me")
}

// tellsFirst checks that a change of the lamp is mailed.
func (p *person) tellsFirst() {
	p.Helper()
	list, err := api.ListItems.Call(p.Context(), p.client, api.ItemQuery{})
	must(p.T, err)
	p.offers(list.Items[0].ID, "79.00", "InStock")
	p.hears("Storm lamp")
}

// later are the jobs of somebody who watches a page already and is told by mail.
var later = []job{
	{"a second page", 4, func(p *person) {
		p.follow("header a", "Watch a page")
		p.fill("url", p.address("index.html"))
		p.follow("main button", "Read the page")
		p.follow("main button", "Watch and tell me")
	}},
	{"price below a number", 4, func(p *person) {
		p.follow("main a", "Tell me when")
		p.click("label", "A price or number")
		p.fill("limit", "80")
		p.follow("main button", "Tell me")
	}},
	{"a new entry of a list", 5, func(p *person) {
		p.follow("main a", "Tell me when")
		p.click("label", "A list has a new entry")
		p.follow("main button", "Tell me")
	}},
	{"ignore a clock", 2, func(p *person) {
		p.follow("main a", "Ignore lines")
		p.follow("main button", "Ignore the ticked lines")
		p.reads(".toast", "ignored from now on")
	}},
	{"mute a week", 2, func(p *person) {
		p.click("main summary", "More")
		p.follow("button", "week")
	}},
}

// clock writes a page with a clock, and waits for its check.
func (s *stage) clock(id, now string) string {
	page := fmt.Sprintf("<html lang=en><title>Pool</title><main><h1>Pool</h1><p>%s</p><p>It is %s now.</p></main></html>",
		strings.Repeat("A line about swimming. ", 20), now)
	must(s.T, os.WriteFile(filepath.Join(s.folder, "pool.html"), []byte(page), 0o644))
	return s.readAgain(id, "pool.html", now)
}

// does plays a job from a page, and fails the test if it takes more presses than it may.
func (p *person) does(j job, path string) {
	p.Helper()
	p.open(path)
	p.presses = 0
	j.play(p)
	p.Logf("%s: %d presses of %d", j.name, p.presses, j.most)
	if p.presses > j.most {
		p.Errorf("%s takes %d presses; it may take %d", j.name, p.presses, j.most)
	}
}

// newPerson gives somebody a phone and a mailbox.
func newPerson(t *testing.T, env ...string) *person {
	t.Helper()
	sink := &mailSink{}
	trust := sink.trusted(t)
	return personWith(t, sink, sink.serve(t), append(env, trust)...)
}

// personWith gives somebody a phone, and a mailbox that is served already.
func personWith(t *testing.T, sink *mailSink, port string, env ...string) *person {
	t.Helper()
	p := &person{stage: newStage(t, append(env, "WEBHOOK_ALLOW_HOSTS=127.0.0.1:"+port)...), sink: sink, port: port}
	p.wide(390)
	must(t, os.WriteFile(filepath.Join(p.folder, "lamp.html"), []byte("<title>Storm lamp</title><h1>Storm lamp"), 0o644))
	return p
}

// TestHowManyPresses plays what people do most on a phone, counts their presses, and checks what came of them. The
// first job ends with a mail, for which a password is sent.
func TestHowManyPresses(t *testing.T) {
	p := newPerson(t)
	p.does(job{"first page to first mail", 8, firstMail}, "")
	p.tellsFirst()
	if p.sink.logins == 0 {
		t.Error("nobody signed in to the mail server")
	}
	list, err := api.ListItems.Call(t.Context(), p.client, api.ItemQuery{})
	must(t, err)
	lamp, council, pool := list.Items[0].ID, p.lists("", "2026-04", "2026-03", "2026-02", "2026-01"), p.clock("", "10:15")
	for _, now := range []string{"10:31", "10:48", "11:02", "11:17"} {
		p.clock(pool, now)
	}
	for i, path := range []string{"", "/items/" + lamp, "/items/" + council, "/items/" + pool, "/items/" + lamp} {
		p.does(later[i], path)
	}
	rules, err := api.ListRules.Call(t.Context(), p.client, api.RuleQuery{})
	must(t, err)
	mutes, err := api.ListMutes.Call(t.Context(), p.client, api.MuteQuery{})
	must(t, err)
	quiet, err := api.GetItem.Call(t.Context(), p.client, api.ItemID{ID: pool})
	must(t, err)
	if len(rules.Rules) != 4 || len(mutes.Mutes) != 1 || quiet.Watch == nil || len(quiet.Watch.Ignore) != 1 {
		t.Errorf("%d rules, %d mutes, and %+v is watched", len(rules.Rules), len(mutes.Mutes), quiet.Watch)
	}
}

// TestPressesWithAServer checks that the first mail takes five presses at most where the operator has set how mail is
// sent: a channel in the file of rules.
func TestPressesWithAServer(t *testing.T) {
	sink := &mailSink{}
	port := sink.serve(t)
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	must(t, os.WriteFile(rules, fmt.Appendf(nil, "channels: [{name: mail, kind: shoutrrr, urlFrom: MAIL}]"), 0o644))
	p := personWith(t, sink, port, "RULES_FILE="+rules, "CREDENTIAL_MAIL=secret smtp://127.0.0.1:"+port+
		"/?auth=None&encryption=None&from=tide@a.example&to=anna@a.example")
	p.does(job{"first page to first mail, with a server", 5, firstOfKnown}, "")
	p.tellsFirst()
}
