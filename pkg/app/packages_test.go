package app

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/treetest"
	"go.yaml.in/yaml/v3"
)

// TestL3SettingsOfPackages checks that the service's settings file and the compose files name only existing settings.
func TestL3SettingsOfPackages(t *testing.T) {
	var known []string
	row := regexp.MustCompile("(?m)^\\| `([A-Za-z0-9_]+)` \\|")
	for _, m := range row.FindAllStringSubmatch(treetest.Read(t, "docs/settings.md"), -1) {
		known = append(known, m[1])
	}
	check := func(file, name string) {
		if !slices.Contains(known, name) {
			t.Errorf("%s: %s is no setting", file, name)
		}
	}
	const env = "packaging/tidemark.yaml"
	names := regexp.MustCompile(`(?m)^#([A-Z][A-Za-z0-9_]*):`).FindAllStringSubmatch(treetest.Read(t, env), -1)
	if len(names) < 20 {
		t.Errorf("%s: %d settings", env, len(names))
	}
	for _, m := range names {
		check(env, m[1])
	}
	lines := regexp.MustCompile(`(?m)^#([A-Z][A-Z0-9_]*:.*)$`).ReplaceAllString(treetest.Read(t, env), "$1")
	if c, err := parseConfig(env, []byte(lines)); err != nil || len(c.entries) != len(names) {
		t.Error(err)
	}
	files, err := filepath.Glob("../../containers/compose*.yaml")
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		var compose struct {
			Services map[string]struct{ Environment map[string]string }
		}
		if err := yaml.Unmarshal([]byte(treetest.Read(t, "containers/"+filepath.Base(file))), &compose); err != nil {
			t.Fatal(err)
		}
		ours := compose.Services["tidemark"].Environment
		if len(ours) == 0 {
			t.Errorf("%s: no settings", file)
		}
		for name := range ours {
			check(file, name)
		}
	}
}
