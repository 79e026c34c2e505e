package part_test

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
	"github.com/tidemark/tidemark/pkg/content/part"
	"github.com/tidemark/tidemark/pkg/policy/watch"
)

// W16: TestW16Rebuilt checks when a part of which nothing is left is empty, and when it is broken.
func TestW16Rebuilt(t *testing.T) {
	const doctor = `<header class=top><a class=logo href=/>Doctor</a></header><main class=content>
<h1 class=title>Appointments</h1><p class=intro>We see you by appointment.</p>
<ul class=slots><li class=slot>12:30 free<li class=slot>13:00 free</ul><p class=hint>Call us if you need help.
</main><footer class=foot>Open from eight to four.</footer>`
	const slots = `<li class=slot>12:30 free<li class=slot>13:00 free`
	const list, booked = "<ul class=slots>" + slots + "</ul>", "<li class=slot>12:30<li class=booked>13:00"
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(doctor) }
	const json = `{"shop":"A","items":[{"name":"Lamp","price":12}],"seen":2}`
	for name, tt := range map[string]struct {
		include, was, is string
		empty            bool
	}{
		"no entry": {".slots li", doctor, edit(slots, ""), true},
		"no list":  {".slots", doctor, edit(list, ""), true},
		"a note":   {".slots li", doctor, edit(list, "<p class=none>No appointments."), true},
		"an advert comes": {".slots li", doctor, edit(slots, "", "<p class=hint>",
			"<div class='ad box'>Buy!</div><p class=hint>"), true},
		"a text goes":   {".slots li", doctor, edit(slots, "", "<h1 class=title>Appointments</h1>", ""), true},
		"another state": {".slot", edit(slots, booked), edit(slots, "<li class=booked>12:30<li class=booked>13:00"), true},
		"other classes": {".slot", doctor, edit("class=slot>", "class=time>"), false},
		"other class, number": {".slot", doctor, edit("class=slot>", "class=time>", "12:30", "14:30", "13:00", "15:00"),
			false},
		"another path":    {"main > .slots", doctor, edit("<ul", "<div class=box><ul"), false},
		"other suffixes":  {".slot", doctor, edit(slots, "", "class=", "class=x1-"), true},
		"all classes new": {".slot", doctor, edit(slots, "", "class=", "class=new"), false},
		"another page": {".slots li", doctor, "<div class=shell><h2 class=big>Book online</h2>" +
			"<p class=lead>Choose a doctor.<p class=lead>Choose a day.</div>", false},
		"an error": {".slots li", doctor, "<h1>Service unavailable</h1><p>Try again later.</p>", false},
		"a blank":  {".slots li", doctor, "", false},
		"no classes": {"main li", "<main><h1>A</h1><p>One.<p>Two.<ul><li>12:30</ul></main>",
			"<main><h1>A</h1><p>One.<p>Two.<ul></ul></main>", true},
		"JSON: no item":        {"$.items[*].price", json, `{"shop":"A","items":[],"seen":3}`, true},
		"JSON: no items":       {"$.items[*].price", json, `{"shop":"A","seen":3}`, true},
		"JSON: other names":    {"$.items[*].price", json, `{"store":"A","things":[{"title":"Lamp","cost":12}]}`, false},
		"JSON: an error":       {"$.items[*].price", json, `{"error":"none","code":500}`, false},
		"JSON: an empty array": {"$[*]", `[{"day":"Mon"}]`, `[]`, true},
		"JSON: a filter": {"$[?length(@.times)>0]", `[{"day":"Mon","times":["12:30"]}]`, `[{"day":"Mon","times":[]}]`,
			true},
		"JSON: not JSON":         {"$.items[*].price", json, `{"items"`, false},
		"nothing, and as it was": {".slots li", edit(slots, ""), edit(slots, "", "four", "five"), true},
		"nothing, and rebuilt":   {".slots li", edit(slots, ""), edit(slots, "", "class=", "class=new"), false},
	} {
		contentType := "text/html"
		if strings.HasPrefix(tt.include, "$") {
			contentType = "application/json"
		}
		r := part.NewReader(watch.Spec{Include: []string{tt.include}})
		of := func(page string) *part.Part {
			doc, err := web.Extract([]byte(page), contentType, "https://doctor.example/", extract.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			p := r.Read(doc, []byte(page), contentType, "https://doctor.example/")
			return &p
		}
		if why := of(tt.is).Rebuilt(of(tt.was)); (why == "") != tt.empty {
			t.Errorf("%s: %q", name, why)
		}
	}
}
