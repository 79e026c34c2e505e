package render

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/fetchtest"
	"github.com/tidemark/tidemark/pkg/fetch/render"
)

// private is a machine that no page may reach. It counts what arrives, by TCP and UDP.
type private struct {
	address string // 127.0.0.1:port, of both
	tcp     atomic.Int64
	udp     atomic.Int64
	mu      sync.Mutex
	first   []string // the beginnings of what arrived
}

func newPrivate(t *testing.T) *private {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	u, err := net.ListenPacket("udp", l.Addr().String())
	must(t, err)
	p := &private{address: l.Addr().String()}
	t.Cleanup(func() { l.Close(); u.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.tcp.Add(1)
			go p.note(conn)
		}
	}()
	go func() {
		buf := make([]byte, 1500)
		for {
			if _, _, err := u.ReadFrom(buf); err != nil {
				return
			}
			p.udp.Add(1)
		}
	}()
	return p
}

func (p *private) note(conn net.Conn) {
	defer conn.Close()
	buf := make([]byte, 200)
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	n, _ := conn.Read(buf)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.first = append(p.first, string(buf[:n]))
}

// unreached fails the test if anything has arrived.
func (p *private) unreached(t *testing.T) {
	t.Helper()
	time.Sleep(300 * time.Millisecond) // what is still on its way
	p.mu.Lock()
	defer p.mu.Unlock()
	if tcp, udp := p.tcp.Load(), p.udp.Load(); tcp+udp > 0 {
		t.Errorf("%d connections and %d packets arrived: %q", tcp, udp, p.first)
	}
}

// reach is a page that tries to reach PRIVATE and 169.254.169.254 by every means that a page has.
const reach = `<!doctype html><html lang=en><head><title>Reach</title><link rel=stylesheet href="http://PRIVATE/a.css">
<link rel=preconnect href="http://PRIVATE"><link rel=dns-prefetch href="http://PRIVATE"><link rel=prefetch href="http://PRIVATE/b">
<link rel=preload as=script href="http://PRIVATE/c.js"><link rel=modulepreload href="http://PRIVATE/d.js">
<link rel=manifest href="http://PRIVATE/e.json"><link rel=icon href="http://PRIVATE/f.ico"><link rel=prerender href="http://PRIVATE/g">
<style>@import "http://PRIVATE/h.css"; @font-face { font-family: f; src: url(http://PRIVATE/i.woff2) }
 body { font-family: f; background: url(http://PRIVATE/j.png) }</style>
<script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://PRIVATE/k"],"eagerness":"immediate"}],
 "prerender":[{"source":"list","urls":["http://PRIVATE/l","/innocent"],"eagerness":"immediate"}]}</script></head><body>
<p>The reaching harbour.</p><img src="http://PRIVATE/m.png" srcset="http://PRIVATE/n.png 2x"><iframe src="http://PRIVATE/o"></iframe>
<object data="http://PRIVATE/p"></object><embed src="http://PRIVATE/q"><video src="http://PRIVATE/r.mp4" poster="http://PRIVATE/s.png" autoplay muted></video>
<audio src="http://PRIVATE/t.mp3" autoplay muted></audio><script src="http://PRIVATE/u.js"></script><input type=image src="http://PRIVATE/v.png">
<svg width=10 height=10><image href="http://PRIVATE/w.png"/><use href="http://PRIVATE/x.svg#a"/></svg>
<iframe srcdoc="<meta http-equiv=refresh content='0;url=http://PRIVATE/y'>"></iframe>
<iframe src="data:text/html,<script>fetch('http://PRIVATE/z',{mode:'no-cors'}).catch(e=>0)</scr` + `ipt>"></iframe>
<form id=get action="http://PRIVATE/form" target=f1></form><form id=post method=post action="http://PRIVATE/form" target=f2><input name=a value=b></form>
<iframe name=f1></iframe><iframe name=f2></iframe><a id=ping href="#x" ping="http://PRIVATE/ping">x</a>
<script>
const go = f => { try { const p = f(); p?.catch?.(() => 0) } catch {} };
const P = "http://PRIVATE", W = "ws://PRIVATE";
for (const u of [P + "/1", "http://169.254.169.254/latest/meta-data/", "http://localhost:PORT/2", "http://[::1]:PORT/3",
 "http://2130706433:PORT/4", "http://0x7f.1:PORT/5", "https://PRIVATE/6", "/redirect-private"])
 go(() => fetch(u, {mode: "no-cors"}));
go(() => fetch(P + "/7", {mode: "no-cors", keepalive: true, method: "POST", body: "x"}));
go(() => fetch("http://169.254.169.254/7", {mode: "no-cors", method: "POST", body: "x"}));
go(() => fetch(P + "/8", {method: "PUT", headers: {"x-a": "b"}}));
go(() => { const x = new XMLHttpRequest(); x.open("GET", P + "/9"); x.send() });
go(() => { const x = new XMLHttpRequest(); x.open("GET", P + "/10", false); x.send() });
go(() => new EventSource(P + "/11")); go(() => new WebSocket(W + "/12")); go(() => new WebSocket("wss://PRIVATE/13"));
go(() => new WebSocketStream(W + "/14")); go(() => new WebTransport("https://PRIVATE/15"));
go(() => navigator.sendBeacon(P + "/16", "x")); go(() => fetchLater(P + "/17", {activateAfter: 0}));
go(() => import(P + "/18.js")); go(() => get.submit()); go(() => post.submit()); go(() => ping.click());
go(() => window.open(P + "/19")); go(() => window.open("/innocent").fetch(P + "/20", {mode: "no-cors"}));
go(() => document.querySelector("iframe[name=f1]").contentWindow.fetch(P + "/21", {mode: "no-cors"}));
const work = "const P='" + P + "',W='" + W + "';const go=f=>{try{f()?.catch?.(()=>0)}catch{}};go(()=>importScripts(P+'/w1'));" +
 "go(()=>fetch(P+'/w2',{mode:'no-cors'}));go(()=>new WebSocket(W+'/w3'));go(()=>new EventSource(P+'/w4'));" +
 "go(()=>new WebTransport('https://PRIVATE/w5'));go(()=>{const x=new XMLHttpRequest();x.open('GET',P+'/w6',false);x.send()});" +
 "go(()=>new Worker(URL.createObjectURL(new Blob(['fetch(\"'+P+'/w7\",{mode:\"no-cors\"})']))));";
const blob = URL.createObjectURL(new Blob([work], {type: "text/javascript"}));
go(() => new Worker(blob)); go(() => new SharedWorker(blob)); go(() => new Worker(P + "/22.js"));
go(() => new SharedWorker("/work.js")); go(() => navigator.serviceWorker.register("/work.js"));
go(() => { const f = document.createElement("iframe"); f.sandbox = "allow-scripts"; f.srcdoc = "<script>" + work + "</scr" + "ipt>"; document.body.append(f) });
for (const ice of ["stun:PRIVATE", "turn:PRIVATE?transport=tcp", "turn:PRIVATE?transport=udp"]) for (const from of
 [window, document.querySelector("iframe[name=f1]").contentWindow]) go(() => {
 const c = new from.RTCPeerConnection({iceServers: [{urls: ice, username: "a", credential: "b"}]});
 c.createDataChannel("x"); return c.createOffer().then(o => c.setLocalDescription(o)) });
go(() => { const s = document.createElement("script"); s.type = "speculationrules";
 s.textContent = JSON.stringify({prefetch: [{source: "list", urls: [P + "/23"], eagerness: "immediate"}]}); document.head.append(s) });
go(() => { const l = document.createElement("link"); l.rel = "preconnect"; l.href = P; document.head.append(l) });
go(() => document.execCommand("insertImage", false, P + "/24.png"));
go(() => navigator.credentials.get({identity: {providers: [{configURL: P + "/25.json", clientId: "a"}]}}));
go(() => new PaymentRequest([{supportedMethods: "https://PRIVATE/pay"}], {total: {label: "a", amount: {currency: "EUR", value: "1"}}}).canMakePayment());
go(() => navigator.registerProtocolHandler("web+a", P + "/%s")); go(() => CSS.paintWorklet?.addModule(P + "/26.js"));
go(() => new AudioContext().audioWorklet.addModule(P + "/27.js"));
go(() => document.write("<img src='" + P + "/28.png'>")); 
addEventListener("pagehide", () => { go(() => navigator.sendBeacon(P + "/bye", "x")); go(() => fetch(P + "/bye2", {keepalive: true, mode: "no-cors"})) });
addEventListener("unload", () => { go(() => new WebSocket(W + "/bye3")); const i = new Image; i.src = P + "/bye4" });
</script></body></html>`

// attacker serves a page of its own and what that page needs.
func attacker(t *testing.T, p *private, body string) *httptest.Server {
	_, port, _ := net.SplitHostPort(p.address)
	body = strings.NewReplacer("PRIVATE", p.address, "PORT", port).Replace(body)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect-private":
			http.Redirect(w, r, "http://"+p.address+"/redirected", http.StatusFound)
		case "/work.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprintf(w, "for (const u of ['http://%[1]s/s1', '/redirect-private']) "+
				"fetch(u, {mode: 'no-cors'}).catch(() => 0); try { new WebSocket('ws://%[1]s/s2') } catch {}", p.address)
		default:
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Link", "<http://"+p.address+">; rel=preconnect")
			w.Header().Set("Content-Security-Policy-Report-Only", "img-src 'none'; report-uri http://"+p.address+"/csp")
			w.Header().Set("Reporting-Endpoints", `main="https://`+p.address+`/reports"`)
			fmt.Fprint(w, body)
		}
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// walled returns a renderer to which one address of this machine is open, and no other.
func walled(t *testing.T, s *httptest.Server, o render.Options) *render.Renderer {
	web, err := fetch.New(fetch.Config{AllowHosts: []string{s.Listener.Addr().String()}, Timeout: time.Minute})
	must(t, err)
	o.Web = web
	return newRenderer(t, o)
}

// TestR2Attack checks that a page reaches nothing private by any means, and that the next page is rendered (R2).
func TestR2Attack(t *testing.T) {
	for name, endpoint := range map[string]string{"started here": "", "elsewhere": elsewhere(t)} {
		t.Run(name, func(t *testing.T) {
			reachNothing(t, render.Options{Endpoint: endpoint, Timeout: 20 * time.Second})
		})
	}
}

func reachNothing(t *testing.T, o render.Options) {
	p := newPrivate(t)
	s := attacker(t, p, reach)
	r := walled(t, s, o)
	out, err := r.Render(t.Context(), render.Page{URL: s.URL + "/"})
	must(t, err)
	p.unreached(t)
	if !strings.Contains(string(out.HTML), "The reaching harbour.") {
		t.Errorf("the page is not read: %.500s", out.HTML)
	}
	if out.RefusedBy(render.RefusedAddress) < 30 || out.RefusedBy(render.RefusedSocket) < 3 ||
		out.RefusedBy(render.RefusedPost) == 0 ||
		out.RefusedBy(render.RefusedBeacon) == 0 || out.RefusedBy(render.RefusedStream) == 0 {
		t.Errorf("refused are %v", out.Refused)
	}
	t.Log(out.Refused, out.Stopped, out.Met, out.Requests, out.ByHost, out.Elapsed)
}

// TestR2Vectors checks that a page is refused each address that no stranger may lead to, in every spelling, whether it
// fetches it, shows it as an image or goes there in a frame (R2, S13).
func TestR2Vectors(t *testing.T) {
	dns := fetchtest.NewNames(map[string][]string{"inside.example": {"127.0.0.1"}, "metadata.example": {"169.254.169.254"},
		"mixed.example": {"10.0.0.1 127.0.0.1"}, "localhost": {"127.0.0.1"}})
	web, err := fetch.New(fetch.Config{Resolver: dns.Resolver(), AllowHosts: []string{"127.0.0.1", "10.0.0.0/8"}})
	must(t, err)
	r := newRenderer(t, render.Options{Web: web})
	pages := fetchtest.RefusedPages()
	var list strings.Builder
	for _, page := range append(pages, "http://168.63.129.16/", "http://[::1]/", "http://app.LOCALHOST./",
		"http://localhost:8099/", "http://port.example:8100/", "ftp://example.com/", "file:///etc/passwd",
		"chrome://version", "view-source:http://127.0.0.1/") {
		fmt.Fprintf(&list, "%q,", page)
	}
	body := `<p>The harbour of addresses.</p><iframe></iframe><script>(async () => { for (const u of [` + list.String() + `]) {
 try { fetch(u, {mode: "no-cors"}).catch(() => 0) } catch {}
 new Image().src = u;
 const f = document.querySelector("iframe");
 await new Promise(done => { f.onload = done; f.src = u; setTimeout(done, 20) });
} document.title = "done" })()</script>`
	out, err := r.Render(t.Context(), render.Page{URL: "http://site.example/", Plain: page("http://site.example/", body)})
	must(t, err)
	// Names of which there is no address are looked up in vain.
	unknown := out.ByHost["app.localhost."] + out.ByHost["xn--127001-5tabb0201fcac50qdad"]
	if n := out.RefusedBy(render.RefusedAddress); out.Requests != unknown || out.Failed != unknown || n < 2*len(pages) {
		t.Errorf("%d requests were sent, %d failed, of %d addresses %d were refused: %v", out.Requests, out.Failed,
			len(pages), n, out.Refused)
	}
	t.Log(out.ByHost, out.Refused, out.Met, len(pages), out.Elapsed)
}

// page is the plain answer of a page.
func page(address, body string) *fetch.Response {
	return &fetch.Response{Status: http.StatusOK, FinalURL: address, Header: http.Header{"Content-Type": {"text/html"}},
		Body: []byte(body)}
}

// excesses are pages that want too much of something, by the bound that they meet.
var excesses = map[render.Bound]string{
	render.BoundSockets: `for (let i = 0; i < 1000; i++) new WebSocket("ws://PRIVATE/" + i)`,
	render.BoundMemory:  `const all = []; setInterval(() => all.push(new Uint8Array(8 << 20).fill(7)), 5)`,
	render.BoundDownloads: `setInterval(() => { const a = document.createElement("a"); a.download = "x.bin"; document.body.append(a);
 a.href = URL.createObjectURL(new Blob(["x".repeat(1000)])); a.click() }, 20)`,
	render.BoundDialogs:  `for (let i = 0; i < 1000; i++) { alert(i); confirm(i); prompt(i) }`,
	render.BoundWorkers:  `const fork = URL.createObjectURL(new Blob(["setInterval(() => 0, 1)"])); setInterval(() => new Worker(fork), 5)`,
	render.BoundRequests: `setInterval(() => { for (let i = 0; i < 50; i++) fetch("/innocent?" + Math.random()).catch(() => 0) }, 20)`,
	render.BoundBytes:    `setInterval(() => fetch("/innocent?" + Math.random()).catch(() => 0), 20)`,
}

// TestR2Excesses checks that each thing that a page wants too much of is stopped by its bound, that the page says so,
// and that the next page is rendered (R2).
func TestR2Excesses(t *testing.T) {
	p := newPrivate(t)
	for bound, script := range excesses {
		t.Run(string(bound), func(t *testing.T) {
			t.Parallel()
			s := attacker(t, p, "<p>The greedy harbour.</p><script>"+script+"</script>")
			o := render.Options{Timeout: 15 * time.Second, MaxRequests: 50, MaxMemory: 300 << 20}
			if bound == render.BoundBytes {
				o.MaxRequests, o.MaxBytes = 1000, 10<<10
			}
			r := walled(t, s, o)
			out, err := r.Render(t.Context(), render.Page{URL: s.URL + "/"})
			var failed *render.PageError
			if met := out.MetBound(bound); err != nil && !(errors.As(err, &failed) && failed.Bound == bound) || !met {
				t.Errorf("met %v, refused %v: %v", out.Met, out.Refused, err)
			} else if err == nil && !strings.Contains(string(out.HTML), "The greedy harbour.") {
				t.Errorf("the page is not read: %.300s", out.HTML)
			}
			t.Log(out.Met, out.Refused, out.Requests, out.Elapsed, err)
			good := newSite(t)
			next, err := r.Render(t.Context(), render.Page{URL: good.URL + "/who", Plain: page(good.URL+"/who",
				"<p>The next harbour.")})
			if err != nil || !strings.Contains(string(next.HTML), "The next harbour.") || len(next.Met) > 0 {
				t.Errorf("the next page: %v, met %v, %s", err, next.Met, next.HTML)
			}
		})
	}
	p.unreached(t)
}
