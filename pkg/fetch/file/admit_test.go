package file_test

import (
	"net/http"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file"
)

// TestA24Admit checks that Admit refuses, from the settings alone, every location that no check could read, and names
// the field to change.
func TestA24Admit(t *testing.T) {
	setting := func(name string) string {
		return map[string]string{
			"CREDENTIAL_DOCS": "sas https://acct.blob.core.windows.net/docs sv=1&sig=secret",
			"CREDENTIAL_WIKI": "bearer https://wiki.example secret",
		}[name]
	}
	for name, tt := range map[string]struct{ root, path, credential, field string }{
		"below the root":          {"/srv", "/srv/docs/a.pdf", "", ""},
		"not below it":            {"/srv", "/srv2/docs/a.pdf", "", "path"},
		"the root itself":         {"/srv", "/srv", "", ""},
		"no root":                 {"", "/srv/docs/a.pdf", "", "path"},
		"another system's":        {"/srv", `C:\docs\a.pdf`, "", "path"},
		"a key for this machine":  {"/srv", "/srv/a", "DOCS", "credential"},
		"public":                  {"", "https://acct.blob.core.windows.net/open/a", "", ""},
		"the right credential":    {"", "https://acct.blob.core.windows.net/docs/a", "DOCS", ""},
		"a whole container":       {"", "https://acct.blob.core.windows.net/docs", "DOCS", ""},
		"of another container":    {"", "https://acct.blob.core.windows.net/open/a", "DOCS", "credential"},
		"one for pages":           {"", "https://acct.blob.core.windows.net/docs/a", "WIKI", "credential"},
		"one that nobody has set": {"", "https://acct.file.core.windows.net/docs/a", "NOSUCH", "credential"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := file.New(file.Config{Root: tt.root, Setting: setting, Transport: http.DefaultTransport})
			if err != nil {
				t.Fatal(err)
			}
			place, err := file.Parse(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			err = c.Admit(place, tt.credential)
			if fault.FieldOf(err) != tt.field || (err == nil) != (tt.field == "") ||
				err != nil && !fault.Is(err, fault.Invalid) {
				t.Errorf("have %v, field %q; want field %q", err, fault.FieldOf(err), tt.field)
			}
		})
	}
}
