package ui

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// TestW5AlertsNameLabels checks that errors name fields as people see them: every label in the templates is the one
// that errors have, and a field without a label keeps its name (W5).
func TestW5AlertsNameLabels(t *testing.T) {
	field := regexp.MustCompile(`\.Field "([a-zA-Z.]+)" "([^"]+)"`)
	seen := 0
	err := fs.WalkDir(os.DirFS("templates"), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile("templates/" + path)
		for _, m := range field.FindAllStringSubmatch(string(text), -1) {
			seen++
			if own := m[1] == "name" || m[1] == "secret"; !own && labels[m[1]] != m[2] {
				t.Errorf("%s: the label of %s is %q, errors say %q", path, m[1], m[2], labels[m[1]])
			}
		}
		return err
	})
	if err != nil || seen < 5 {
		t.Fatalf("%d labels: %v", seen, err)
	}
	f := Form{Of: form.Of[api.TagSettings](), Problem: &api.Problem{
		Detail: "interval.min must be shorter", Errors: []api.FieldError{
			{Field: "interval.min", Message: "must be shorter"}, {Field: "odd", Message: "is odd"}}}}
	if got := f.Alert(); got != "Minimum interval: must be shorter; odd: is odd" {
		t.Error(got)
	}
	f.Problem.Errors = nil
	if got := f.Alert(); !strings.HasPrefix(got, "Interval.min") || (Form{}).Alert() != "" {
		t.Error(got)
	}
}
