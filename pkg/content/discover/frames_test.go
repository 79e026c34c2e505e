package discover

import (
	"slices"
	"testing"
)

// TestE16PagesWithoutALink checks that the pages of frames, of a refresh, of a series and of an iframe that is all that
// a page has are found as linked ones are, and that what only leads elsewhere by scripts or without them is not (E16).
func TestE16PagesWithoutALink(t *testing.T) {
	for body, want := range map[string][]string{
		`<meta http-equiv=refresh content="0; url=/next#x">`:                {"https://a.example/next"},
		`<meta http-equiv=Refresh content="5;URL='next.html'">`:             {"https://a.example/d/next.html"},
		`<meta http-equiv=refresh content="1, next">`:                       {"https://a.example/d/next"},
		`<meta http-equiv=refresh content="300">`:                           nil,
		`<meta http-equiv=refresh content="300;">`:                          nil,
		`<meta http-equiv=refresh content="0;url=javascript:x()">`:          nil,
		`<meta http-equiv=content-type content="text/html; charset=x">`:     nil,
		`<noscript><meta http-equiv=refresh content="0;url=/n"></noscript>`: nil,
		`<frameset><frame src="menu.html"><frame src="/text.html"></frameset>`: {"https://a.example/d/menu.html",
			"https://a.example/text.html"},
		`<frameset><frame src="menu.html"><noframes><p>No frames? <a href="/plain">Here</a></noframes></frameset>`: {
			"https://a.example/plain", "https://a.example/d/menu.html"},
		`<link rel="Next" href="/2"><link rel=prev href=0><link rel=stylesheet href=s.css>`: {"https://a.example/2",
			"https://a.example/d/0"},
		`<iframe src="content.html"></iframe><a href="mailto:a@a.example">Write</a>`: {"https://a.example/d/content.html"},
		`<base href="/e/"><a href="/x">X</a><iframe src="player"></iframe><iframe src="about:blank"></iframe>`: {
			"https://a.example/x"},
		`<meta name=robots content=nofollow><meta http-equiv=refresh content="0; url=/next">`: nil,
	} {
		page, err := ReadPage([]byte("<!doctype html>"+body), "text/html", "https://a.example/d/")
		var got []string
		for _, link := range page.Links {
			got = append(got, link.URL)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q (%v), want %q", body, got, err, want)
		}
	}
}

// TestE16OmittedLinks checks that what leads to no page of the web, translations and pages in an iframe are counted
// with an example, and that a translation with a link is not counted (E16).
func TestE16OmittedLinks(t *testing.T) {
	const body = `<!doctype html><link rel=alternate hreflang=de href="/de"><link rel=alternate hreflang=fr href="/fr">
		<link rel=alternate type="application/rss+xml" href="/feed"><a href="/fr">FR</a><a href="#top">Top</a>
		<a href=" MAILTO:a@a.example">Write</a><a href="tel:+1">Call</a><a href="">Here</a><iframe src="/player"></iframe>`
	page, err := ReadPage([]byte(body), "text/html", "https://a.example/d/")
	want := []Omitted{{omitForeign, 2, "MAILTO:a@a.example"}, {omitTranslations, 1, "https://a.example/de"},
		{omitFrames, 1, "https://a.example/player"}}
	if err != nil || !slices.Equal(page.Omitted, want) || len(page.Links) != 1 {
		t.Errorf("%v, %v (%v), want %v", page.Links, page.Omitted, err, want)
	}
}
