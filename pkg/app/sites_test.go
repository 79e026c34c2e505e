package app

import (
	"os"
	"strings"
	"testing"
)

// E9: no site file is no sites; one that is named has to be there, and one that is there has to be
// right.
func TestE9SitesFile(t *testing.T) {
	for _, tt := range []struct {
		name, set string // BACKFILL_SITES_FILE
		file      string // text of backfill-sites.yaml; empty: it is not there
		want      string // in the error; empty: none
	}{
		{"none", "", "", ""},
		{"named and missing", "backfill-sites.yaml", "", `BACKFILL_SITES_FILE="backfill-sites.yaml": allowed is a file that can be read`},
		{"a folder", ".", "", `BACKFILL_SITES_FILE=".": allowed is`},
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
			if tt.want == "" && (err != nil || len(c.Sites.All()) != 0) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("have %v, want %q", err, tt.want)
			}
		})
	}
}
