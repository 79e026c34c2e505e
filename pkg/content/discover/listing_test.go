package discover

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

const listingPage = `<!DOCTYPE html><html><head><title>Notices</title></head><body>
<nav><a href="/">Home</a><a href="/about">About</a></nav>
<main>
 <article><h2><a class="title" href="/notices/1?a=1&amp;b=2">One</a></h2><a href="#top">up</a></article>
 <article><h2><a class="title" href=" 2.html ">Two</a></h2> <a href="mailto:port@port.example">mail</a></article>
 <article><h2><a class="title" href="https://OTHER.example/3#x">Three</a></h2><a href="javascript:go()">go</a></article>
 <article><h2><a class="title" href="2.html">Two again</a></h2><a rel="external nofollow" href="/ad">ad</a></article>
 <article><h2><a class="title">No address</a></h2></article>
</main>
<a rel="next" href="?page=2">older</a> <a rel="next" href="?page=3">much older</a>
</body></html>`

const listingBase = "https://port.example/news/?page=1"

func TestE8Listing(t *testing.T) {
	const one, two, three = "https://port.example/notices/1?a=1&b=2", "https://port.example/news/2.html",
		"https://other.example/3"
	const second = "https://port.example/news/?page=2"
	for _, row := range []struct {
		name, page, contentType, links, next string
		want                                 []string
		wantNext                             string
		skipped                              int
	}{
		{name: "a selector of links", page: listingPage, links: "main a.title", want: []string{one, two, three},
			wantNext: second},
		{name: "a selector of what holds them", page: listingPage, links: "article", want: []string{one, two, three},
			wantNext: second, skipped: 1},
		{name: "every link", page: listingPage, want: []string{"https://port.example/", "https://port.example/about", one,
			two, three, second, "https://port.example/news/?page=3"}, wantNext: second, skipped: 1},
		{name: "a selector of the next page", page: listingPage, links: "nav a", next: "nav a[href='/about']",
			want: []string{"https://port.example/", "https://port.example/about"}, wantNext: "https://port.example/about"},
		{name: "nothing is selected", page: listingPage, links: "table a", wantNext: second},
		{name: "next in the head", page: `<link rel="stylesheet next" href="/p2">`, wantNext: "https://port.example/p2"},
		{name: "next is the page itself", page: `<a rel=next href="?page=1">next</a>`, want: []string{listingBase}},
		{name: "next may not be followed", page: `<a rel="next nofollow" href="?page=2">next</a><a rel=next href="?page=3">`,
			links: "main a"},
		{name: "base", page: `<base href="/archive/"><a href="1">`, want: []string{"https://port.example/archive/1"}},
		{name: "base of another scheme", page: `<base href="data:text/html,"><a href="1">`,
			want: []string{"https://port.example/news/1"}},
		{name: "a page that forbids it", page: `<meta name=Robots content="noindex, NOFOLLOW"><a href="1"><a rel=next ` +
			`href=2>`, skipped: 1},
		{name: "a page that forbids only its index", page: `<meta name=robots content="noindex, follow"><a href="1">`,
			want: []string{"https://port.example/news/1"}},
		{name: "latin1, declared", page: "<a href='/f\xfcr'>", contentType: "text/html; charset=iso-8859-1",
			want: []string{"https://port.example/f%C3%BCr"}},
		{name: "no address at all", page: "<p>closed", contentType: "text/plain"},
	} {
		t.Run(row.name, func(t *testing.T) {
			found, err := Listing([]byte(row.page), row.contentType, listingBase, row.links, row.next)
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, l := range found.Links {
				have = append(have, l.URL)
			}
			if diff := cmp.Diff(row.want, have); diff != "" {
				t.Error(diff)
			}
			if found.Next != row.wantNext || found.Skipped != row.skipped || found.Kind != htmlKind {
				t.Errorf("next %q, %d skipped, kind %s, want %q and %d; %q", found.Next, found.Skipped, found.Kind, row.wantNext,
					row.skipped, found.Problems)
			}
		})
	}
}

func TestE8RefusedListings(t *testing.T) {
	for _, row := range []struct{ name, page, contentType, base, links, next, says string }{
		{"another format", "%PDF", "application/pdf", listingBase, "", "", "not a web page"},
		{"a bad selector of links", "", "", listingBase, "a[", "", "not a CSS selector"},
		{"a bad selector of the next page", "", "", listingBase, "", "a:unknown", "not a CSS selector"},
		{"a bad base", "", "", "file:///etc/passwd", "", "", "neither http nor https"},
		{"too tangled", strings.Repeat("<p>", 500_000), "", listingBase, "", "", "tangled"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Listing([]byte(row.page), row.contentType, row.base, row.links, row.next)
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("error %v, want one that says %q", err, row.says)
			}
		})
	}
}

func TestE8ListingBounds(t *testing.T) {
	var b strings.Builder
	for i := range maxListed + 1 {
		b.WriteString("<a href=/" + padded(i, 1) + ">")
	}
	found, err := Listing([]byte(b.String()), "", listingBase, "", "")
	if err != nil || len(found.Links) != maxListed || found.Truncated != "more than 5000 addresses" {
		t.Errorf("%d links, %q, %v", len(found.Links), found.Truncated, err)
	}
}

// TestE16ManyLinks checks that a walk gets all links of a page with as many as the contents of a large manual, and that
// there is a limit (E16).
func TestE16ManyLinks(t *testing.T) {
	for n, want := range map[int]string{maxListed + 1_000: "", maxFollowed + 1: "more than 20000 addresses"} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<a href=/%d>", i)
		}
		page, err := ReadPage([]byte(b.String()), "", listingBase)
		if err != nil || len(page.Links) != min(n, maxFollowed) || page.Truncated != want {
			t.Errorf("%d of %d links, %q, %v", len(page.Links), n, page.Truncated, err)
		}
	}
}

// FuzzListing checks that any result is within bounds and well formed.
func FuzzListing(f *testing.F) {
	f.Add([]byte(listingPage), "text/html", "main a.title", "a[rel=next]")
	f.Add([]byte("<base href=x><a href=y>"), "text/html; charset=utf-16", "", "")
	f.Add([]byte("<b a><b c><p><p><a href=/>"), "", "p", "b")
	f.Fuzz(func(t *testing.T, page []byte, contentType, links, next string) {
		if len(links) > 50 || len(next) > 50 { // selectors are the operator's own
			return
		}
		found, err := Listing(page, contentType, listingBase, links, next)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("error %v", err)
			}
			return
		}
		checkFound(t, found, Bounds{MaxLinks: maxListed})
	})
}

// S1: the time of a selector must not be quadratic in a page from an unknown host.
func TestS1SelectorsAreLinear(t *testing.T) {
	for sel, ok := range map[string]bool{
		"h2 ~ a": false, "main a, p~a": false, "a[rel~=next]": true, `a[title="~"]`: true, "a[title='~]'] + a": true,
		"main > a": true,
	} {
		if err := CheckSelector(sel); (err == nil) != ok {
			t.Errorf("%s: %v", sel, err)
		}
	}
}
