package app

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/api"
)

// A name that is almost a setting is reported with the intended one; names of other programs are not reported (S13).
func TestS13MisspeltSettings(t *testing.T) {
	for _, tt := range []struct {
		name, want string // "" for none
	}{
		{"CRAWL_MIN_DELAY", "CRAWL_MIN_DELAY is set, but there is no such setting; did you mean CRAWL_MIN_DELAY_MS?"},
		{"CRAWL_MIN_DELAY_MS", ""},
		{"CRAWL_ALLOWED_HOSTS", "CRAWL_ALLOWED_HOSTS is set, but there is no such setting; did you mean CRAWL_ALLOW_HOSTS?"},
		{"BACKFILL_ENABLE", "BACKFILL_ENABLE is set, but there is no such setting; did you mean BACKFILL_ENABLED?"},
		{"SEARCH_ENPOINT", "SEARCH_ENPOINT is set, but there is no such setting; did you mean SEARCH_ENDPOINT?"},
		{"T1_MODEL", "T1_MODEL is set, but there is no such setting; did you mean T1_BATCH_MODEL?"},
		{"crawl_min_delay_ms", "crawl_min_delay_ms is set, but there is no such setting; did you mean CRAWL_MIN_DELAY_MS?"},
		{"CRAWL_SOMETHING_ELSE_ALTOGETHER", "CRAWL_SOMETHING_ELSE_ALTOGETHER is set, but there is no such setting"},
		{"FILE_ROOTS", "FILE_ROOTS is set, but there is no such setting; did you mean FILE_ROOT?"},
		{"OPENAI_BASEURL", "OPENAI_BASEURL is set, but there is no such setting; did you mean OPENAI_BASE_URL?"},
		{"AzureWebJobsStorage__acountName",
			"AzureWebJobsStorage__acountName is set, but there is no such setting; did you mean " +
				"AzureWebJobsStorage__accountName?"},
		// Variables of other programs.
		{api.HostSecretVar, ""}, {"CREDENTIAL_WIKI", ""}, {"OPENAI_API_KEY", ""}, {"FORCE_COLOR", ""},
		{"WEBSITE_HOSTNAME", ""}, {"PATH", ""}, {"PORTS", ""},
		{"SEARCHPATH", ""}, {"NO_PROXY", ""}, {"SSL_CERT_FILE", ""}, {"FILE_SIZE", ""}, {"", ""},
	} {
		var want []string
		if tt.want != "" {
			want = []string{tt.want}
		}
		if diff := cmp.Diff(want, Misspelt([]string{tt.name})); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	for _, s := range Settings {
		if said := Misspelt([]string{s.Name}); said != nil {
			t.Errorf("%s is a setting: %v", s.Name, said)
		}
	}
}

// In Azure, misspelt settings are reported in the log only.
func TestS13MisspeltSettingsAreLogged(t *testing.T) {
	for site, want := range map[string]string{"": "", "app": "level=WARN"} {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn}))
		if _, err := New(env(map[string]string{"WEBSITE_SITE_NAME": site}), log, "CRAWL_MIN_DELAY"); err != nil {
			t.Fatal(err)
		}
		if said := out.String(); !strings.Contains(said, want) || (said == "") != (want == "") {
			t.Errorf("%q: %q", site, said)
		}
	}
}

// TestS13EndpointWithoutExport checks that an endpoint is reported to which this build sends nothing (S13).
func TestS13EndpointWithoutExport(t *testing.T) {
	set := []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_SERVICE_NAME", "OTEL_EXPORTER_OTLP_HEADERS", "PORT"}
	if said := Unexported(set); len(said) != 1 || !strings.HasPrefix(said[0], set[0]) {
		t.Errorf("reported: %q", said)
	}
}

// J9: a program of the user's learns no setting of Tidemark, in whatever case.
func TestJ9WithoutSettings(t *testing.T) {
	have := WithoutSettings([]string{"PATH=/bin", "HOME=/root", "TIDEMARK_KEY=a", "tidemark_key=a", "SECRETS_KEY=a",
		"API_KEYS=a", "CREDENTIAL_X=a", "LITELLM_MASTER_KEY=a", "AzureWebJobsStorage=a", "AzureWebJobsStorage__x=a",
		"SEARCH_API_KEZ=a", api.HostSecretVar + "=a", handedVar + "={}", "HTTPS_PROXY=a", "OPENAI_API_KEY=of the program",
		"EMPTY="})
	want := []string{"PATH=/bin", "HOME=/root", "OPENAI_API_KEY=of the program", "EMPTY="}
	if !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}
