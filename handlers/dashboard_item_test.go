package handlers

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

// TestU2PagesOwnPage checks that an item's page says what happens next before the first reading, then has its last
// change that counts and its history with what became of each reading; that any two versions can be compared; and that
// what experts need is one page further.
func TestU2PagesOwnPage(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	item := "/api/ui/items/" + id
	shown := func(wanted ...string) string { t.Helper(); return shows(t, r, item, wanted...) }
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	shown("It is being read for the first time", "The first check is", `data-live="10"`)
	r.work()
	r.say(id, "The lock is closed on Mondays.")
	r.say(id, "The lock is closed on Tuesdays.")
	body := shown("Last change that counts", "<ins>Tuesdays.</ins>", "Ignore lines…", "Compare other days", "Before that",
		"First reading", "watched", "not told:", `value="pause"`, item+"/experts", "/tell?item="+id)
	if strings.Contains(body, "Decisions") || strings.Contains(body, "chunk") ||
		strings.Count(body, "<ins>Tuesdays.") != 1 {
		t.Errorf("says what only experts need, or a thing twice: %s", body)
	}
	shows(t, r, item, "Before that", "/captures/")
	if told := shows(t, r, item+"?h=told", "None."); strings.Contains(told, "First reading") {
		t.Error("the readings that were told have one that was not")
	}
	shows(t, r, item+"/experts", "<details><summary>Properties", "because: ", `value="force"`, "Decisions", "Captures", "Lineage")
	var detail api.ItemDetail
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &detail))
	first, last := detail.Captures[2].SHA256, detail.Captures[0].SHA256
	shows(t, r, item+"/experts", `<option value="`+first+`"`)
	shows(t, r, item+"/diff?from="+first+"&to="+last, "on Tuesdays.", `value="`+first+`" selected`)
	earlier := "from=" + first + "&amp;to=" + detail.Captures[1].SHA256
	shows(t, r, item+"/diff", `rel="prev" href="`+item+"/diff?"+earlier)
	shows(t, r, item+"/diff?"+strings.ReplaceAll(earlier, "&amp;", "&"), `rel="next"`, "Mondays")
	send(t, r, "/api/ui/read", url.Values{"upTo": {listed(t, r, "top=1").Cursor}})
	shows(t, r, item+"/diff?from=read", "The texts are the same", "Since I last saw it")
	if to := send(t, r, item, url.Values{"do": {"pause"}}); ledTo(to) != item+"?done=paused" {
		t.Errorf("paused leads to %s", to)
	}
	shown(`value="resume"`, "checked only on request")
	send(t, r, item, url.Values{"do": {"resume"}})
	shown(`value="pause"`)
}

// TestU2DifferenceOfAnEarlierWatch checks that a link to the watched part shows the difference of the whole page, and
// says why, where the part that is watched now is the same in both captures (U2).
func TestU2DifferenceOfAnEarlierWatch(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	r.say(id, "The lock is closed on Mondays.")
	r.say(id, "The lock is closed on Tuesdays.")
	const same = "The parts that are watched now are the same in both."
	path := "/api/ui/items/" + id + "/diff?part=watched"
	if body := shows(t, r, path, "Tuesdays."); strings.Contains(body, same) {
		t.Error("the whole page is watched, and its difference is called that of another part")
	}
	do(t, r, "PATCH", "/api/items/"+id, `{"watch":{"include":["title"]}}`)
	shows(t, r, path, same, "Mondays.", "Tuesdays.")
}

// TestU2U5ReadingACapture checks that a capture is shown as a readable page: its Markdown without markup, pictures
// and scripts of third parties, and only with links to the web.
func TestU2U5ReadingACapture(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	r.say(id, `&lt;script&gt;alert(1)&lt;/script&gt; **bold** [here](javascript:alert(1)) [there](https://a.example/?a=1&amp;b)
		![a crane](https://evil.example/x.png)`)
	var detail api.ItemDetail
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &detail))
	path := "/api/ui/items/" + id + "/captures/" + detail.Captures[0].SHA256 + "/read"
	body := shows(t, r, path, "As it was", "&lt;script&gt;alert(1)&lt;/script&gt; <strong>bold</strong> here", `rel="noreferrer noopener nofollow">there</a>`,
		"harbour of one", "download")
	for _, bad := range []string{"<script>alert", "javascript:", "<img", "evil.example/x.png\""} {
		if strings.Contains(body, bad) {
			t.Errorf("%q is in it:\n%s", bad, body)
		}
	}
	older := "/api/ui/items/" + id + "/captures/" + detail.Captures[1].SHA256 + "/read"
	shows(t, r, path, older, "What changed since then")
	shows(t, r, older, path, "Next version")
	for _, asked := range []string{"", "?asOf=2026-03-01"} {
		shows(t, r, "/api/ui/items/"+id+"/read"+asked, "<h2", older, "<strong>bold</strong>")
	}
	before := do(t, r, "GET", "/api/ui/items/"+id+"/read?asOf=2026-02-28", "")
	const first = "its first capture is of 2026-03-01"
	if before.Code != http.StatusNotFound || !strings.Contains(before.Body.String(), first) {
		t.Errorf("U5: before the first capture: %d\n%s", before.Code, before.Body)
	}
	if w := do(t, r, "GET", "/api/ui/items/"+id+"/read?asOf=now", ""); w.Code != http.StatusBadRequest {
		t.Errorf("U5: as of now: %d", w.Code)
	}
	if w := do(t, r, "GET", strings.Replace(path, detail.Captures[0].SHA256, strings.Repeat("0", 64), 1), ""); w.Code !=
		http.StatusNotFound {
		t.Errorf("no such capture: %d", w.Code)
	}
}

// TestU5SearchFacets checks that facets narrow the results while every other filter is kept, and widen them again,
// and that results show their publication dates and lead to the page as it was on a day (U5).
func TestU5SearchFacets(t *testing.T) {
	r := newRig(t)
	for _, page := range []string{"port.example/ok/one", "port.example/ok/dated", "quay.example/ok/two"} {
		do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://`+page+`","tags":["`+page[:4]+`"]}`)
	}
	r.work()
	shows(t, r, "/api/ui/search?q=harbour&publishedAfter=&asOf=2026-03-01&skip=0", "published <time", "2026-02-10",
		"asOf=2026-03-01&amp;host=port.example&amp;publishedAfter=&amp;q=harbour", "port.example 2</a>",
		"tag=quay", "· changed <time",
		"/read?asOf=2026-03-01\">Read it as it was on 2026-03-01")
	body := shows(t, r, "/api/ui/search?q=harbour&host=quay.example", "quay.example ×",
		"/api/ui/search?q=harbour\" aria-current",
		">Read it here<")
	if strings.Contains(body, "port.example") {
		t.Errorf("of one host:\n%s", body)
	}
}

// TestU2Rendered checks that two versions are shown as pages side by side, that text of only one version is
// highlighted, and that no markup of third parties is active (U2).
func TestU2Rendered(t *testing.T) {
	r := newRig(t)
	id := idOf(t, "https://port.example/ok/one")
	do(t, r, "POST", "/api/AddUrlDocument", `{"url":"https://port.example/ok/one"}`)
	r.work()
	r.say(id, "The lock is closed.")
	r.say(id, "The lock is open. &lt;img src=x onerror=alert(1)&gt;")
	var detail api.ItemDetail
	must(t, json.Unmarshal(do(t, r, "GET", "/api/items/"+id, "").Body.Bytes(), &detail))
	from, to := detail.Captures[1].SHA256, detail.Captures[0].SHA256
	q := "?from=" + from + "&to=" + to
	body := shows(t, r, "/api/ui/items/"+id+"/rendered"+q, `<p class="gone">The lock is closed.</p>`,
		`<p class="come">The lock is open. &lt;img`, "Line by line")
	if n := strings.Count(body, `class="gone"`) + strings.Count(body, `class="come"`); n != 2 {
		t.Errorf("%d paragraphs are marked:\n%s", n, body)
	}
	shows(t, r, "/api/ui/items/"+id+"/diff"+q, "View as pages")
	if w := do(t, r, "GET", "/api/ui/items/"+id+"/rendered?from="+strings.Repeat("0", 64), ""); w.Code !=
		http.StatusNotFound {
		t.Errorf("no such capture: %d", w.Code)
	}
}
