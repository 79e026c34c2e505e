package file_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// noTransport fails a test that sends a request for a local file.
type noTransport struct{}

func (noTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fault.New(fault.Internal, "the network was asked for %s", r.URL)
}

// newClient fills in the fields that every client needs.
func newClient(t testing.TB, cfg file.Config) *file.Client {
	t.Helper()
	if cfg.Setting == nil {
		cfg.Setting = func(string) string { return "" }
	}
	if cfg.Transport == nil {
		cfg.Transport = noTransport{}
	}
	c, err := file.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func rawHash(body string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(body))) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
