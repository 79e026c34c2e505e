package discover

import (
	"slices"
	"testing"
)

// TestE16PagesWithoutALink checks that the pages of frames and of a refresh are found as linked ones are, that pages in
// an iframe are counted with an example, and that what only leads elsewhere by scripts or without them is not (E16).
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
		`<base href="/e/"><iframe src="player"></iframe><iframe src="about:blank"></iframe>`:  nil,
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
		if iframes := []Omitted{{omitFrames, 1, "https://a.example/e/player"}}; body[1:5] == "base" &&
			!slices.Equal(page.Omitted, iframes) {
			t.Errorf("%s: %v", body, page.Omitted)
		}
	}
}
