package render

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
)

// oddPages are pages of which users of other programs report that text is lost, or that they hang.
var oddPages = map[string]string{
	// Text that comes when it is scrolled to, by the document with smooth scrolling, or by a part of it; when somebody
	// moves the mouse; where the window has the focus; when a question has been answered; and in an embedded document.
	"/asked": `<style>html { scroll-behavior: smooth } main { height: 400px; overflow: auto } .far { height: 3000px }</style>
<main><p class=far>Top.</p><p id=part></p></main><x-part></x-part><p id=mouse></p><p id=focused></p><p id=permit></p>
<p id=stream></p><embed src=/framed width=300 height=100><p class=far>Middle.</p><p id=far></p><script>
customElements.define("x-part", class extends HTMLElement { connectedCallback() {
 const root = this.attachShadow({mode: "open"});
 root.innerHTML = "<div style='height: 300px; overflow: auto'><p style='height: 2000px'>Inside.</p><p></p></div>";
 come(root.querySelector("p:last-child"), "The shadow was scrolled to.") } });
function come(e, text) { new IntersectionObserver(s => s.some(x => x.isIntersecting) && (e.textContent = text)).observe(e) }
come(part, "The part was scrolled to."); come(far, "The end was scrolled to.");
addEventListener("mousemove", () => mouse.textContent = "The mouse was moved.");
focused.textContent = document.hasFocus() ? "The window has the focus." : "";
Notification.requestPermission().then(answer => permit.textContent = "The answer is " + answer + ".");
new EventSource("/stream").onerror = e => { stream.textContent = "The stream is refused."; e.target.close() };</script>`,

	"/framed": `<p>The embedded harbour.</p>`,

	"/rows": `<style>main { position: relative; height: 20000px } p { position: absolute; margin: 0 }</style><main></main><script>
const main = document.querySelector("main");
const draw = () => { main.textContent = "";
 for (let i = Math.floor(scrollY / 100); i < Math.min(200, (scrollY + innerHeight) / 100); i++)
  main.insertAdjacentHTML("beforeend", "<p style='top: " + i * 100 + "px'>Row " + i + ".</p>") };
draw(); addEventListener("scroll", draw);</script>`,

	"/again":      `<p>The impatient harbour.</p><script>location.href = "/again?" + Math.random()</script>`,
	"/frameagain": `<p>The framed harbour.</p><iframe src=/again></iframe><iframe src=/pdf></iframe>`,
}

// newOddSite serves the odd pages.
func newOddSite(t *testing.T) (*httptest.Server, *render.Renderer) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/frameset":
			fmt.Fprint(w, "<html><title>A page</title><frameset cols='50%,50%'><frame src=/framed><frame src=/other></frameset>")
		case "/other":
			fmt.Fprint(w, "<p></p><script>document.querySelector('p').textContent = 'The other harbour.'</script>")
		case "/pdf":
			w.Header().Set("Content-Type", "application/pdf")
			fmt.Fprint(w, "%PDF-1.4")
		default:
			fmt.Fprint(w, "<!doctype html><html lang=en><title>A page</title>"+oddPages[r.URL.Path])
		}
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	web, err := fetch.New(fetch.Config{AllowHosts: []string{s.Listener.Addr().String()}, Timeout: 10 * time.Second})
	must(t, err)
	return s, newRenderer(t, render.Options{Web: web, AtOnce: 2})
}

// TestR5Odd checks that text which comes late is found, that a page which goes on loading itself is read, and that what
// cannot be read is said (R4, R5).
func TestR5Odd(t *testing.T) {
	s, r := newOddSite(t)
	for _, tc := range []struct {
		path    string
		has     []string
		met     render.Bound
		refused render.Reason
		partly  bool
	}{
		{path: "/asked", has: []string{">The part was scrolled to.<", ">The shadow was scrolled to.<", // not in the script
			">The end was scrolled to.<", ">The mouse was moved.<", ">The window has the focus.<", ">The answer is denied.<",
			">The stream is refused.<", ">The embedded harbour.<"}, refused: render.RefusedStream},
		{path: "/rows", has: []string{"Row 0.", "Row 9."}, partly: true},
		{path: "/frameset", has: []string{"<div data-frameset", "The embedded harbour.", "The other harbour."}},
		{path: "/again", has: []string{"The impatient harbour."}, met: render.BoundNavigations},
		{path: "/frameagain", has: []string{"The framed harbour.", "The impatient harbour."},
			met: render.BoundNavigations, refused: render.RefusedPDF},
	} {
		t.Run(tc.path[1:], func(t *testing.T) {
			t.Parallel()
			out, err := r.Render(t.Context(), render.Page{URL: s.URL + tc.path})
			must(t, err)
			for _, want := range tc.has {
				if !strings.Contains(string(out.HTML), want) {
					t.Errorf("%q is not found: %s", want, out.HTML)
				}
			}
			if tc.met == "" && len(out.Met) > 0 || tc.met != "" && (len(out.Met) != 1 || !out.MetBound(tc.met)) {
				t.Errorf("met %v, want %q", out.Met, tc.met)
			}
			if tc.refused == "" && len(out.Refused) > 0 || tc.refused != "" && out.RefusedBy(tc.refused) != 1 ||
				out.Partly != tc.partly {
				t.Errorf("refused %v, want %q; partly: %v", out.Refused, tc.refused, out.Partly)
			}
			t.Log(out.Elapsed, out.Requests)
		})
	}
}
