package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

// E9: without a site file there are no sites. A file that a setting names must exist, and a file that exists must be
// valid.
func TestE9SitesFile(t *testing.T) {
	for _, tt := range []struct {
		name, set string // BACKFILL_SITES_FILE
		file      string // text of backfill-sites.yaml; empty: no file
		want      string // in the error; empty: no error
	}{
		{"none", "", "", ""},
		{"named and missing", "backfill-sites.yaml", "",
			`BACKFILL_SITES_FILE="backfill-sites.yaml": allowed is the path of a file that can be read`},
		{"a folder", ".", "", `BACKFILL_SITES_FILE=".": allowed is`},
		{"mistaken", "", "sites: 1", "backfill-sites.yaml:1: "},
		{"named and mistaken", "backfill-sites.yaml", "sites: 1", "backfill-sites.yaml:1: "},
		{"without end", "", strings.Repeat("#", maxSites+1), "more than 4194304 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if tt.file != "" {
				if err := os.WriteFile(SitesFile, []byte(tt.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			c, err := Load(env(map[string]string{"BACKFILL_SITES_FILE": tt.set}))
			if tt.want == "" && (err != nil || len(c.Sites.All()) != 0) || tt.want != "" &&
				(err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("have %v, want %q", err, tt.want)
			}
		})
	}
}

// E3: the registry uses the limits of the site file.
func TestE3LimitsOfTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sites.yaml")
	text := `sites:
  - slug: port
    domain: port.example
    sitemaps: [https://port.example/sitemap.xml]
    limits: {minDelayMs: 5000, maxDelayMs: 10000, maxConcurrent: 2, requestsPerDay: 500, bytesPerDay: 0}
`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(env(map[string]string{
		"BACKFILL_SITES_FILE": path, "LIMIT_REQUESTS_PER_HOST_PER_DAY": "7", "LIMIT_BYTES_PER_HOST_PER_DAY": "8",
		"LIMIT_ITEMS_PER_HOST": "9",
	}))
	if err != nil {
		t.Fatal(err)
	}
	no := func(string) bool { return false }
	p := c.politeness(no, c.Sites.Limits)("port.example")
	if p.MinDelay.Milliseconds() != 5000 || p.MaxDelay.Milliseconds() != 10000 || p.MaxConcurrent != 2 {
		t.Errorf("have %+v", p)
	}
	if p.Daily != (policy.Budget{Requests: 500}) || p.MaxItems != 9 {
		t.Errorf("quotas %+v", p)
	}
	if p := c.politeness(no, c.Sites.Limits)("other.example"); p != c.Politeness {
		t.Errorf("another host has %+v", p)
	}
}
