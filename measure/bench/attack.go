package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// attacks are the answers of hostile sites. Each attack is measured on a new instance, together with good pages of
// other hosts.
var attacks = []struct {
	name  string
	hosts int      // number of hostile hosts
	paths []string // paths on each of these hosts
	good  int      // number of good pages, spread over five hosts
	done  func(api.SearchStatus) bool
}{
	{"17 pages of 4.6 MB, 350,000 tags <html aN>", 17, []string{"/html"}, 10, nothingPending},
	{"48 bodies of 5 MB (CSV of commas, short lines, a tag with 750,000 attributes), 8 PDFs", 16,
		[]string{"/csv", "/pre", "/attributes", "/pdf"}, 10, nothingPending},
	{"36 hosts that never answer", 36, []string{"/silence"}, 50, nil},
}

func nothingPending(st api.SearchStatus) bool { return st.Items[api.StatusPending] == 0 }

// attack measures the effect of hostile sites on good sites and on memory. All requests go to loopback addresses. The
// measurement ends by itself.
func (b *bench) attack() error {
	h, err := newHostile()
	if err != nil {
		return err
	}
	defer h.close()
	s, err := newSite()
	if err != nil {
		return err
	}
	defer s.close()
	section("Under attack (default settings; anonymous memory, sampled each 50 ms)", "attack", "good pages indexed after",
		"all pages read after",
		"most memory of the handler, MiB", "with its readers, MiB", "what became of the hostile pages")
	for i, a := range attacks {
		good := s.urls(5, a.good/5)
		var bad []string
		for host := range a.hosts {
			for _, path := range a.paths {
				if path != "/pdf" || host%2 == 0 {
					bad = append(bad, fmt.Sprintf("http://127.0.%d.%d:%d%s", i+1, host+1, h.port, path))
				}
			}
		}
		r, err := b.underAttack(good, bad, a.done)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		row(a.name, r.good, r.all, r.handler>>10, r.together>>10, r.became)
	}
	return nil
}

// attacked is the result of an attack.
type attacked struct {
	good, all string // times until the good pages, and until all pages, were done
	anonymous
	became string
}

// underAttack registers the hostile pages and then the good ones. If done is nil, it waits only for the good pages.
func (b *bench) underAttack(good, bad []string, done func(api.SearchStatus) bool) (r attacked, err error) {
	p, err := b.startProduct("embedded")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()
	// Ask the good hosts once before the attack, so that they are known to answer.
	first := slices.DeleteFunc(slices.Clone(good), func(u string) bool { return !strings.HasSuffix(u, "/0") })
	if err := errors.Join(p.add(first), p.untilIndexed(first)); err != nil {
		return r, err
	}
	var m anonymous
	stop := sync.OnceFunc(watch(50*time.Millisecond, func() { m.sample(p.cmd.Process.Pid) }))
	defer stop()
	began := time.Now()
	if err := errors.Join(p.add(bad), p.add(good)); err != nil {
		return r, err
	}
	since := func() string { return fmt.Sprintf("%.1f s", time.Since(began).Seconds()) }
	if err := p.untilIndexed(good); err != nil {
		return r, err
	}
	r.good, r.all = since(), "–"
	if done != nil {
		if err := p.until(done); err != nil {
			return r, err
		}
		r.all = since()
	}
	stop()
	r.anonymous = m
	r.became, err = p.statuses(bad)
	return r, err
}

// untilIndexed waits until all pages are indexed.
func (p *product) untilIndexed(urls []string) error {
	return p.b.wait(p.b.patience, 100*time.Millisecond, "good pages are indexed", func() (bool, error) {
		said, err := p.statuses(urls)
		return said == fmt.Sprintf("%d %s", len(urls), api.StatusIndexed), err
	})
}

// statuses counts pages by status.
func (p *product) statuses(urls []string) (string, error) {
	want := map[string]bool{}
	for _, u := range urls {
		want[u] = true
	}
	counts := map[string]int{}
	next := ""
	for {
		page, err := api.ListItems.Call(p.b.ctx, p.client, api.ItemQuery{Top: 1000, Continuation: next})
		if err != nil {
			return "", err
		}
		for _, it := range page.Items {
			if want[it.NormalizedSource] {
				counts[strings.TrimSpace(string(it.Status)+" "+it.ErrorMessage)]++
			}
		}
		if next = page.Continuation; next == "" {
			break
		}
	}
	var out []string
	for status, n := range counts {
		out = append(out, fmt.Sprintf("%d %s", n, status))
	}
	slices.Sort(out)
	return strings.Join(out, ", "), nil
}

// hostile serves the attack that a request names, on every address of 127.0.0.0/8.
type hostile struct {
	port   int
	server *http.Server
	bodies map[string][]byte
	types  map[string]string
}

func newHostile() (h *hostile, err error) {
	const size = 5 << 20
	h = &hostile{
		bodies: map[string][]byte{
			"/csv": bytes.Repeat([]byte(","), size),
			"/pre": []byte("<title>x</title><pre>" + strings.Repeat("ab\n", size/3) + "</pre>"),
		},
		types: map[string]string{"/csv": "text/csv", "/pdf": "application/pdf"},
	}
	h.bodies["/html"] = numbered(350_000, func(w io.Writer, i int) { fmt.Fprintf(w, "<html a%x>", i) })
	h.bodies["/attributes"] = slices.Concat([]byte("<p "),
		numbered(750_000, func(w io.Writer, i int) { fmt.Fprintf(w, "a%x ", i) }), []byte(">text</p>"))
	if h.bodies["/pdf"], err = os.ReadFile("pkg/content/extract/pdf/testdata/columns.pdf"); err != nil {
		return nil, err
	}
	for path, body := range h.bodies {
		h.bodies[path] = zipped(body)
	}
	h.server, h.port, err = serve(h)
	return h, err
}

func numbered(n int, write func(w io.Writer, i int)) []byte {
	var b bytes.Buffer
	for i := range n {
		write(&b, i)
	}
	return b.Bytes()
}

func (h *hostile) close() { _ = h.server.Close() }

func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := h.bodies[r.URL.Path]
	switch {
	case r.URL.Path == "/silence":
		<-r.Context().Done()
		return
	case !ok:
		http.NotFound(w, r)
		return
	}
	if t := h.types[r.URL.Path]; t != "" {
		w.Header().Set("Content-Type", t)
	} else {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	w.Header().Set("Content-Encoding", "gzip")
	_, _ = w.Write(append(body[:len(body):len(body)], zipped([]byte("\n"+r.Host))...)) // each body differs
}

func zipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // Unreachable: writes to memory cannot fail
	_ = z.Close()
	return b.Bytes()
}
