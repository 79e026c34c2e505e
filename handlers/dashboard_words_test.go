package handlers

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/tidemark/tidemark/handlers/ui"
)

// innerWords are words of the program and of its API, which say nothing to people.
var innerWords = regexp.MustCompile(`\bfields?\.[a-z]|dial tcp|\blookup |capture\.invalid|\{\{ ?\d|<nil>|\burl_\S+ is not|&\{|%!|` +
	`sha256:|\bInStock\b|\bOutOfScope\b|\bForce\b|\bhunk\b|beside the main|base interval|\bwatch\.[a-z]|\bwhen\.[a-z]|` +
	`\b[Rr]ules?\b|\b[Cc]hannels?\b|\b[Dd]igests?\b|\b[Ss]ilenced\b|\bCrawled\b|` +
	`\bitemId\b|\burlFrom\b|strconv|\bparsing "|invalid syntax|\w+\[\d+\]|not a valid|the row exists|x509|json:`)

// proseOf returns what a page says to people: not what stands in code or in quotations.
func proseOf(n *html.Node) string {
	if slices.Contains([]string{"code", "pre", "script", "style", "textarea", "q", "ins", "del", "mark", "kbd"}, n.Data) {
		return ""
	}
	if n.Type == html.TextNode {
		return n.Data
	}
	text := ""
	for c := range n.ChildNodes() {
		text += proseOf(c)
	}
	return text
}

// plainly fails the test if a page says words of the program, and returns the page.
func plainly(t *testing.T, what, body string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	must(t, err)
	text := strings.Join(strings.Fields(proseOf(doc)), " ")
	if strings.Contains(what, "/notifications/new-channel") || strings.Contains(what, "/notifications/channels/") {
		text = strings.NewReplacer("channel", "", "Channel", "").Replace(text) // Slack and others have channels
	}
	for _, at := range innerWords.FindAllStringIndex(text, -1) {
		t.Errorf("%s says …%s…", what, text[max(0, at[0]-90):min(len(text), at[1]+60)])
	}
	return doc
}

// TestPagesSayPlainWords opens every page to which another leads, and checks that none says a field's path, an error of
// Go or a name that only the program knows.
func TestPagesSayPlainWords(t *testing.T) {
	s := stages{t: t, at: map[string]http.Handler{}, names: map[string]string{}}
	s.pages()
	s.runs()
	s.sites()
	s.walk("", 3, func(what string, w *httptest.ResponseRecorder) {
		body := w.Body.String()
		if strings.Contains(what, "/captures/") || strings.HasSuffix(what, "/experts") { // these show sums and decisions
			body = strings.NewReplacer("sha256:", "", "base interval", "").Replace(body)
		}
		plainly(t, what, body)
	})
	s.walk("/tide/mark", 1, func(what string, w *httptest.ResponseRecorder) {
		if !strings.Contains(what, "raw=true") { // what the pages link to is not ours
			inside(t, what, "/tide/mark", w)
		}
	})
}

// walk opens every page to which another leads, below a path, but only so many of one kind.
func (s *stages) walk(prefix string, most int, each func(what string, w *httptest.ResponseRecorder)) {
	s.t.Helper()
	opened, root := 0, prefix+ui.Root
	for name, h := range s.at {
		seen, kinds, next := map[string]bool{}, map[string]int{}, []string{root + "/"}
		for len(next) > 0 {
			path := next[0]
			next = next[1:]
			w := do(s.t, behind(prefix, h), "GET", path, "")
			if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
				continue
			}
			opened++
			each(name+":"+path, w)
			doc, err := html.Parse(strings.NewReader(w.Body.String()))
			must(s.t, err)
			for _, to := range linksOf(doc) {
				to, _, _ = strings.Cut(to, "#")
				kind := regexp.MustCompile(`\d+|[0-9a-f]{16,}|url_\w+`).ReplaceAllString(to, "*")
				if strings.HasPrefix(to, root) && !seen[to] && kinds[kind] < most && !strings.HasPrefix(to, root+"/help/") &&
					to != root+"/docs" {
					seen[to] = true
					kinds[kind]++
					next = append(next, to)
				}
			}
		}
	}
	if opened < 100 {
		s.t.Errorf("only %d pages were opened", opened)
	}
}

// TestRefusalsSayPlainWords sends forms that are filled in wrongly, and checks that the answers name the fields as
// their labels do, and say what to do.
func TestRefusalsSayPlainWords(t *testing.T) {
	s := stages{t: t, at: map[string]http.Handler{}, names: map[string]string{}}
	s.pages()
	r := s.at[""]
	item := "/items/" + s.names["id"]
	for i, tc := range wrongForms(s.names["id"], s.names["entry"]) {
		w := post(t, r, "/api/ui"+tc.path, "same-origin", tc.form)
		if w.Code >= 500 {
			t.Errorf("%d: %s %v: %d %s", i, tc.path, tc.form, w.Code, w.Body)
		}
		if w.Code != http.StatusSeeOther {
			plainly(t, tc.path+" "+tc.form.Encode(), w.Body.String())
		}
	}
	for _, path := range []string{"/?since=x", "/?type=x", "/?kind=x", "/?zone=x", "/?after=x", "/items?status=x",
		"/items?sort=x",
		"/items?after=x", "/items?find=(", "/items/x", "/items/url_x", item + "/diff?from=x", item + "/diff?part=x",
		item + "/fields/none",
		item + "/pick?element=x", item + "/pick?element=9999", item + "/ignore?from=x&to=y", "/changes/x", "/tags/a%20b",
		"/search?q=x&page=-1", "/search?q=x&mode=x", "/notifications/rules/x", "/notifications/channels/x",
		"/entries/x", "/hosts/x",
		"/import/x", "/backfill/x", "/items/bulk?id=x", "/index/run?id=x", "/tell?item=x", "/tell?rule=x", "/none",
		"/notifications/messages?state=x", item + "/captures/x/read", "/hosts?skip=x"} {
		plainly(t, path, do(t, r, "GET", "/api/ui"+path, "").Body.String())
	}
}

// A wrongForm is a form that is filled in wrongly, and the page it is sent to.
type wrongForm struct {
	path string
	form url.Values
}

// wrongForms returns forms of all pages, some of an item and some of an entry, which are filled in wrongly.
func wrongForms(id, entry string) []wrongForm {
	long, item, tell := strings.Repeat("Harbour ", 40), "/items/"+id, "/tell?item="+id
	form := func(pairs ...string) url.Values {
		f := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			f.Add(pairs[i], pairs[i+1])
		}
		return f
	}
	return []wrongForm{
		{"/tell", form("do", "read", "url", "http://")},
		{"/tell", form("do", "read", "url", "ftp://port.example/")},
		{"/tell", form("do", "read", "url", "http://192.168.1.1/")},
		{"/tell", form("do", "read", "url", "no address")},
		{"/tell", form("do", "read", "url", "")},
		{tell, form("do", "save", "what", "any", "channels", "ops", "name", long)},
		{tell, form("do", "save", "what", "any", "channels", "none")},
		{tell, form("do", "save", "what", "value", "value", "price", "op", "below", "limit", "cheap", "channels", "ops")},
		{tell, form("do", "save", "what", "value", "value", "price", "op", "by", "limit", "x %", "channels", "ops")},
		{tell, form("do", "save", "what", "word", "word", long, "channels", "ops")},
		{tell, form("do", "save", "what", "any", "check", "fast", "channels", "ops")},
		{tell, form("do", "save", "what", "any", "send", "daily", "at", "25:00", "channels", "ops")},
		{tell, form("do", "save", "what", "any", "send", "daily", "timezone", "Mars", "channels", "ops")},
		{tell + "&more=alert", form("do", "save", "what", "keep", "filter.added", "(", "channels", "ops")},
		{tell + "&more=alert", form("do", "save", "what", "any", "filter.minShare", "x", "when.field", "price",
			"when.op", "<",
			"when.value", "a b c", "channels", "ops")},
		{tell + "&more=alert", form("do", "save", "what", "keep", "filter.kind", "sudden", "quiet.from", "x",
			"channels", "ops")},
		{tell + "&more=page", form("do", "save", "interval.min", "soon", "interval.max", "-1h", "priority", "99",
			"tags", "a b!")},
		{tell + "&more=page", form("do", "save", "watch.include", "p[", "watch.ignore", "(", "watch.fields", "price=money")},
		{tell + "&more=page", form("do", "save", "activeHours.start", "x", "activeHours.days", "someday", "viewport", "big")},
		{tell + "&more=schedule", form("do", "save", "schedule.text", "sometimes")},
		{item + "/ignore", form("do", "ignore", "sent", "true")},
		{item + "/ignore", form("do", "ignore", "patterns", "(")},
		{item + "/ignore", form("do", "ignore", "patterns", long+long+long+long)},
		{item + "/pick", form("do", "save", "watch.include", "p[")},
		{item + "/pick", form("do", "show", "element", "x")},
		{item + "/pick", form("do", "press", "element", "9999")},
		{item + "/memory", form("do", "never", "id", "x")},
		{item, form("do", "dance")},
		{"/items/bulk", form("do", "tag")},
		{"/items/bulk", form("do", "tag", "with", "a b!", "id", id)},
		{"/items/bulk", form("do", "dance", "id", id)},
		{"/mute", form("itemId", "x", "for", "week")},
		{"/mute", form("itemId", id, "for", "soon")},
		{"/undo", form("id", "x")},
		{"/tags/a%20b", form("do", "save", "priority", "1")},
		{"/tags/sea", form("do", "save", "priority", "99", "interval.min", "x", "schedule.cron", "* *")},
		{"/notifications", form("do", "off", "of", "rule_none")},
		{"/notifications/new-channel", form("do", "check", "kind", "smtp", "name", "mail", "fields.port", "x")},
		{"/notifications/new-channel", form("do", "save", "kind", "smtp", "name", "m", "fields.host", "smtp.port.example",
			"fields.encryption", "none", "fields.password", "pw", "fields.from", "a@b.example", "fields.to", "nobody")},
		{"/notifications/new-channel", form("do", "save", "kind", "smtp", "name", long, "fields.host", "192.168.1.5")},
		{"/notifications/new-channel", form("do", "save", "kind", "webhook", "name", "", "url", "mailto:x")},
		{"/notifications/new-channel", form("do", "save", "kind", "webhook", "name", "h", "url", "http://192.168.1.5/")},
		{"/notifications/new-channel", form("do", "save", "kind", "webhook", "name", "h", "urlFrom", "NONE")},
		{"/notifications/new-channel", form("do", "save", "kind", "none", "name", "h")},
		{"/notifications/address", form("url", "tide")},
		{"/sites", form("url", "://")},
		{"/sites", form("url", "https://a.example", "follow", "true", "follow.depth", "x", "include", "(")},
		{"/add", form("urls", "ftp://a\nhttp://\nb", "credential", "none")},
		{"/filters", form("list", "changes", "query", "a=b", "name", long)},
		{"/read", form("id", "x")},
		{"/read", form("upTo", "x")},
		{"/import", form("do", "read", "content", "{")},
		{"/backfill", form("do", "run", "sources", "none", "maxUrls", "x")},
		{"/entries/" + entry, form("do", "describe")},
	}
}
