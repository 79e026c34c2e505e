package docs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/base/treetest"
)

// K10: the names to which docs/model/README.md maps the model's steps are declared in pkg/registry, and the model has
// those steps.
func TestK10ModelNamesWhatThereIs(t *testing.T) {
	_, section, _ := strings.Cut(treetest.Read(t, "docs/model/README.md"), "\n## Steps\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var names []string
	for _, file := range treetest.Parse(t, "pkg/registry", false) {
		names = append(names, declaredIn(file)...)
	}
	model := treetest.Read(t, "docs/model/registry.pml")
	name := regexp.MustCompile("`([\\w.]+)`")
	rows := regexp.MustCompile(`(?m)^\| (.*) \| (.*) \|$`).FindAllStringSubmatch(section, -1)
	mapped := 0
	for _, row := range rows {
		for _, m := range name.FindAllStringSubmatch(row[1], -1) {
			if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(model) {
				t.Errorf("docs/model/README.md names the step %s, which the model does not have", m[1])
			}
		}
		for _, m := range name.FindAllStringSubmatch(row[2], -1) {
			if m[1] == strings.ToUpper(m[1]) { // a constant of the model
				continue
			}
			mapped++
			method := func(n string) bool { return n == m[1] || strings.HasSuffix(n, "."+m[1]) }
			if !slices.ContainsFunc(names, method) {
				t.Errorf("docs/model/README.md names %s, which pkg/registry does not declare", m[1])
			}
		}
	}
	if mapped < 20 {
		t.Errorf("only %d names: they are not found as they should be", mapped)
	}
}
