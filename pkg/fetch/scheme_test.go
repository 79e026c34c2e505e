package fetch

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// fakeWeb answers the hosts in a list, each with its scheme.
type fakeWeb struct {
	mu    sync.Mutex
	knows string
	asked []string
}

func (w *fakeWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, r.Method+" "+r.URL.String())
	switch {
	case strings.HasPrefix(r.URL.Host, "10."):
		return nil, fault.New(fault.Blocked, "a private address: CRAWL_ALLOW_HOSTS")
	case strings.Contains(w.knows, r.URL.Scheme+"://"+r.URL.Host+" "):
		return &http.Response{StatusCode: http.StatusNotFound, Body: http.NoBody}, nil
	}
	return nil, errors.New("connection refused")
}

// TestA1Guess checks which scheme an address gets, and when a person has to write it.
func TestA1Guess(t *testing.T) {
	for raw, want := range map[string]string{
		"shop.example/lamp":         "https://shop.example/lamp",
		" shop.example ":            "https://shop.example",
		"Shop.Example/lamp":         "https://Shop.Example/lamp",
		"shop.example/a?u=http://b": "https://shop.example/a?u=http://b",
		"old.example/a":             "error: write http://old.example",
		"localhost:8201/price.html": "http://localhost:8201/price.html",
		"nas/photos":                "http://nas/photos",
		"192.168.1.7:80/":           "http://192.168.1.7:80/",
		"10.0.0.1/":                 "error: CRAWL_ALLOW_HOSTS",
		"gone.lan/":                 "error: answers neither",
		"https://a.example/":        "https://a.example/",
		"ftp://a.example/":          "ftp://a.example/",
		"mailto:me@a.example":       "error: no scheme",
		"javascript:alert(1)":       "error: no scheme",
		"user:secret@shop.example/": "error: no scheme",
		"/lamp":                     "/lamp",
		"https:shop.example":        "https:shop.example",
		"HTTP:/shop.example/x":      "HTTP:/shop.example/x",
		"http:8201/x":               "http://http:8201/x",
		"alt。example/a":             "error: write http://alt.example",
		"134744072/":                "error: write http://8.8.8.8",
		"192.168.1.8:443/":          "http://192.168.1.8:443/",
		"":                          "",
	} {
		w := &fakeWeb{knows: "https://shop.example http://shop.example http://old.example http://localhost:8201 http://nas " +
			"http://http:8201 " +
			"http://192.168.1.7:80 " +
			"http://192.168.1.8:443 http://alt.example http://8.8.8.8 "}
		got, errs := (&SchemeGuesser{Transport: w, UserAgent: "t"}).Guess(t.Context(), []string{raw})
		text, wrong := strings.CutPrefix(want, "error: ")
		if !wrong && (errs[0] != nil || got[0] != want) {
			t.Errorf("%q: %q, %v", raw, got[0], errs[0])
		}
		if wrong && (errs[0] == nil || !strings.Contains(errs[0].Error(), text) || fault.FieldOf(errs[0]) != "url") {
			t.Errorf("%q: %q, %v", raw, got[0], errs[0])
		}
		if strings.HasPrefix(raw, "old.") && len(w.asked) != 1 {
			t.Errorf("a public host was asked with http: %v", w.asked)
		}
	}
}

// TestA1GuessMany checks that each host is asked once, and that a list of many hosts asks none.
func TestA1GuessMany(t *testing.T) {
	w := &fakeWeb{knows: "https://shop.example "}
	got, errs := (&SchemeGuesser{Transport: w}).Guess(t.Context(), []string{"shop.example/a", "https://b.example/",
		"shop.example/b", "shop.example/a"})
	if len(w.asked) != 1 || got[2] != "https://shop.example/b" || got[1] != "https://b.example/" ||
		errors.Join(errs...) != nil {
		t.Errorf("%v %v %v", w.asked, got, errs)
	}
	var many []string
	for i := range maxHosts + 1 {
		many = append(many, strings.Repeat("a", i+1)+".example/")
	}
	w.asked = nil
	if _, errs := (&SchemeGuesser{Transport: w}).Guess(t.Context(), many); len(w.asked) != 0 || errs[3] == nil {
		t.Errorf("%d requests, %v", len(w.asked), errs[3])
	}
}
