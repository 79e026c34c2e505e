// Package infra_test compares the deployment with the app. It needs no account to find that one of them was changed
// without the other.
package infra_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/app"
)

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// matches returns the first group of every match, sorted and without repetitions.
func matches(text, pattern string) []string {
	var all []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestSettingsAreRead checks that the app reads every setting of the templates, because a misspelt setting would
// silently have no effect.
func TestSettingsAreRead(t *testing.T) {
	known := map[string]bool{
		// The host, its telemetry and Azure's identity library read these.
		"APPLICATIONINSIGHTS_CONNECTION_STRING":     true,
		"APPLICATIONINSIGHTS_AUTHENTICATION_STRING": true,
		"AZURE_CLIENT_ID":                           true,
	}
	for _, s := range app.Settings {
		known[s.Name] = true
	}
	const setting = `(?m)^\s+([A-Z][A-Z0-9]*_[A-Z_]+|AzureWebJobs\w+): `
	names := slices.Concat(matches(read(t, "main.bicep"), setting), matches(read(t, "app.bicep"), setting))
	if len(names) < 10 {
		t.Fatalf("only these settings were found: %v", names)
	}
	for _, name := range names {
		if !known[name] {
			t.Errorf("%s is set, but nothing reads it", name)
		}
	}
}

// TestA25SearchSettingsAreSet checks that the templates can set every setting that the app reads for search with
// vectors and for enrichment, and that they do not set the platform's own marker of an app in Azure (A25, D8).
func TestA25SearchSettingsAreSet(t *testing.T) {
	template := read(t, "main.bicep") + read(t, "app.bicep")
	for _, s := range app.Settings {
		wanted := strings.HasPrefix(s.Name, "SEARCH_") || slices.Contains([]string{"EMBEDDINGS_MODEL", "T1_DEFAULT_MODEL",
			"T1_BATCH_MODEL", "OPENAI_BASE_URL", "LITELLM_MASTER_KEY"}, s.Name)
		set := regexp.MustCompile(`\n +` + s.Name + `: `).MatchString(template)
		if wanted != set && (wanted || s.Name == "WEBSITE_SITE_NAME") {
			t.Errorf("%s: set %v, want %v", s.Name, set, wanted)
		}
	}
}

// TestSecretsAreSecure checks that no value that may be a key appears in the history of deployments, in any template.
func TestSecretsAreSecure(t *testing.T) {
	for file, names := range map[string][]string{"main.bicep": {"searchApiKey", "litellmMasterKey", "otherSettings"},
		"app.bicep": {"settings"}} {
		secure := matches(read(t, file), `(?m)^@secure\(\).*\nparam (\w+) `)
		for _, name := range names {
			if !slices.Contains(secure, name) {
				t.Errorf("%s: %s is no secure parameter", file, name)
			}
		}
	}
}

// TestParameters checks that azd fills in exactly the parameters of the template.
func TestParameters(t *testing.T) {
	var file struct {
		Parameters map[string]struct{ Value string }
	}
	if err := json.Unmarshal([]byte(read(t, "main.parameters.json")), &file); err != nil {
		t.Fatal(err)
	}
	var given []string
	for name, p := range file.Parameters {
		given = append(given, name)
		if !strings.HasPrefix(p.Value, "${") || !strings.HasSuffix(p.Value, "}") {
			t.Errorf("%s is %q and not one variable", name, p.Value)
		}
	}
	slices.Sort(given)
	if diff := cmp.Diff(matches(read(t, "main.bicep"), `(?m)^param (\w+) `), given); diff != "" {
		t.Errorf("parameters of main.bicep (-) and main.parameters.json (+):\n%s", diff)
	}
}

// TestHookUsesOutputs checks that the variables of the upload come from the template or from azd.
func TestHookUsesOutputs(t *testing.T) {
	if !strings.Contains(read(t, "../azure.yaml"), "run: make package && sh infra/upload.sh\n") {
		t.Error("the hook of azure.yaml does not build and upload the zip")
	}
	known := append(matches(read(t, "main.bicep"), `(?m)^output (\w+) `), "AZURE_SUBSCRIPTION_ID")
	used := matches(read(t, "upload.sh"), `"\$(AZURE_\w+)"`)
	if len(used) < 3 {
		t.Errorf("upload.sh uses only %v", used)
	}
	for _, name := range used {
		if !slices.Contains(known, name) {
			t.Errorf("upload.sh uses %s, which is no output of main.bicep", name)
		}
	}
}

// TestDocumentedVariables checks that the variables that operators set according to docs/deploy.md are read, and that
// the app's settings named there exist.
func TestDocumentedVariables(t *testing.T) {
	doc := read(t, "../docs/deploy.md")
	known := matches(read(t, "main.parameters.json"), `\$\{(\w+)`)
	told := matches(doc, `azd env set (\w+)`)
	if len(told) < 8 {
		t.Fatalf("only these variables were found: %v", told)
	}
	for _, name := range append(told, "OTHER_SETTINGS", "MAXIMUM_INSTANCES", "INSTANCE_MEMORY_MB", "ALWAYS_READY_HTTP") {
		if !slices.Contains(known, name) {
			t.Errorf("docs/deploy.md sets %s, which main.parameters.json does not read", name)
		}
	}
	for _, name := range matches(doc, `\b((?:CRAWL|SNAPSHOT_KEEP)_[A-Z_]+)\b`) {
		if !slices.ContainsFunc(app.Settings, func(s app.Setting) bool { return s.Name == name }) {
			t.Errorf("docs/deploy.md speaks of %s, which is no setting", name)
		}
	}
}
