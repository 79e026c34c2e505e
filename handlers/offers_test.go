package handlers

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	meetingsTable = `</p><h2>Meetings</h2><table><tr><th>Place<th>Time</tr><tr><td>Great Hall<td>9:00</tr>
		<tr><td>Town Hall<td>10:00</tr></table>`
	jobsList = `<h2>Jobs</h2><div class=jobs><article><h3><a href=/1>Warden</a></h3><a href=/t>night</a></article>
		<article><h3><a href=/2>Nurse</a></h3><a href=/t>day</a></article><div class=ad>Lamps!</div></div><p>`
)

// TestW32TheQuestion checks which ways to watch a pressed element are offered, what the preview says of each, and that
// new entries of a list are told when all entries are chosen (W32).
func TestW32TheQuestion(t *testing.T) {
	r := newRig(t)
	id, item := r.priced()
	r.say(id, meetingsTable+strings.ReplaceAll(jobsList, "Nurse", "Cook"))
	r.say(id, meetingsTable+jobsList)
	try := func(body string) (trial api.WatchTrial) {
		t.Helper()
		w := do(t, r, "POST", "/api/items/"+id+"/watch/try", body)
		if err := json.Unmarshal(w.Body.Bytes(), &trial); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %s", body, w.Code, w.Body)
		}
		return trial
	}
	for body, want := range map[string][]string{
		`{"text":"9:00"}`: {
			`this tr:named("Great Hall") td:column("Time"): “Time” of the row “Great Hall”: found in 2 of 5 captures; ` +
				`still found when one is inserted above; still found when they change places`,
			`row tr:named("Great Hall"): the row “Great Hall”: `, `alike table:named("Meetings"): `, `column td:column("Time"): the column “Time”: found in 2`},
		`{"text":"town hall","scope":"alike"}`: {`this tr:named("Town Hall"): the row “Town Hall”: `, `alike table:named("Meetings"): all rows`},
		`{"text":"Nurse","scope":"alike"}`: {`this article:named("Nurse"): the entry “Nurse”: found in 1 of 5`,
			`alike .jobs > article: all entries like this one: found in 2`},
	} {
		trial := try(body)
		for i, o := range trial.Offers {
			have := o.Scope + " " + o.Selector + ": " + o.Says + ": " + o.Finds()
			if i >= len(want) || !strings.HasPrefix(have, want[i]) {
				t.Errorf("%s: %s", body, have)
			}
		}
		if len(trial.Offers) != len(want) {
			t.Errorf("%s: %d offers", body, len(trial.Offers))
		}
	}
	trial := try(`{"text":"Nurse","scope":"alike"}`)
	const links = ".jobs > article :is(h1, h2, h3, h4, h5, h6) a[href]"
	if w := trial.Watch; w.List != "tell" || strings.Join(w.Include, "") != ".jobs > article" ||
		strings.Join(w.ListLinks, "") != links || len(trial.Captures[0].Entries) != 2 {
		t.Errorf("%+v, %+v", w, trial.Captures[0])
	}
	for body, says := range map[string]string{
		`{"text":"Hall"}`:                        "2 parts of the page are named",
		`{"text":"Mayor"}`:                       "0 parts of the page are named",
		`{"text":"Great Hall","scope":"column"}`: "in no list or table",
	} {
		w := do(t, r, "POST", "/api/items/"+id+"/watch/try", body)
		if w.Code != 400 || !strings.Contains(w.Body.String(), says) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	q := pressed(t, shows(t, r, item+"/pick"), "Nurse")
	shows(t, r, item+"/pick?"+q.Encode(), `name="scope" value="alike" checked`, `all like this: 2, new ones are told`)
	q.Set("scope", "this")
	shows(t, r, item+"/pick?"+q.Encode(), `name="scope" value="this" checked`, `>only this text<`)
	q.Set("scope", "alike")
	shows(t, r, item+"/pick?"+q.Encode(), `name="scope" value="alike" checked`, ".jobs &gt; article</textarea>", `a[href]</textarea>`)
	form := url.Values{"do": {"save"}, "watch.include": {"article"}, "watch.list": {"tell"},
		"watch.listLinks": {"article h3 a"}}
	if w := post(t, r, item+"/pick", "same-origin", form); ledTo(w.Header().Get("Location")) != item+"?done=part" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
}

// TestW33WatchesByPosition checks that a watch that finds a row by its place needs attention, with a better selector,
// that nothing is changed unasked, and that choosing the better one keeps the other parts of the watch (W33).
func TestW33WatchesByPosition(t *testing.T) {
	r := newRig(t)
	id, item := r.priced()
	r.say(id, meetingsTable+"<p>")
	attention := "/api/ui/attention"
	if body := shows(t, r, attention, "Needs attention"); strings.Contains(body, "by their place") {
		t.Errorf("%s", body)
	}
	set := `{"watch":{"include":["h2","tr:nth-of-type(3)","tr:named(\"Great Hall\") > td:nth-of-type(2)"]}}`
	says(t, do(t, r, "PATCH", "/api/items/"+id, set), 200, "nth-of-type(3)")
	shows(t, r, attention, "Parts that are found by their place", "<code>tr:nth-of-type(3)</code>",
		"the row “Town Hall”: <code>tr:named(&#34;Town Hall&#34;)</code>", "/pick?selector=tr")
	says(t, do(t, r, "GET", "/api/items?positional=true", ""), 200, id)
	body := shows(t, r, item+"/pick?selector=tr%3Anth-of-type%283%29", "The row “Town Hall”",
		"h2\ntr:named(&#34;Town Hall&#34;)\ntr:named(&#34;Great Hall&#34;)")
	if w := do(t, r, "GET", "/api/items/"+id, ""); !strings.Contains(w.Body.String(), `"tr:nth-of-type(3)"`) {
		t.Errorf("%s\n%s", w.Body, body)
	}
	form := url.Values{"do": {"save"}, "watch.include": {"h2\ntr:named(\"Town Hall\")"}}
	if w := post(t, r, item+"/pick", "same-origin", form); ledTo(w.Header().Get("Location")) != item+"?done=part" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if listed := do(t, r, "GET", "/api/items?positional=true", "").Body.String(); strings.Contains(listed, id) {
		t.Errorf("it is still listed: %s", listed)
	}
	until := time.Now().Add(time.Minute) // the page looks for them behind its answer
	for strings.Contains(shows(t, r, attention), "by their place") {
		if time.Now().After(until) {
			t.Fatal("it is still on the page")
		}
		time.Sleep(20 * time.Millisecond)
	}
}
