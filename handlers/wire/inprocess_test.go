package wire

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestInProcess checks that the in-process transport answers as a network would.
func TestInProcess(t *testing.T) {
	hc := &http.Client{Transport: InProcess{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Path", r.URL.Path)
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(append(body, '!'))
	})}}
	for body, send := range map[string]func() (*http.Response, error){
		"!": func() (*http.Response, error) { return hc.Get("http://in.process/a") },
		"hello!": func() (*http.Response, error) {
			return hc.Post("http://in.process/a", "text/plain", strings.NewReader("hello"))
		},
	} {
		res, err := send()
		if err != nil {
			t.Fatal(err)
		}
		have, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		if string(have) != body || res.StatusCode != http.StatusTeapot ||
			res.Header.Get("X-Path") != "/a" || res.Body.Close() != nil {
			t.Errorf("%d %s %q, want %q", res.StatusCode, res.Header, have, body)
		}
	}
}
