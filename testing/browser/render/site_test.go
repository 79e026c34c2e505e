package render

import (
	"embed"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

//go:embed testdata/*.js
var libraries embed.FS

// site is a local site of pages that have their content by scripts. Its texts name its version.
type site struct {
	*httptest.Server
	version atomic.Int64
	mu      sync.Mutex
	asked   map[string]int // requests, by method and path
	sent    http.Header    // of the last request for /who
}

// other is the same site as seen from another one: localhost and 127.0.0.1 are not of one site.
func (s *site) other() string { return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }

func newSite(t testing.TB) *site {
	s := &site{asked: map[string]int{}}
	s.version.Store(1)
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// count returns how many requests there were for a method and a path.
func (s *site) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[what]
}

// text is what a page says in the present version.
func (s *site) text(kind string) string {
	return fmt.Sprintf("The %s harbour has %d berths.", kind, s.version.Load())
}

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked[r.Method+" "+r.URL.Path]++
	if r.URL.Path == "/who" {
		s.sent = r.Header.Clone()
	}
	s.mu.Unlock()
	if body, ok := pages[r.URL.Path]; ok {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body = strings.ReplaceAll(body, "OTHER", s.other())
		io.WriteString(w, "<!doctype html><html lang=en><title>A page</title>"+body)
		return
	}
	s.data(w, r)
}

// data answers what pages ask for.
func (s *site) data(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if script, err := libraries.ReadFile("testdata/" + name); err == nil {
		w.Header().Set("Content-Type", "text/javascript")
		w.Header().Set("Cache-Control", "public, max-age=600")
		w.Write(script)
		return
	}
	kind := r.URL.Query().Get("of")
	switch name {
	case "text":
		w.Header().Set("Access-Control-Allow-Origin", "*")
		io.WriteString(w, s.text(kind))
	case "items":
		var n int
		fmt.Sscan(r.URL.Query().Get("page"), &n)
		if n < 4 {
			fmt.Fprintf(w, "Batch %d. %s", n, s.text("scrolled"))
		}
	case "moved":
		http.Redirect(w, r, "/text?of=moved", http.StatusFound)
	case "query":
		body, _ := io.ReadAll(r.Body)
		if r.Method == http.MethodPost && string(body) == `{"q":"berths"}` {
			io.WriteString(w, s.text("posted"))
		}
	case "sw.js":
		w.Header().Set("Content-Type", "text/javascript")
		io.WriteString(w, `addEventListener("install", e => skipWaiting());
addEventListener("activate", e => e.waitUntil(clients.claim()));
addEventListener("fetch", e => { if (e.request.url.endsWith("/by-worker")) e.respondWith(fetch("/text?of=serviced")); });`)
	case "image.svg":
		w.Header().Set("Content-Type", "image/svg+xml")
		io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"></svg>`)
	case "never":
		w.Header().Set("Content-Type", "text/css")
		w.(http.Flusher).Flush()
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	default:
		http.NotFound(w, r)
	}
}

// pages are the pages of the site, each of a kind.
var pages = map[string]string{
	"/react": `<div id=root></div><script src=react.production.min.js></script>
<script src=react-dom.production.min.js></script><script>
const App = () => { const [text, set] = React.useState("");
 React.useEffect(() => { fetch("/text?of=react").then(r => r.text()).then(set) }, []);
 return React.createElement("main", null, React.createElement("p", null, text)) };
ReactDOM.createRoot(document.getElementById("root")).render(React.createElement(App));</script>`,

	"/vue": `<div id=app></div><script src=vue.global.prod.js></script><script>
Vue.createApp({data: () => ({text: ""}), template: "<main><p>{{ text }}</p></main>",
 async mounted() { this.text = await (await fetch("/text?of=vue")).text() }}).mount("#app");</script>`,

	"/scroll": `<main></main><div id=end style="height:10px"></div><script>
let page = 0, busy = false;
new IntersectionObserver(async seen => {
 if (!seen.some(e => e.isIntersecting) || busy) return;
 busy = true;
 const text = await (await fetch("/items?page=" + page++)).text();
 if (text) document.querySelector("main").insertAdjacentHTML("beforeend", "<p style='height:1500px'>" + text + "</p>");
 busy = false;
}).observe(end);</script>`,

	"/open": `<x-open>slotted words</x-open><script>
customElements.define("x-open", class extends HTMLElement { async connectedCallback() {
 const root = this.attachShadow({mode: "open"});
 root.innerHTML = "<main><p>" + await (await fetch("/text?of=open")).text() + "</p><slot></slot></main>"; } });
</script>`,

	"/closed": `<x-closed><b slot=name>named words</b></x-closed><script>
customElements.define("x-closed", class extends HTMLElement { async connectedCallback() {
 const root = this.attachShadow({mode: "closed"});
 root.innerHTML = "<p>" + await (await fetch("/text?of=closed")).text() + "</p><slot name=name></slot>"; } });
</script>`,

	"/frames": `<iframe src="/frame?of=near" width=400></iframe><iframe src="OTHER/frame?of=far" width=400></iframe>`,
	"/frame": `<base href="/deep/"><p></p><a href="page">on</a><script>
fetch("/text" + location.search).then(r => r.text()).then(t => document.querySelector("p").textContent = t);</script>`,

	"/worker": `<main></main><script>
(async () => { await navigator.serviceWorker.register("/sw.js"); await navigator.serviceWorker.ready;
 if (!navigator.serviceWorker.controller)
  await new Promise(done => navigator.serviceWorker.addEventListener("controllerchange", done));
 document.querySelector("main").textContent = await (await fetch("/by-worker")).text(); })();</script>`,

	"/lazy": `<main><p style="height:3000px">Top.</p><img data-src="/image.svg?far" alt="" width=300 height=200>
<p style="height:3000px">Middle.</p><img src="/image.svg?lazy" loading=lazy alt="" width=300 height=200><p id=p></p></main><script>
const image = document.querySelector("[data-src]");
new IntersectionObserver((seen, o) => seen.some(e => e.isIntersecting) && (image.src = image.dataset.src, o.disconnect()))
 .observe(image);
image.onload = async () => p.textContent = await (await fetch("/text?of=lazy")).text();</script>`,

	"/redirect": `<p>One moment.</p><script>setTimeout(() => location.replace("/target"), 200)</script>`,
	"/target":   `<p></p><script>fetch("/text?of=target").then(r => r.text()).then(t => document.querySelector("p").textContent = t)</script>`,

	"/consent": `<style>.layer { position: fixed; inset: 0; background: #fff } body { overflow: hidden }</style>
<main><p></p></main><div class=layer role=dialog><p>We value your privacy.</p><button>Accept</button></div><script>
fetch("/text?of=consent").then(r => r.text()).then(t => document.querySelector("main p").textContent = t);</script>`,

	"/post": `<main></main><script>
fetch("/query", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({q: "berths"})})
 .then(r => r.text()).then(t => document.querySelector("main").textContent = t);</script>`,

	"/canvas": `<canvas width=800 height=600></canvas><script>
const c = document.querySelector("canvas").getContext("2d");
fetch("/text?of=canvas").then(r => r.text()).then(t => { c.font = "40px sans-serif"; c.fillText(t, 20, 80) });</script>`,

	"/endless": `<p></p><script>
fetch("/text?of=endless").then(r => r.text()).then(t => document.querySelector("p").textContent = t);
setInterval(() => fetch("/text?of=again"), 100);</script><link rel=stylesheet href="/never">`,

	"/loop": `<p>The looping harbour has 1 berth.</p><script>addEventListener("load", () => setTimeout(() => { for (;;); }))</script>`,

	"/who": `<p>The harbour that asks who you are.</p><script>
document.body.append(" ", navigator.language, " ", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
 " ", innerWidth);</script>`,
}
