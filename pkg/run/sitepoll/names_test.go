package sitepoll_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run/runtest"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
)

// names are real servers for http and https, reached by the names of hosts through a proxy.
type names struct {
	*httptest.Server // the proxy
	plain, secure    *httptest.Server
	mu               sync.Mutex
	pages            pages // by address: a body, a status, or "-> " and an address, whose * is the path
	asked            []string
}

func newNames(t *testing.T) *names {
	n := &names{}
	n.plain, n.secure = httptest.NewServer(n.of("http://")), httptest.NewTLSServer(n.of("https://"))
	n.Server = httptest.NewServer(http.HandlerFunc(n.connect))
	for _, one := range []*httptest.Server{n.plain, n.secure, n.Server} {
		t.Cleanup(one.Close)
	}
	return n
}

// connect answers CONNECT. A name that no page has cannot be reached.
func (n *names) connect(w http.ResponseWriter, r *http.Request) {
	name, port, _ := net.SplitHostPort(r.Host)
	scheme, to := "https://", n.secure
	if port == "80" {
		scheme, to = "http://", n.plain
	}
	if !n.has(scheme + name + "/") {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	there, err := net.Dial("tcp", to.Listener.Addr().String())
	if err != nil {
		panic(err)
	}
	here, sent, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
	go func() { _, _ = io.Copy(there, sent); _ = there.Close() }()
	go func() { _, _ = io.Copy(here, there); _ = here.Close() }()
}

func (n *names) has(prefix string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for address := range n.pages {
		if strings.HasPrefix(address, prefix) {
			return true
		}
	}
	return false
}

// of returns the handler for a scheme.
func (n *names) of(scheme string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.asked = append(n.asked, scheme+r.Host+r.URL.Path)
		text, found := n.pages[scheme+r.Host+r.URL.Path]
		if !found {
			text, found = n.pages[scheme+r.Host+"/*"]
		}
		var status int
		switch to, moved := strings.CutPrefix(text, "-> "); {
		case !found:
			w.WriteHeader(http.StatusNotFound)
		case moved:
			http.Redirect(w, r, strings.ReplaceAll(to, "*", r.URL.Path[1:]), http.StatusMovedPermanently)
		case len(text) == 3:
			_, _ = fmt.Sscan(text, &status)
			w.WriteHeader(status)
		default:
			_, _ = io.WriteString(w, text)
		}
	}
}

// hosts are asked as the app asks them, through the proxy.
func (n *names) hosts(t *testing.T, r *rig) *politeness.Hosts {
	roots := x509.NewCertPool() // the certificate is for example.com and *.example.com
	roots.AddCert(n.secure.Certificate())
	web, err := fetch.New(fetch.Config{UserAgent: "Tidemark/1", Now: r.Clock.Now, RootCAs: roots,
		Proxy: fetch.Proxy{URL: n.URL, Resolves: true}, Timeout: 20 * time.Second})
	r.Must(err)
	t.Cleanup(web.Close)
	return politeness.New(r.reg.Hosts, web, politeness.Options{
		Agent: "Tidemark", Strategy: source.ByHost, Clock: r.Clock.Now,
		Sleep: func(ctx context.Context, d time.Duration) error { r.Clock.Pass(d); return ctx.Err() },
	})
}

const (
	bare    = "https://example.com"
	www     = "https://www.example.com"
	plain   = "http://example.com"
	nothing = "User-agent: *\nDisallow:\n"
)

// pages are the answers of real servers, by address.
type pages map[string]string

// form is a form in which a site is at one of its names or at both.
type form struct {
	typed string
	pages pages
	new   int
	says  string // a part of what the poll says; "" if it says nothing
}

var atWWW, atBare = runtest.URLSet(www+"/1", www+"/2"), runtest.URLSet(bare+"/1", bare+"/2")

var moved = map[string]form{
	"all to www": {"example.com", pages{bare + "/*": "-> " + www + "/*", www + "/sitemap.xml": atWWW}, 2, ""},
	"all to the bare domain": {"www.example.com", pages{www + "/*": "-> " + bare + "/*",
		bare + "/robots.txt": nothing, bare + "/sitemap.xml": atBare}, 2, ""},
	"all to the home page of www": {"example.com", pages{bare + "/*": "-> " + www + "/", www + "/": "<html><p>Welcome",
		www + "/sitemap.xml": atWWW}, 2, "sitemap.xml the document is a web page"},
	"by http alone": {"example.com", pages{plain + "/*": "-> " + www + "/*", www + "/sitemap.xml": atWWW}, 2,
		"example.com: the host cannot be reached"},
	"http to https":        {plain, pages{plain + "/*": "-> " + bare + "/*", bare + "/sitemap.xml": atBare}, 2, ""},
	"http to www by https": {plain, pages{plain + "/*": "-> " + www + "/*", www + "/sitemap.xml": atWWW}, 2, ""},
	"in a loop": {"example.com", pages{bare + "/*": "-> " + www + "/*", www + "/*": "-> " + bare + "/*"}, 0,
		"loop"},
}

var parted = map[string]form{
	"http at www alone": {plain, pages{"http://www.example.com/sitemap.xml": atWWW}, 2,
		"example.com: the host cannot be reached"},
	"http, and a robots.txt that names the sitemap": {plain, pages{plain + "/robots.txt": "Sitemap: /all.xml\n",
		plain + "/all.xml": atBare}, 2, "sitemap.xml HTTP 404"},
	"robots.txt at one, the sitemap at the other": {"example.com", pages{
		bare + "/robots.txt": "Sitemap: " + www + "/all.xml\n", www + "/all.xml": atWWW}, 2, ""},
	"robots.txt at one, a guessed sitemap at the other": {"example.com", pages{
		bare + "/robots.txt": nothing, www + "/sitemap.xml": atWWW}, 2, "https://example.com/sitemap.xml HTTP 404"},
	"robots.txt names a sitemap that is not there": {"example.com", pages{bare + "/robots.txt": "Sitemap: /all.xml\n",
		www + "/robots.txt": "Sitemap: /all.xml\n", www + "/all.xml": atWWW}, 2, "https://example.com/all.xml HTTP 404"},
	"a sitemap without addresses": {"example.com", pages{
		bare + "/sitemap.xml": runtest.URLSet(), www + "/sitemap.xml": atWWW}, 2, ""},
	"a sitemap of www's addresses":             {"example.com", pages{bare + "/sitemap.xml": atWWW}, 2, ""},
	"a sitemap of the bare domain's addresses": {"www.example.com", pages{www + "/sitemap.xml": atBare}, 2, ""},
	"a sitemap of the bare domain, typed as it": {"example.com", pages{www + "/sitemap.xml": atBare,
		bare + "/": ""}, 2, "404"},
	"both alive": {"example.com", pages{bare + "/sitemap.xml": atBare, www + "/sitemap.xml": atWWW}, 2, ""},
}

var refused = map[string]form{
	"no address": {"example.com", pages{www + "/sitemap.xml": atWWW}, 2, "example.com: the host cannot be reached"},
	"no address of www": {"www.example.com", pages{bare + "/sitemap.xml": atBare}, 2,
		"www.example.com: the host cannot be reached"},
	"nothing, and no address of www": {"example.com", pages{bare + "/": "Hello"}, 0,
		"www.example.com: the host cannot be reached"},
	"robots.txt forbids all": {"example.com", pages{
		bare + "/robots.txt": "User-agent: *\nDisallow: /", www + "/sitemap.xml": atWWW}, 2, "robots.txt disallows it"},
	"403 for robots.txt": {"example.com", pages{bare + "/robots.txt": "403", bare + "/sitemap.xml": atBare}, 2,
		"HTTP 403"},
	"403 for all": {"example.com", pages{bare + "/*": "403", www + "/sitemap.xml": atWWW}, 2, "HTTP 403"},
	"500 for all": {"example.com", pages{bare + "/*": "500", www + "/sitemap.xml": atWWW}, 2, "status 500"},
	"503 for all": {"example.com", pages{bare + "/*": "503", www + "/sitemap.xml": atWWW}, 2, "status 503"},
	"500 for the sitemap": {"example.com", pages{bare + "/robots.txt": nothing, bare + "/sitemap.xml": "500",
		www + "/sitemap.xml": atWWW}, 2, "HTTP 500"},
	"nothing at both": {"example.com", pages{bare + "/": "Hello", www + "/": "Hello"}, 0, "HTTP 404"},
}

// TestX5Forms checks what polls of real servers find of a site that is at one of its names or at both, and what they
// say; and that the next poll, where nothing changed, ends as well (X5).
func TestX5Forms(t *testing.T) {
	for group, forms := range map[string]map[string]form{"moved": moved, "parted": parted, "refused": refused} {
		for name, tt := range forms {
			t.Run(group+"/"+name, func(t *testing.T) {
				n, r := newNames(t), inMemory(t)
				n.pages = tt.pages
				r.restart(func(o *sitepoll.Options) { o.Sites = site.List{} })
				r.Service = sitepoll.New(r.Store, r.reg, n.hosts(t, r), r.o)
				added, err := r.Add(t.Context(), tt.typed, api.SiteSettings{})
				r.Must(err)
				r.settle()
				poll := r.site(added.Slug).Last
				said := fmt.Sprint(poll.Note, poll.Problems, poll.Tried)
				if poll.New != tt.new || !strings.Contains(said, tt.says) || tt.says == "" && len(poll.Problems) > 0 {
					t.Errorf("%d pages are new, want %d; said is %s; asked was %s", poll.New, tt.new, said, n.asked)
				}
				if poll := r.day(added.Slug); poll.New != 0 || poll.Found != 0 {
					t.Errorf("the next day: %+v", poll)
				}
			})
		}
	}
}

// TestX5OneNameAlone checks that a poll of a site whose file gives one name only counts the pages at the other one by
// reason, with an example and what to do (X5).
func TestX5OneNameAlone(t *testing.T) {
	n, r := newNames(t), inMemory(t)
	n.pages = pages{bare + "/*": "-> " + www + "/*", www + "/sitemap.xml": runtest.URLSet(www+"/1", www+"/2", bare+"/3",
		"https://shop.example.com/4")}
	r.restart(func(o *sitepoll.Options) { o.Sites = site.List{{Slug: "s", Domain: "example.com"}} })
	r.Service = sitepoll.New(r.Store, r.reg, n.hosts(t, r), r.o)
	poll := r.tick("s")
	const todo = "other host: www.example.com; add it as a site, or set www: true, to have its pages"
	if poll.New != 1 || poll.Excluded != 3 || poll.Reasons[todo] != 2 || poll.Examples[todo] != www+"/1" {
		t.Errorf("%+v", poll)
	}
	if why := "other host: shop.example.com"; poll.Reasons[why] != 1 || poll.Examples[why] == "" {
		t.Errorf("%v, %v", poll.Reasons, poll.Examples)
	}
}
