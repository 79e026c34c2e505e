package fetch_test

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch"
)

// TestS13Admit checks that Admit refuses at once every URL whose refusal needs no DNS lookup, and names the setting
// that would allow it (S13).
func TestS13Admit(t *testing.T) {
	c, err := fetch.New(fetch.Config{UserAgent: "Tidemark/1",
		AllowHosts: []string{"10.0.0.0/8", "wiki.localhost", "port.example:8099", "127.0.0.1:8080"}})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"https://example.com/":      "",
		"http://example.com:80/":    "",
		"https://93.184.215.14/":    "",
		"https://10.1.2.3:8443/":    "",
		"http://wiki.localhost/":    "",
		"http://port.example:8099/": "",
		"http://127.0.0.1:8080/":    "",
		"https://nowhere.invalid/":  "", // only a lookup would show this
		"https://192.168.1.1/": "192.168.1.1 is not a public address, so it would never be fetched: if the host is " +
			"yours, add 192.168.1.1 to CRAWL_ALLOW_HOSTS",
		"http://127.0.0.1/":           "127.0.0.1 is not a public address",
		"http://169.254.169.254/meta": "169.254.169.254 is not a public address",
		"http://168.63.129.16/":       "168.63.129.16 is not a public address",
		"http://[::1]/": "::1 is not a public address, so it would never be fetched: if the host is yours, " +
			"add [::1] to CRAWL_ALLOW_HOSTS",
		"http://localhost/":      "localhost is a name of this machine",
		"http://app.LOCALHOST./": "app.localhost is a name of this machine",
		"http://localhost:8099/": "port 8099 is neither 80 nor 443, so it would never be fetched: if the host is " +
			"yours, add localhost:8099 to CRAWL_ALLOW_HOSTS",
		"http://port.example:8100/": "port 8100 is neither 80 nor 443",
		"ftp://example.com/":        "want http or https",
	} {
		err := c.Admit(url)
		if want == "" && err != nil || want != "" && (!fault.Is(err, fault.Blocked) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}
