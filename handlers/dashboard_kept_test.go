package handlers

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/handlers/ui"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/run/enrich"
)

// keptActions is how many actions the list held before the dashboard was drawn anew. It may grow.
const keptActions = 292

// stages are dashboards in the states that offer all actions.
type stages struct {
	t     *testing.T
	at    map[string]http.Handler
	names map[string]string // what stands for a name in braces
}

// called names a page to which a form has led.
func (s *stages) called(name, location string) string {
	s.names[name], _, _ = strings.Cut(strings.TrimPrefix(location, ui.Root), "?")
	return location
}

// pages makes the stage of watched pages, with rules, channels, messages and lists; that of somebody who is told of
// one; and that of one that moves.
func (s *stages) pages() {
	r := newItemsRig(s.t)
	r.reachable()
	id, _ := muteLink(s.t, r)
	s.at[""], s.names["id"], s.names["paused"] = r, id, idOf(s.t, pageTwo)
	do(s.t, r, "POST", "/api/channels", mailSpec[:len(mailSpec)-1]+`,"name":"post"}`)
	do(s.t, r, "PATCH", "/api/tags/sea", `{"schedule":{"text":"weekdays at 9am"}}`)
	do(s.t, r, "POST", "/api/rules", `{"name":"One","channels":["ops"],"filter":{"itemId":"`+id+`"}}`)
	s.names["rule"] = get[api.Rules](s.t, r, "/api/rules").Rules[0].ID
	r.receiver.fails = true
	r.say(id, "The lock is closed on Fridays.")
	for range 60 { // until the message is given up
		do(s.t, r, "POST", "/CrawlTimer", "{}")
		for r.deliver(notify.Queue, "/DeliveryWorker") {
		}
		r.now = r.now.Add(2 * time.Hour)
	}
	do(s.t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/broken"}`)
	r.push(aThought)
	r.work()
	for _, list := range []string{"items", "changes"} {
		send(s.t, r, "/api/ui/filters", url.Values{"list": {list}, "query": {"host=port.example"}, "name": {"mine"}})
	}
	send(s.t, r, "/api/ui/items/"+id+"/ignore", url.Values{"do": {"ignore"}, "patterns": {"^Nothing like it$"}})
	send(s.t, r, "/api/ui/mute", url.Values{"itemId": {id}, "for": {"day"}, "back": {"/"}})
	s.names["change"] = listed(s.t, r, "kind=content").Changes[0].ID
	s.names["broken"] = idOf(s.t, "https://port.example/broken")
	readFields(s.t, r, id)
	captures := itemAt(s.t, r, pageOne).Captures
	s.names["from"], s.names["to"] = captures[1].SHA256, captures[0].SHA256
	s.names["entry"] = entryID(s.t, r, "telegram_thought_v1")

	l := newRig(s.t)
	l.reachable()
	_, link := muteLink(s.t, l)
	s.called("mute", link)
	readFields(s.t, l, id)
	var cheap api.Rule
	must(s.t, json.Unmarshal(do(s.t, l, "POST", "/api/rules", `{"name":"Cheap","channels":["ops"],"filter":{"itemId":"`+
		id+`"},"when":{"field":"price","op":"<","value":100}}`).Body.Bytes(), &cheap))
	s.at["told"], s.names["cheap"] = l, cheap.ID

	m := newRig(s.t)
	s.at["moves"] = m
	m.moving()
	m.watchPart(id, &api.Watch{Include: []string{".price"}})
	m.say(id, "Seen by 99 people.")
	send(s.t, m, "/api/ui/test-mode", url.Values{"on": {"true"}})
}

// runs makes the stages of backfill and of entries that are described.
func (s *stages) runs() {
	r, _ := newBackfillRig(s.t)
	s.at["runs"] = r
	form := url.Values{"sources": {"port"}, "do": {"dry"}}
	s.called("dry", send(s.t, r, "/api/ui/backfill", form))
	r.backfill()
	form.Set("do", "run")
	s.called("running", send(s.t, r, "/api/ui/backfill", form))
	held := s.called("held", send(s.t, r, "/api/ui/backfill", form))
	send(s.t, r, held, url.Values{"do": {"pause"}})
	e, _, ids := newEnrichRig(s.t, enrich.Models{Default: "tier1", Batch: "tier1"})
	do(s.t, e, "POST", "/api/enrich/tier1/batch", `{"entry_ids":["`+ids[0]+`"]}`)
	s.at["entries"], s.names["batch"] = e, newest(s.t, e)
}

// sites makes the stages of a site that asks what to read, and of one that is read.
func (s *stages) sites() {
	r := newWebRig(s.t, map[string]any{
		"https://bare.example/":         `<link rel=alternate type="application/rss+xml" href="/news.rss"><a href="/a">A</a>`,
		"https://bare.example/news.rss": "<rss><channel><item><link>https://bare.example/n</link></item></channel></rss>",
		"https://tree.example/":         `<a href="/a">A</a>`, "https://tree.example/a": "A",
	})
	s.at["sites"] = r
	send(s.t, r, "/api/ui/sites", url.Values{"url": {"https://bare.example"}})
	follow := url.Values{"url": {"https://tree.example"}, "follow": {"true"}, "follow.depth": {"1"}}
	send(s.t, r, "/api/ui/sites", follow)
	r.readSites()
	follow.Set("dryRun", "1")
	s.called("look", send(s.t, r, "/api/ui/sites", follow))
	r.readSites()
	do(s.t, r, "POST", "/api/AddUrlDocument", `{"url":"https://lone.example/ok/one"}`)
}

// people makes the stages of somebody who has signed in, and of somebody who has not.
func (s *stages) people() {
	g := newGuarded(s.t, OwnKeys)
	c := g.signIn(s.t, api.ScopeAdmin)
	s.at["out"], s.at["out-of-the-box"] = g, newRig(s.t)
	s.at["in"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.AddCookie(c)
		g.ServeHTTP(w, r)
	})
}

// offer is a form, a link or a key of a page, with the names and values that it can send.
type offer struct {
	method, path string
	sends        map[string][]string
}

// controlsOf returns what a person can do on a page.
func controlsOf(doc *html.Node) (all []*offer) {
	add := func(method, to string) *offer {
		u, err := url.Parse(to)
		if err != nil {
			return nil
		}
		all = append(all, &offer{method, cmp.Or(strings.TrimPrefix(u.Path, ui.Root), "/"), u.Query()})
		return all[len(all)-1]
	}
	forms := map[*html.Node]*offer{}
	ids := map[string]*html.Node{}
	for n := range doc.Descendants() {
		switch n.Data {
		case "a", "link":
			add("GET", attribute(n, "href"))
		case "kbd":
			all = append(all, &offer{method: "KEY", path: textOf(n)})
		case "form":
			forms[n] = add(strings.ToUpper(attribute(n, "method")), attribute(n, "action"))
			if id := attribute(n, "id"); id != "" {
				ids[id] = n
			}
		}
	}
	for n := range doc.Descendants() {
		if name := attribute(n, "name"); name != "" && slices.Contains(controls, n.Data) {
			form := ids[attribute(n, "form")]
			for up := range n.Ancestors() {
				if form == nil && up.Data == "form" {
					form = up
				}
			}
			if o := forms[form]; o != nil {
				o.sends[name] = append(o.sends[name], attribute(n, "value"))
				for c := range n.Descendants() {
					if c.Data == "option" {
						o.sends[name] = append(o.sends[name], cmp.Or(attribute(c, "value"), textOf(c)))
					}
				}
			}
		}
	}
	return all
}

var controls = []string{"input", "button", "select", "textarea"}

// fits reports whether an offer is sent as the list says: METHOD /path name name=value ...
func (o *offer) fits(sent []string) bool {
	if o.method != sent[0] || o.path != sent[1] {
		return false
	}
	for _, field := range sent[2:] {
		name, value, exact := strings.Cut(field, "=")
		if have, ok := o.sends[name]; !ok || exact && !slices.Contains(have, value) {
			return false
		}
	}
	return true
}

// page returns what can be done at a place: [STAGE:][POST ]/path?query. The query of a POST is its form.
func (s *stages) page(place string) []*offer {
	stage, to, found := strings.Cut(place, ":")
	if !found {
		stage, to = "", place
	}
	path, isPost := strings.CutPrefix(to, "POST ")
	if !strings.HasPrefix(path, "/api/") {
		path = ui.Root + path
	}
	w := do(s.t, s.at[stage], "GET", path, "")
	if isPost {
		u, err := url.Parse(path)
		must(s.t, err)
		w = post(s.t, s.at[stage], u.Path, "same-origin", u.Query())
	}
	doc, err := html.ParseWithOptions(w.Body, html.ParseOptionEnableScripting(false)) // all works without scripts
	must(s.t, err)
	return controlsOf(doc)
}

// TestEveryActionIsKept checks that each action of the list is offered at the place that it names. When an action
// moves, its place and the way it is sent are written anew. Its words stay, for nothing may be lost.
func TestEveryActionIsKept(t *testing.T) {
	s := stages{t: t, at: map[string]http.Handler{}, names: map[string]string{}}
	s.pages()
	s.runs()
	s.sites()
	s.people()
	var names []string
	for name, value := range s.names {
		names = append(names, "{"+name+"}", value)
	}
	list, err := os.ReadFile("testdata/actions.txt")
	must(t, err)
	seen, pages := map[string]bool{}, map[string][]*offer{}
	for line := range strings.Lines(strings.NewReplacer(names...).Replace(string(list))) {
		column := strings.Split(line, "|")
		if strings.HasPrefix(line, "#") || line == "\n" {
			continue
		} else if len(column) != 3 {
			t.Fatalf("a line has %d columns: %s", len(column), line)
		}
		words, sent, place := strings.TrimSpace(column[0]), strings.Fields(column[1]), strings.TrimSpace(column[2])
		if pages[place] == nil {
			pages[place] = s.page(place)
		}
		if !slices.ContainsFunc(pages[place], func(o *offer) bool { return o.fits(sent) }) {
			t.Errorf("%s: %s does not offer %q", words, place, sent)
		}
		if seen[words] {
			t.Errorf("%q stands in the list twice", words)
		}
		seen[words] = true
	}
	if len(seen) < keptActions {
		t.Errorf("the list has %d actions; it had %d", len(seen), keptActions)
	}
}
