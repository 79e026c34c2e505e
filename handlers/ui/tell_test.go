package ui

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
)

// asked answers as [answers], and notes the writes of rules, pages and channels.
type asked struct {
	answers
	all *[]string
}

// RoundTrip implements [http.RoundTripper].
func (a asked) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && !strings.HasSuffix(r.URL.Path, "/rules/test") {
		body := ""
		if r.Body != nil {
			b, _ := io.ReadAll(r.Body)
			body = string(b)
		}
		*a.all = append(*a.all, r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api")+" "+body)
	}
	return a.answers.RoundTrip(r)
}

var tentTitle = "Ridge tent " + strings.Repeat("x", 200)

const tentID = "url_aaaaaaaaaaaaaaaaaaaaaaaaaa"

// tent is a dashboard over an API with one page, which offers a price, a number, stock and two lists.
func tent(t *testing.T, more answers) (h http.Handler, all *[]string) {
	t.Helper()
	a := asked{answers{"/items/" + tentID: `{"id":"` + tentID + `","type":"url","title":"` + tentTitle + `",
		"status":"Indexed","lastChecked":"2026-11-01T08:00:00Z","captures":[{"sha256":"a"}],
		"fields":{"price":{"value":199,"currency":"EUR","text":"199 EUR","type":"money","state":"value"}}}`,
		"/offers": `{"offers":[{"kind":"price","name":"price","text":"199 EUR","value":199,"unit":"EUR","every":"1h",
			"watch":{"fields":{"price":{"from":"declared"}}},"when":{"field":"price","op":"<","value":"199 EUR"}},
			{"kind":"stock","name":"availability","text":"out of stock","every":"15m","watch":{},
			"when":{"field":"availability","op":"fromTo","to":"InStock"}},
			{"kind":"number","name":"Weight","text":"2.4 kg","value":2.4,"unit":"kg","every":"1d",
			"watch":{"fields":{"kg":{"from":"css","path":".kg","type":"number"}}},"when":{"field":"kg","op":"fromTo"}},
			{"kind":"list","name":"Reviews","entries":3,"every":"6h","watch":{"include":["ul"],
			"list":"tell","listLinks":["ul a"]}},
			{"kind":"list","name":"Sizes","entries":2,"every":"6h","watch":{"include":["table"]}}]}`,
		"/text":     `{"text":"# Ridge tent\n\nTwo-person tent\n\n€ 199.00"}`,
		"/channels": `{"channels":[{"name":"ops","kind":"webhook"}]}`,
		"/rules":    `{"rules":[]}`, "/rules/test": `{"looked":3}`,
		"/fields/price": `{"name":"price","entries":[]}`}, new([]string)}
	for path, text := range more {
		a.answers[path] = text
	}
	return New(Options{Client: api.NewClient("http://tidemark.example", "", &http.Client{Transport: a})}), a.all
}

var wasTyped = regexp.MustCompile(`name="was" value="([^"]*)"`)

// press opens a page and sends its form.
func press(t *testing.T, h http.Handler, path string, f url.Values) *httptest.ResponseRecorder {
	t.Helper()
	if found := wasTyped.FindStringSubmatch(read(t, h, path)); found != nil {
		f.Set("was", strings.ReplaceAll(found[1], "&amp;", "&"))
	}
	r := httptest.NewRequest("POST", Root+path, strings.NewReader(f.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// TestTellWhatIsChosen checks what each choice of the dialogue asks of the API: first what is watched of the page, then
// the alert; and that a name that the dialogue has made itself is never too long.
func TestTellWhatIsChosen(t *testing.T) {
	const item = "PATCH /items/" + tentID
	name := tentTitle[:100]
	rule := func(filter, rest string) string {
		return `POST /rules {"name":"` + name + `","filter":{` + filter + `"itemId":"` + tentID + `"},"channels":["ops"]` +
			rest + `}`
	}
	price := item + ` {"watch":{"fields":{"price":{"from":"declared"}}}}`
	when := func(rest string) string { return `,"when":{"field":"price",` + rest + `},"every":"1h"` }
	for _, tc := range []struct {
		form string
		want []string
	}{
		{"what=any", []string{rule("", `,"every":"1d"`)}},
		{"what=any&check=15m&send=daily", []string{rule("", `,"digest":"daily","at":"07:30","every":"15m"`)}},
		{"what=any&check=-&send=hourly&timezone=Europe/Paris", []string{rule("", `,"digest":"hourly"`)}},
		{"what=value&value=price&op=below&limit=180", []string{price, rule("", when(`"op":"<","value":"180 EUR"`))}},
		{"what=value&value=price&op=above&limit=180+USD", []string{price, rule("", when(`"op":">","value":"180 USD"`))}},
		{"what=value&value=price&op=falls", []string{price, rule("", when(`"op":"<","against":"previous"`))}},
		{"what=value&value=price&op=by&limit=10+%25", []string{
			price, rule("", when(`"op":"changedBy","value":"10","unit":"%"`))}},
		{"what=value&value=kg&op=any", []string{
			item + ` {"watch":{"fields":{"kg":{"from":"css","path":".kg","type":"number"}}}}`,
			rule("", `,"when":{"field":"kg","op":"fromTo"},"every":"1d"`)}},
		{"what=stock", []string{rule("", `,"when":{"field":"availability","op":"fromTo","to":"InStock"},"every":"15m"`)}},
		{"what=list&list=Reviews", []string{item + ` {"watch":{"list":"tell","listLinks":["ul a"]}}`,
			rule(`"kind":"listed",`, `,"every":"6h"`)}},
		{"what=list&list=Sizes", []string{item + ` {"watch":{"include":["table"]}}`, rule("", `,"every":"6h"`)}},
		{"what=word&word=a.b", []string{strings.Replace(rule("", `,"every":"1d"`), `"}`, `","added":"(?i)a\\.b"}`, 1)}},
		{"what=word&word=recall&goes=1", []string{
			strings.Replace(rule("", `,"every":"1d"`), `"}`, `","removed":"(?i)recall"}`, 1)}},
		{"what=any&tags=shops", []string{item + ` {"tags":["shops"]}`, rule("", `,"every":"1d"`)}},
		{"what=part", nil}, // leads to the page, where the part is pressed
		{"do=watch&what=any&check=6h", []string{item + ` {"interval":{"max":"6h","min":"6h"}}`}},
	} {
		h, all := tent(t, nil)
		f, _ := url.ParseQuery("do=save&channels=ops&" + tc.form)
		f["do"] = f["do"][len(f["do"])-1:]
		w := press(t, h, "/tell?item="+tentID, f)
		if to := w.Header().Get("Location"); strings.Contains(to, "/pick?to=%2Ftell%3Fitem%3D") != (len(tc.want) == 0) {
			t.Errorf("%s: leads to %s", tc.form, to)
		}
		if diff := cmp.Diff(tc.want, *all); diff != "" || w.Code != http.StatusSeeOther {
			t.Errorf("%s: %d %s", tc.form, w.Code, diff)
		}
	}
}

// TestTellWhatIsMissing checks that the dialogue says what is missing at its place, keeps what was chosen, and saves
// nothing.
func TestTellWhatIsMissing(t *testing.T) {
	for form, want := range map[string]string{
		"what=value&value=price&op=below&channels=ops": "say a number, such as 80",
		"what=word&channels=ops":                       "say a word or a phrase",
		"what=any":                                     "choose where to",
	} {
		h, all := tent(t, nil)
		f, _ := url.ParseQuery("do=save&" + form)
		w := press(t, h, "/tell?item="+tentID, f)
		body := strings.Join(strings.Fields(w.Body.String()), " ")
		chosen := fmt.Sprintf(`value="%s" checked`, f.Get("what"))
		if w.Code != http.StatusBadRequest || !strings.Contains(body, want) || !strings.Contains(body, chosen) ||
			len(*all) > 0 {
			t.Errorf("%s: %d, %v in %s", form, w.Code, *all, body)
		}
	}
}

// TestTellShowsWhatIsWrong checks that the first wrong field has the focus and that one line above the button says what
// is wrong; that the choices stay as they were called; that the cost follows what is chosen, also while a limit is
// missing; and that the alerts of the page are named.
func TestTellShowsWhatIsWrong(t *testing.T) {
	h, _ := tent(t, answers{"/channels": `{"channels":[]}`, "/check": `{"fields":[{"name":"host"}]}`,
		"/rules": `{"rules":[{"id":"rule_a","filter":{"itemId":"` + tentID + `"},"enabled":true},{"id":"rule_b"}]}`})
	f, _ := url.ParseQuery("do=save&what=value&value=price&op=below")
	body := press(t, h, "/tell?item="+tentID, f).Body.String()
	body = strings.Join(strings.Fields(body), " ")
	inOrder(t, body, `You are told of this page already: <a href="/api/ui/notifications/rules/rule_a">when anything`+
		` changes</a>.`, `id="read"`,
		`name="limit" aria-invalid="true" autofocus`, `<option value="">as often as is right for it</option>`,
		`role="alert">Limit: say a number, such as 80.</p><button class="main" name="do" value="save">`,
		"The page is checked every hour: about 24 requests a day")
	if n := strings.Count(body, `role="alert"`); n != 1 {
		t.Errorf("%d alerts", n)
	}
	f.Set("do", "preview")
	body = press(t, h, "/tell?item="+tentID, f).Body.String()
	if strings.Contains(body, `role="alert"`) || !strings.Contains(body, "24 requests a day") {
		t.Errorf("the preview says it above the button, or not what it costs: %s", body)
	}
}

// TestTellShowsTheRuleAsItIs checks that the dialogue opens an alert with the choices that make it, that saving them
// changes nothing else of it, and that what the choices cannot say is kept.
func TestTellShowsTheRuleAsItIs(t *testing.T) {
	for spec, want := range map[string]string{
		`"when":{"field":"price","op":"<","value":"180 EUR"}`:                      `inputmode="decimal" value="180"`,
		`"when":{"field":"price","op":"<","against":"previous"}`:                   `value="falls" selected`,
		`"when":{"field":"availability","op":"fromTo","to":"InStock"}`:             `value="stock" checked`,
		`"filter":{"itemId":"` + tentID + `","kind":"listed"}`:                     `value="list" checked`,
		`"filter":{"itemId":"` + tentID + `","removed":"(?i)recall\\."}`:           `name="word" value="recall."`,
		`"filter":{"itemId":"` + tentID + `","kind":"gone"}`:                       `value="keep" checked`,
		`"when":{"field":"price","op":"<","value":"80","against":"","first":true}`: `value="keep" checked`,
	} {
		if !strings.Contains(spec, "filter") {
			spec += `,"filter":{"itemId":"` + tentID + `"}`
		}
		h, all := tent(t, answers{"/rules/rule_a": `{"id":"rule_a","name":"Tent","channels":["ops"],"every":"1h",` +
			spec + `}`})
		body := read(t, h, "/tell?rule=rule_a")
		inOrder(t, body, want, `value="ops" checked`, `value="1h" selected`, `name="name" value="Tent"`)
		f := url.Values{"do": {"save"}, "channels": {"ops"}, "check": {"1h"}, "send": {"none"}, "name": {"Tent"},
			"what": {"keep"}}
		press(t, h, "/tell?rule=rule_a", f)
		if diff := cmp.Diff([]string{`PATCH /rules/rule_a {"channels":["ops"],"every":"1h"}`}, *all); diff != "" {
			t.Errorf("%s: %s", spec, diff)
		}
	}
}

// TestTellMakesTheFirstChannel checks that the dialogue makes the channel that is missing: it tests it, and saves it
// before the alert; that a test that fails saves nothing; that the sign-in name is the address if none is typed; and
// that messages lead back to the address that is shown.
func TestTellMakesTheFirstChannel(t *testing.T) {
	f := func() url.Values {
		return url.Values{"do": {"save"}, "what": {"any"}, "kind": {"smtp"}, "fields.to": {"anna@fenland.example"},
			"fields.host": {"mail.fenland.example:465"}, "fields.password": {"pw"}, "home": {"https://tide.example"}}
	}
	h, all := tent(t, answers{"/channels": `{"channels":[]}`, "/test": `{"ok":true}`})
	w := press(t, h, "/tell?item="+tentID, f())
	if w.Code != http.StatusSeeOther || len(*all) != 5 {
		t.Fatalf("%d %s: %s", w.Code, strings.Join(*all, "\n"), w.Body)
	}
	for i, want := range []string{"POST /channels/mail/check", "POST /channels/mail/test", "POST /channels",
		"PUT /address", "POST /rules"} {
		if !strings.HasPrefix((*all)[i], want+" {") {
			t.Errorf("%d is %s", i, (*all)[i])
		}
	}
	inOrder(t, (*all)[2], `"encryption":"tls"`, `"from":"anna@fenland.example"`, `"host":"mail.fenland.example"`,
		`"port":"465"`, `"user":"anna@fenland.example"`)
	h, all = tent(t, answers{"/channels": `{"channels":[]}`, "/test": `{"ok":false,"error":"the password is wrong"}`})
	w = press(t, h, "/tell?item="+tentID, f())
	inOrder(t, strings.Join(strings.Fields(w.Body.String()), " "), `value="anna@fenland.example"`, "The test did not arrive", "The password is wrong")
	if len(*all) != 2 || strings.Contains(w.Body.String(), `value="pw"`) {
		t.Errorf("%v", *all)
	}
	f2 := f()
	f2.Set("kind", "none")
	h, all = tent(t, answers{"/channels": `{"channels":[]}`})
	if press(t, h, "/tell?item="+tentID, f2); len(*all) != 0 {
		t.Errorf("only this inbox: %v", *all)
	}
}
