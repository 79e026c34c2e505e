package main

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"
)

// TestN1WordsOfTheSite checks that the words of the site are counted by what HTML and ARIA say, and that a page that
// keeps some in its text is noticed.
func TestN1WordsOfTheSite(t *testing.T) {
	text := strings.Repeat("<p>The old quay was built of granite, long before the harbour had cranes.</p>", 12)
	for _, row := range []struct {
		html, kind   string
		words, found int
	}{
		{`<nav>one two</nav><main>` + text + `</main>`, "navigation", 2, 0},
		{`<header><p>one two three</p></header><main>` + text + `</main>`, "header", 3, 0},
		{`<main><header><p>one two three</p></header>` + text + `</main>`, "header", 0, 0},
		{`<main><h1>Quay</h1></main><header><p>one two three</p></header>` + text, "header", 3, 3},
		{`<article>` + text + `<footer>four</footer></article><footer>five</footer>`, "footer", 1, 0},
		{`<main>` + text + `</main><div id=consent>We use a cookie. <button>Yes</button></div>`, "consent", 5, 0},
		{`<main>` + text + `</main><div class=consent><p>We ask parents first.</p></div>`, "consent", 0, 0},
	} {
		c, err := siteWords([]byte("<!DOCTYPE html><title>T</title><body>"+row.html), row.kind)
		if err != nil || c != (seenCount{row.words, row.found}) {
			t.Errorf("%.60s: have %+v, %v", row.html, c, err)
		}
	}
}

// TestN1WordsOfABrowser compares what a browser showed of a page with its text: one box of it is in a script.
func TestN1WordsOfABrowser(t *testing.T) {
	shown := seenPage{ID: "1", Pieces: [][2]string{{"main > p", "The quay is old."}, {"div > b", "Closed today"}}}
	c, all := compareSeen(shown, "the quay, is OLD")
	if c != (seenCount{6, 4}) || len(all) != 1 || all[0] != (lost{"1", "div > b", "Closed today", 2}) {
		t.Errorf("have %+v, %v", c, all)
	}
	dir := t.TempDir()
	write(t, dir+"/seen.jsonl", `{"id":"1","pieces":[["body > p","The quay"],["body > div.x","Closed"]]}`+"\n"+
		`{"id":"2","failed":"too late"}`+"\n")
	var out bytes.Buffer
	folder := fstest.MapFS{"html/1.html": {Data: []byte("<p>The quay</p><script>Closed</script>")}}
	if err := reportSeen(&out, folder, dir+"/seen.jsonl", false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2: too late", "1 pages, 3 words: 0.667", "1  div"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
