package crawl

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// exact is a web server that tells apart all forms of an address. A value is a page, a status, or where to go.
type exact struct {
	*httptest.Server
	mu     sync.Mutex
	pages  map[string]string
	status map[string]int // 404 for a form that is in no map
	to     map[string]string
	asked  []string
	robots string
	now    func() time.Time
	at     []time.Time // when each form was requested
}

func newExact(t *testing.T) *exact {
	e := &exact{pages: map[string]string{}, status: map[string]int{}, to: map[string]string{}, now: time.Now}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

func (e *exact) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	form := r.RequestURI
	if form == "/robots.txt" {
		_, _ = w.Write([]byte(e.robots))
		return
	}
	e.asked, e.at = append(e.asked, form), append(e.at, e.now())
	body, found := e.pages[form]
	switch {
	case e.to[form] != "":
		w.Header().Set("Location", e.to[form])
		w.WriteHeader(http.StatusMovedPermanently)
	case found && r.Header.Get("If-None-Match") == `"1"`:
		w.WriteHeader(http.StatusNotModified)
	case found:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("ETag", `"1"`)
		_, _ = w.Write([]byte(body))
	case e.status[form] == http.StatusForbidden:
		w.Header().Set("Retry-After", "60")
		w.WriteHeader(http.StatusForbidden)
	case e.status[form] != 0:
		w.WriteHeader(e.status[form])
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// requests returns the forms that were requested since the last call.
func (e *exact) requests() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := strings.Join(e.asked, " ")
	e.asked = nil
	return out
}

// given registers a page in a form, and checks it.
func (r *rig) given(e *exact, form string) registry.Item {
	r.t.Helper()
	r.registerForm(e.URL + form)
	r.mustWork()
	return r.item(e.URL + form)
}

// registerForm registers a page in a form.
func (r *rig) registerForm(form string) {
	r.t.Helper()
	src := r.source(form)
	if strings.HasPrefix(form, "/") {
		form = r.site.URL + form
	}
	o := registry.RegisterOptions{Forms: source.Forms{}}
	o.Forms.Note(src, form, source.DefaultRules())
	must(r.t, r.reg.Items.Register(r.t.Context(), []source.Source{src}, o)[0].Err)
}

// TestX4RequestedForm checks that a page is requested in the form in which it was given, that the identity is tried
// once where that form fails, and that an unchanged check costs one request in whatever form (X4).
func TestX4RequestedForm(t *testing.T) {
	for _, tt := range []struct {
		name, given string
		pages       []string // the forms that have the page
		first, next string   // what the first check requests, and what each unchanged one does
		stored      string   // FetchSource
	}{
		{"slash", "/dir/", []string{"/dir/"}, "/dir/", "/dir/", "/dir/"},
		{"no slash", "/dir", []string{"/dir"}, "/dir", "/dir", ""},
		{"the root", "/", []string{"/"}, "/", "/", ""},
		{"order of the query", "/q?z=1&a=2", []string{"/q?z=1&a=2"}, "/q?z=1&a=2", "/q?z=1&a=2", "/q?z=1&a=2"},
		{"brackets", "/s?f[0]=x", []string{"/s?f[0]=x"}, "/s?f[0]=x", "/s?f[0]=x", "/s?f[0]=x"},
		{"a tilde", "/%7Eme/", []string{"/%7Eme/"}, "/%7Eme/", "/%7Eme/", "/%7Eme/"},
		{"case of hex", "/caf%c3%a9", []string{"/caf%c3%a9"}, "/caf%c3%a9", "/caf%c3%a9", "/caf%c3%a9"},
		{"an empty piece", "/q?a=1&&b=2", []string{"/q?a=1&&b=2"}, "/q?a=1&&b=2", "/q?a=1&&b=2", "/q?a=1&&b=2"},
		{"both slashes", "/dir//", []string{"/dir//"}, "/dir//", "/dir//", "/dir//"},
		{"a fragment", "/dir#top", []string{"/dir"}, "/dir", "/dir", ""},

		{"only the identity", "/dir/", []string{"/dir"}, "/dir/ /dir", "/dir", ""},
		{"only the sorted query", "/q?z=1&a=2", []string{"/q?a=2&z=1"}, "/q?z=1&a=2 /q?a=2&z=1", "/q?a=2&z=1", ""},

		{"a tracker", "/n?utm_source=x", []string{"/n", "/n?utm_source=x"}, "/n", "/n", ""},
		{"a tracker and a slash", "/n/?utm_source=x&b=2&a=1", []string{"/n/?b=2&a=1"}, "/n/?b=2&a=1", "/n/?b=2&a=1",
			"/n/?b=2&a=1"},
		{"a tracker that is needed", "/n?utm_source=x", []string{"/n?utm_source=x"}, "/n /n?utm_source=x",
			"/n?utm_source=x", "/n?utm_source=x"},
		{"a tracker that helps nothing", "/n/?utm_source=x", []string{"/n"}, "/n/ /n/?utm_source=x /n", "/n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, e := newRig(t), newExact(t)
			for _, form := range tt.pages {
				e.pages[form] = text("page").body
			}
			it := r.given(e, tt.given)
			if it.Status != indexed || strings.TrimPrefix(it.FetchSource, e.URL) != tt.stored {
				t.Errorf("%s (%s), requested as %q", it.Status, it.ErrorMessage, it.FetchSource)
			}
			if have := e.requests(); have != tt.first {
				t.Errorf("the first check requests %s, want %s", have, tt.first)
			}
			for range 2 {
				r.next(e.URL + tt.given)
				if have := e.requests(); have != tt.next {
					t.Errorf("an unchanged check requests %s, want %s", have, tt.next)
				}
			}
		})
	}
}

// TestX4FormThatFails checks which answers have another form tried, that robots.txt is asked about each form, and that
// the form stays while none has the page (X4).
func TestX4FormThatFails(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		robots string
		want   string
		final  registry.Status
	}{
		{"400", 400, "", "/d/ /d", indexed},
		{"404", 404, "", "/d/ /d", indexed},
		{"405", 405, "", "/d/ /d", indexed},
		{"410", 410, "", "/d/ /d", indexed},
		{"403 with Retry-After", 403, "", "/d/", registry.Error},
		{"500", 500, "", "/d/", registry.Error},
		{"429", 429, "", "/d/", registry.Pending},
		{"the identity is disallowed", 404, "User-agent: *\nDisallow: /d$", "/d/", registry.Error},
		{"the form is disallowed", 404, "User-agent: *\nDisallow: /d/", "", registry.OutOfScope},
	} {
		r, e := newRig(t), newExact(t)
		e.pages["/d"], e.status["/d/"], e.robots = text("page").body, tt.status, tt.robots
		it := r.given(e, "/d/")
		if have := e.requests(); have != tt.want || it.Status != tt.final {
			t.Errorf("%s: requests %q, want %q; %s %s", tt.name, have, tt.want, it.Status, it.ErrorMessage)
		}
	}
	r, e := newRig(t), newExact(t)
	e.status["/d"] = 410
	if it := r.given(e, "/d/"); it.HTTPStatusCode != 404 || e.requests() != "/d/ /d" {
		t.Errorf("the answer of the form that is tried last counts: %d", it.HTTPStatusCode)
	}
	e.pages["/d/"] = text("page").body
	if it := r.next(e.URL + "/d/"); it.Status != indexed || e.requests() != "/d/" {
		t.Errorf("a page that comes later: %s, %s", it.Status, it.FetchSource)
	}
}

// TestX4FormsKeepThePace checks that the pause of a host is kept between the requests for two forms (X4).
func TestX4FormsKeepThePace(t *testing.T) {
	const pause = 5 * time.Second
	r, e := newRig(t, func(k *knobs) { k.polite.MinDelay = pause }), newExact(t)
	e.now, e.pages["/d"] = r.clock.now, text("page").body
	r.given(e, "/d/")
	if len(e.at) != 2 || e.at[1].Sub(e.at[0]) < pause {
		t.Errorf("requests at %v", e.at)
	}
}

// TestX4Redirects checks that the form to which a redirect leads is requested from then on, and that the target of a
// permanent redirect is registered in the form that the site gives (X4).
func TestX4Redirects(t *testing.T) {
	r, e := newRig(t), newExact(t)
	e.to["/a"], e.pages["/a/"] = "/a/", text("a").body
	r.given(e, "/a")
	r.next(e.URL + "/a")
	if have := e.requests(); have != "/a /a/ /a/" {
		t.Errorf("a form: %s", have)
	}
	e.to["/old"], e.pages["/new/"] = "/new/", text("new").body
	r.given(e, "/old")
	r.clock.pass(1)
	r.mustWork()
	if it := r.item(e.URL + "/new/"); it.FetchSource != e.URL+"/new/" {
		t.Errorf("a target is requested as %q", it.FetchSource)
	}
	if it := r.item(e.URL + "/old"); it.FetchSource != "" {
		t.Errorf("a page that moved is requested as %q", it.FetchSource)
	}
	e.to["/gone"], e.pages["/there"] = "/there", text("there").body
	if it := r.given(e, "/gone/"); it.FetchSource != "" || len(it.HTTPRedirectChain) != 1 {
		t.Errorf("a page whose identity redirects is requested as %q: %v", it.FetchSource, it.HTTPRedirectChain)
	}
}

// TestX4RelativeLinks checks that relative addresses of a page are resolved against the form that answered: a page with
// a slash that names "./" as its canonical address stays (X4).
func TestX4RelativeLinks(t *testing.T) {
	r, e := newRig(t), newExact(t)
	body := strings.Replace(text("post").body, "<title>", `<link rel="canonical" href="./"><title>`, 1)
	for _, form := range []string{"/blog", "/blog/", "/blog/post", "/blog/post/"} {
		e.pages[form] = body
	}
	it := r.given(e, "/blog/post/")
	if want := e.URL + "/blog/post"; it.Status != indexed || it.HTTPCanonicalURL != want {
		t.Errorf("%s, canonical %s, want %s", it.Status, it.HTTPCanonicalURL, want)
	}
}

// TestX4AnotherForm checks that another form takes over only from one that failed, and that ids do not change (X4).
func TestX4AnotherForm(t *testing.T) {
	r, e := newRig(t), newExact(t)
	e.pages["/a"], e.pages["/a/"] = text("a").body, text("a").body
	first := r.given(e, "/a")
	r.clock.pass(1e9)
	again := r.given(e, "/a/")
	if diff := cmp.Diff([]string{string(first.ID), ""}, []string{string(again.ID), again.FetchSource}); diff != "" {
		t.Error(diff)
	}
	r.given(e, "/b?y=1&x=2")
	e.pages["/b/?y=1&x=2"] = text("b").body
	r.clock.pass(1e9)
	e.requests()
	if it := r.given(e, "/b/?y=1&x=2"); it.Status != indexed || e.requests() != "/b/?y=1&x=2" {
		t.Errorf("%s, requested as %s", it.Status, it.FetchSource)
	}
}
