package handlers

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// priced registers a page with a price and captures two versions of it. It returns the address of the item's page.
func (r *rig) priced() (id, item string) {
	id = idOf(r.t, "https://port.example/ok/one")
	do(r.t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	r.say(id, `Price: <b class=price>79</b> EUR &lt;i&gt; seen 12 times`)
	r.say(id, `Price: <b class=price>84</b> EUR &lt;i&gt; seen 13 times`)
	return id, "/api/ui/items/" + id
}

// pressed returns the query of the button with a text.
func pressed(t *testing.T, body, text string) url.Values {
	t.Helper()
	capture := regexp.MustCompile(`name="capture" value="([0-9a-f]{64})"`).FindStringSubmatch(body)
	button := regexp.MustCompile(`name="element" value="(\d+)"[^>]*>` + regexp.QuoteMeta(text) + `<`).FindStringSubmatch(body)
	if capture == nil || button == nil {
		t.Fatalf("no button %q:\n%s", text, body)
	}
	return url.Values{"capture": capture[1:], "element": button[1:]}
}

// TestW23ChooseAPart checks that a part of a page is chosen by its text, that what its selector finds in the last
// captures is shown before it is saved, and that text of the page is escaped.
func TestW23ChooseAPart(t *testing.T) {
	r := newRig(t)
	id, item := r.priced()
	page := shows(t, r, item+"/pick", ">Price: </button>", "> EUR &lt;i&gt; seen 13 times</button>")
	q := pressed(t, page, "84")
	shows(t, r, item+"/pick?"+q.Encode(), `>“84”</h2>`, `b:named(&#34;Price&#34;)</textarea>`, "<span>now</span>",
		">84</mark>", ">79</", "not in the page yet", "A larger part", "Leave it out", ">Watch this</button>",
		`aria-pressed="true" id="at">84</button>`)
	if strings.Contains(shows(t, r, item+"/experts"), ">.price <small>") {
		t.Error("it is saved before anybody said so")
	}
	q.Set("larger", "1")
	shows(t, r, item+"/pick?"+q.Encode(), ">“Price: 84 EUR &lt;i&gt; seen 13 times”</h2>", "A smaller part")
	out := url.Values{"capture": q["capture"], "element": q["element"], "as": {"out"}, "to": {"/tell?item=" + id}}
	if w := post(t, r, item+"/pick", "same-origin",
		out); ledTo(w.Header().Get("Location")) != "/api/ui/tell?done=part&item="+id {
		t.Fatalf("leave it out: %d %s", w.Code, w.Body)
	}
	says(t, do(t, r, "GET", "/api/items/"+id, ""), 200, `"exclude":["b:named`)
	says(t, do(t, r, "PATCH", "/api/items/"+id, `{"watch":null}`), 200, id)
	form := url.Values{"do": {"preview"}, "watch.include": {".prise"}}
	if w := post(t, r, item+"/pick", "same-origin", form); strings.Count(w.Body.String(), ">not in the page") != 3 {
		t.Errorf("a selector that finds nothing: %s", w.Body)
	}
	form.Set("watch.include", "p[")
	if w := post(t, r, item+"/pick", "same-origin", form); w.Code != 400 || !strings.Contains(w.Body.String(),
		"Only these parts: &#34;p[&#34; is not a CSS selector") {
		t.Errorf("a bad selector: %d %s", w.Code, w.Body)
	}
	form = url.Values{"do": {"save"}, "watch.include": {".price"}}
	if w := post(t, r, item+"/pick", "same-origin", form); ledTo(w.Header().Get("Location")) != item+"?done=part" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	shows(t, r, item+"?done=part", "Saved.")
	shows(t, r, item+"/experts", ">.price <small>")
	r.say(id, `Price: <b class=price>84</b> EUR &lt;i&gt; seen 14 times`)
	told := func() int { return strings.Count(do(t, r, "GET", "/api/changes", "").Body.String(), `"kind":`) }
	before := told()
	r.say(id, `Price: <b class=price>89</b> EUR &lt;i&gt; seen 14 times`)
	if before != 3 || told() != 4 {
		t.Errorf("%d changes before the price changed, and %d after", before, told())
	}
	shows(t, r, item+"/pick?"+q.Encode(), "Also watch it", ">Watch only this</button>")
}

// TestG1TriedFields checks that the preview of a watch shows what its fields read in each capture, and says what is
// the matter with those that read nothing, as text (G1).
func TestG1TriedFields(t *testing.T) {
	r := newRig(t)
	id, item := r.priced()
	set := `{"watch":{"fields":{"cost":{"from":"css","path":".price","type":"number"},` +
		`"gone":{"from":"css","path":".gone","type":"text"},"raw":{"from":"css","path":"p","type":"text"}}}}`
	says(t, do(t, r, "PATCH", "/api/items/"+id, set), 200, ".gone")
	w := post(t, r, item+"/pick", "same-origin", url.Values{"do": {"preview"}})
	says(t, w, 200, `cost: <b>84</b>`, `cost: <b>79</b>`, `gone: <span class="bad">gone</span> the selector finds nothing`)
	if body := w.Body.String(); strings.Contains(body, "<i>") || !strings.Contains(body, "; Price: 84 EUR &lt;i&gt;") {
		t.Error("a value is not escaped")
	}
}

// TestW23StaleChoice checks that a number of an earlier capture chooses the element of that capture, and that a capture
// or a number that does not exist is refused.
func TestW23StaleChoice(t *testing.T) {
	r := newRig(t)
	id, item := r.priced()
	q := pressed(t, shows(t, r, item+"/pick"), "84")
	r.say(id, `New. <b>One</b> more</p><p>Price: <b class=price>99</b> EUR`)
	shows(t, r, item+"/pick?"+q.Encode(), `>“84”</h2>`, `b:named(&#34;Price&#34;)</textarea>`, ">99</mark>")
	for name, bad := range map[string]url.Values{
		"no such capture": {"capture": {strings.Repeat("0", 64)}, "element": q["element"]},
		"no such element": {"capture": q["capture"], "element": {"999"}},
		"no number":       {"capture": q["capture"], "element": {"x"}},
		"no capture":      {"element": q["element"]},
	} {
		if w := do(t, r, "GET", item+"/pick?"+bad.Encode(), ""); w.Code != 400 && w.Code != 404 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
}

// TestW23PatternIsEdited checks that a proposed pattern covers the last captures, can be edited and tried, and that
// what
// is wrong with it is said beside its field.
func TestW23PatternIsEdited(t *testing.T) {
	r := newRig(t)
	id, item := r.priced()
	r.say(id, `Price: <b class=price>1,084</b> EUR &lt;i&gt; seen 13 times`)
	form := url.Values{"do": {"preview"}}
	w := post(t, r, item+"/ignore", "same-origin", form)
	for _, want := range []string{`name="pattern.1" value="^Price: \d{1,3}(?:,\d{3})* EUR &lt;i&gt; seen \d&#43; times$"`, `name="line" value="1">`, ">says something<", "this line with any number"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the proposal lacks %s:\n%s", want, w.Body)
		}
	}
	form = url.Values{"sent": {"true"}, "line": {"1"}, "do": {"preview"}, "pattern.1": {"seen 12"}}
	if body := post(t, r, item+"/ignore", "same-origin", form).Body.String(); !strings.Contains(body,
		"seen 12 times</del>") || strings.Contains(body, "seen 13 times</del>") ||
		!strings.Contains(body, "Silences 1 of 3 changes") {
		t.Errorf("the edited patterns: %s", body)
	}
	form.Set("how.1", "exact")
	if body := post(t, r, item+"/ignore", "same-origin", form).Body.String(); strings.Contains(body,
		"seen 12 times</del>") ||
		!strings.Contains(body, "seen 13 times</ins>") {
		t.Errorf("exactly this line: %s", body)
	}
	for _, do := range []string{"preview", "ignore"} {
		form = url.Values{"do": {do}, "patterns": {"seen ("}}
		body := post(t, r, item+"/ignore", "same-origin", form).Body.String()
		for _, want := range []string{"Ignored lines: &#34;seen (&#34; is not a regular expression", "write a \\",
			"seen (</textarea>",
			`aria-invalid="true"`} {
			if !strings.Contains(body, want) {
				t.Errorf("%s of a bad pattern lacks %s:\n%s", do, want, body)
			}
		}
	}
	form = url.Values{"sent": {"true"}, "line": {"1"}, "do": {"preview"}, "pattern.1": {"seen ("}}
	if body := post(t, r, item+"/ignore", "same-origin", form).Body.String(); !strings.Contains(body,
		"value=\"seen (\" spellcheck=\"false\"\n  aria-invalid=\"true\"") {
		t.Errorf("the pattern of a line is wrong: %s", body)
	}
	form = url.Values{"do": {"ignore"}, "patterns": {"seen 12\n^Nothing like it"}}
	if w := post(t, r, item+"/ignore", "same-origin", form); ledTo(w.Header().Get("Location")) != item+"?done=ignored" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	shows(t, r, item+"/ignore", "<code>seen 12</code>", "<code>^Nothing like it</code>", ">…seen 12…</q>",
		">Nothing like it…</q>")
}

// TestW23NoElements checks that a document without elements says so, and that patterns are offered for one that has
// some.
func TestW23NoElements(t *testing.T) {
	r := newRig(t)
	r.web.more = map[string]string{"data.xml": "<port><harbour>open</harbour></port>",
		"a.png": "\x89PNG\r\n\x1a\n\x00\x01"}
	do(t, r, "POST", "/api/AddUrlDocument", `{"urls":["https://port.example/ok/data.xml","https://port.example/ok/a.png"]}`)
	r.work()
	image := "/api/ui/items/" + idOf(t, "https://port.example/ok/a.png")
	shows(t, r, image+"/pick", "this is image/png of which no text is read", image+"/ignore")
	item := "/api/ui/items/" + idOf(t, "https://port.example/ok/data.xml")
	shows(t, r, item+"/pick", "harbour: open</button>")
	shows(t, r, item+"/ignore", "Write what to ignore")
	w := post(t, r, item+"/ignore", "same-origin", url.Values{"do": {"preview"}, "patterns": {"harbour"}})
	if !strings.Contains(w.Body.String(), "harbour: open</q>") {
		t.Errorf("what a pattern hides: %s", w.Body)
	}
}

// TestW23LongPage checks that a long page is cut, says so, and can be searched.
func TestW23LongPage(t *testing.T) {
	r := newRig(t)
	id, item := r.priced()
	r.say(id, strings.Repeat("<p>A line of many.</p>", 400)+"<p>Depth: 12 m</p>")
	body := shows(t, r, item+"/pick", "the first 300 of 40", "Find a text to see more")
	if strings.Contains(body, "Depth: 12 m") {
		t.Error("the page is not cut")
	}
	pressed(t, shows(t, r, item+"/pick?find=depth"), "Depth: 12 m")
	shows(t, r, item+"/pick?find=%3Cdeeper", "no text with <q>&lt;deeper</q>")
}

// TestG5PressedValue checks that a pressed amount becomes a value with its currency, that it is shown before it is
// saved, and that a condition then speaks of it on a page that declares nothing (G5).
func TestG5PressedValue(t *testing.T) {
	r := newRig(t)
	id, item := r.priced()
	r.say(id, `Only <b class=price>€ 199.00</b>, and <i class=left>4 places left</i> until`)
	page := shows(t, r, item+"/pick")
	q := pressed(t, page, "€ 199.00")
	picked := shows(t, r, item+"/pick?"+q.Encode(), "It is read as 199 EUR, and is called <b>price</b>",
		".price</textarea>",
		"price:money=css:.price</textarea>", `price: <b>199 EUR</b>`, `name="as" value="value"`)
	was := regexp.MustCompile(`name="was" value="([^"]*)"`).FindStringSubmatch(picked)
	if was == nil {
		t.Fatal(picked)
	}
	form := url.Values{"do": {"save"}, "was": {html.UnescapeString(was[1])}, "watch.include": {".price"},
		"watch.fields": {"price:money=css:.price"}}
	if w := post(t, r, item+"/pick", "same-origin", form); ledTo(w.Header().Get("Location")) != item+"?done=part" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	r.say(id, `Only <b class=price>€ 199.00</b>, and <i class=left>4 places left</i> until now`)
	test := `{"channels":[],"filter":{"itemId":"` + id + `"},"when":{"field":"price","op":"<","value":180}}`
	if w := do(t, r, "POST", "/api/rules/test", test); w.Code != 200 || strings.Contains(w.Body.String(), `"warning"`) {
		t.Errorf("the condition has no value: %s", w.Body)
	}
	r.say(id, `Only <b class=price>€ 175.00</b>, and <i class=left>4 places left</i> until`)
	says(t, do(t, r, "GET", "/api/changes", ""), 200, "199 → 175 EUR")

	q = pressed(t, page, "4 places left")
	q.Set("as", "value")
	shows(t, r, item+"/pick?"+q.Encode(), "It is read as 4 places left, and is called <b>places-left</b>",
		"places-left:number=css:.left", "price:money=css:.price", `places-left: <b>4</b>`, ".price</textarea>")
	q = pressed(t, page, "one")
	q.Set("as", "value")
	says(t, post(t, r, item+"/pick", "same-origin", q), 400, "neither an amount")
}
