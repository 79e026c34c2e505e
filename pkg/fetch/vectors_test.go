package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/fetchtest"
)

// dialled records which addresses a client connects to. It sees what the guard sees.
type dialled struct {
	mu  sync.Mutex
	all []string
}

func (d *dialled) watch(c *Client) {
	dial := c.transport.DialContext
	c.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.all = append(d.all, address)
		}
		return conn, err
	}
}

// TestX6RefusedPages checks that the guard refuses each of the addresses wherever an answer leads to it: a Location, a
// Refresh header and a meta element; that the error or the response says so; and that Link: rel=canonical is requested
// in no case (X6, S13).
func TestX6RefusedPages(t *testing.T) {
	dns := fetchtest.NewNames(map[string][]string{"inside.example": {"127.0.0.1"}, "metadata.example": {"169.254.169.254"},
		"mixed.example": {"10.0.0.1 127.0.0.1"}, "localhost": {"127.0.0.1"}})
	next := ""
	page := func(header, format string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"], w.Header()[header] = []string{"text/html"}, []string{fmt.Sprintf(format, next)}
			io.WriteString(w, "<p>One moment.</p>")
		}
	}
	c, base := serve(t, Config{Resolver: dns.Resolver()}, map[string]http.HandlerFunc{
		"/location": func(w http.ResponseWriter, r *http.Request) { to(302, next)(w, r) },
		"/refresh":  page("Refresh", "0;url=%s"),
		"/meta": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, meta("0;url="+next))
		},
		"/link": page("Link", `<%s>; rel="canonical"`),
	})
	var made dialled
	made.watch(c)
	pages := fetchtest.RefusedPages()
	if len(pages) < 132 {
		t.Errorf("%d addresses, want at least 132", len(pages))
	}
	for _, next = range pages {
		for way, hops := range map[string]int{"/location": 1, "/refresh": 0, "/meta": 0} {
			res, err := c.Get(t.Context(), Request{URL: base + way, Refresh: true})
			why := err
			if hops == 0 && err == nil {
				why = res.NotFollowed
			}
			if kind := fault.KindOf(why); kind != fault.Blocked && (hops == 1 || kind != fault.Invalid) ||
				len(res.Redirects) != hops || hops == 1 && res.Redirects[0].Location == "" {
				t.Errorf("%s to %q: have %v by %v", way, next, why, res.Redirects)
			}
			if told := fmt.Sprint(why, res.Redirects); strings.Contains(told, "hunter2") {
				t.Errorf("%s to %q: a password is told: %s", way, next, told)
			}
		}
		res, err := c.Get(t.Context(), Request{URL: base + "/link", Refresh: true})
		if err != nil || res.Requests != 1 || len(res.Redirects) != 0 || res.Header.Get("Link") == "" {
			t.Errorf("Link: rel=canonical to %q: %v, %d requests by %v", next, err, res.Requests, res.Redirects)
		}
	}
	for _, address := range made.all {
		if "http://"+address != base {
			t.Errorf("%s was connected to", address)
		}
	}
}
