package app

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

// A25: the names and defaults of spec 003 §11.
func TestA25Defaults(t *testing.T) {
	c, err := Load(env(nil))
	if err != nil {
		t.Fatal(err)
	}
	type seed struct {
		Table               string
		Strategy            source.Strategy
		Base, Max, Error    time.Duration
		Unchanged, Gone     int
		Politeness          policy.Politeness
		Agent               string
		MaxBytes, Redirects int64
		Timeout             time.Duration
		Data                string
		KeepGone            bool
	}
	have := seed{
		c.Table, c.Strategy, c.Schedule.Base, c.Schedule.Max, c.Schedule.ErrorBase, c.Schedule.UnchangedSteps,
		c.Schedule.GoneAfter,
		c.Politeness, c.Fetch.UserAgent, c.Fetch.MaxBytes, int64(c.Fetch.MaxRedirects), c.Fetch.Timeout, c.Data, c.KeepGone,
	}
	want := seed{
		"IngestItems", source.ByHost, 86400 * time.Second, 1209600 * time.Second, 600 * time.Second, 3, 3,
		policy.Politeness{MinDelay: time.Second, MaxDelay: 2 * time.Second, MaxConcurrent: 1},
		"Tidemark/" + Version, 20 << 20, 5, 30 * time.Second, ".tidemark", false,
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	for raw, want := range map[string]string{
		"https://a.example/?utm_source=x&gclid=1&fbclid=2&msclkid=3&q=4": "https://a.example/?q=4",
	} {
		if s, err := c.Rules.ParseURL(raw); err != nil || s.Normalized != want {
			t.Errorf("%s became %s, %v; want %s", raw, s.Normalized, err, want)
		}
	}
}

// A25: every setting has an effect.
func TestA25Values(t *testing.T) {
	for name, tt := range map[string]struct {
		value string
		have  func(Config) any
		want  any
	}{
		"REGISTRY_TABLE_NAME":         {"Sources2", func(c Config) any { return c.Table }, "Sources2"},
		"REGISTRY_PARTITION_STRATEGY": {"scheme", func(c Config) any { return c.Strategy }, source.ByScheme},
		"CRAWL_BASE_INTERVAL_SECONDS": {"7200", func(c Config) any { return c.Schedule.Base }, 2 * time.Hour},
		"CRAWL_MAX_INTERVAL_SECONDS":  {"172800", func(c Config) any { return c.Schedule.Max }, 48 * time.Hour},
		"CRAWL_ERROR_BACKOFF_BASE":    {"30", func(c Config) any { return c.Schedule.ErrorBase }, 30 * time.Second},
		"CRAWL_UNCHANGED_STEPS":       {"5", func(c Config) any { return c.Schedule.UnchangedSteps }, 5},
		"SNAPSHOT_KEEP_DAYS": {"90",
			func(c Config) any { return c.Retention }, snapshot.Retention{Age: 90 * 24 * time.Hour, SameText: 3}},
		"SNAPSHOT_KEEP_COUNT":   {"5", func(c Config) any { return c.Retention }, snapshot.Retention{Count: 5, SameText: 3}},
		"CRAWL_GONE_AFTER":      {"1", func(c Config) any { return c.Schedule.GoneAfter }, 1},
		"CRAWL_GONE_SHARE":      {"0.5", func(c Config) any { return c.Schedule.GoneShare }, 0.5},
		"CRAWL_SOFT_404":        {"false", func(c Config) any { return c.Soft404 }, false},
		"CHANGES_KEEP_DAYS":     {"3650", func(c Config) any { return c.KeepChanges }, 3650 * 24 * time.Hour},
		"CRAWL_PURGE_GONE_DAYS": {"30", func(c Config) any { return c.Schedule.PurgeGone }, 30 * 24 * time.Hour},
		"CRAWL_REMOVE_GONE":     {"false", func(c Config) any { return c.KeepGone }, true},
		"CRAWL_MIN_DELAY_MS":    {"5000", func(c Config) any { return c.Politeness.MinDelay }, 5 * time.Second},
		"CRAWL_MAX_CONCURRENT":  {"3", func(c Config) any { return c.Politeness.MaxConcurrent }, 3},
		"CRAWL_USER_AGENT":      {"Bot/2", func(c Config) any { return c.Fetch.UserAgent }, "Bot/2"},
		"CRAWL_CONTACT": {"https://a.example/bot",
			func(c Config) any { return c.Fetch.Contact }, "https://a.example/bot"},
		"CRAWL_ALLOW_HOSTS": {" localhost , *.lan ",
			func(c Config) any { return strings.Join(c.Fetch.AllowHosts, ";") }, "localhost;*.lan"},
		"ALLOWED_HOSTS": {"t.example, localhost:7072",
			func(c Config) any { return strings.Join(c.AllowedHosts, ";") }, "t.example;localhost:7072"},
		"WEBHOOK_ALLOW_HOSTS": {"localhost:25, *.lan",
			func(c Config) any { return strings.Join(c.WebhookHosts, ";") }, "localhost:25;*.lan"},
		"BASE_PATH":             {"/tide/", func(c Config) any { return c.BasePath }, "/tide"},
		"PUBLIC_URL":            {"https://T.example/", func(c Config) any { return c.PublicURL }, "https://t.example"},
		"CRAWL_MAX_BYTES":       {"2048", func(c Config) any { return c.Fetch.MaxBytes }, int64(2048)},
		"CRAWL_TIMEOUT_SECONDS": {"9", func(c Config) any { return c.Fetch.Timeout }, 9 * time.Second},
		"CRAWL_MAX_REDIRECTS":   {"0", func(c Config) any { return c.Fetch.MaxRedirects }, -1},
		"OPENAI_BASE_URL": {"http://localhost:4000",
			func(c Config) any { return c.Models.BaseURL }, "http://localhost:4000"},
		"LITELLM_MASTER_KEY": {"sk-1", func(c Config) any { return string(c.Models.Key) }, "sk-1"},
		"SEARCH_ENDPOINT": {"https://name.search.windows.net",
			func(c Config) any { return c.Search.Endpoint }, "https://name.search.windows.net"},
		"SEARCH_API_KEY":               {"0a1b", func(c Config) any { return string(c.Search.Key) }, "0a1b"},
		"SEARCH_INDEX":                 {"pages-2", func(c Config) any { return c.Search.Index }, "pages-2"},
		"SEARCH_SEMANTIC":              {"true", func(c Config) any { return c.Search.Semantic }, true},
		"SEARCH_VECTOR_DIMENSIONS":     {"1536", func(c Config) any { return c.Search.Dimensions }, 1536},
		"BACKFILL_ENABLED":             {"true", func(c Config) any { return c.Backfill.Enabled }, true},
		"BACKFILL_MAX_URLS_PER_RUN":    {"7", func(c Config) any { return c.Backfill.MaxURLs }, 7},
		"BACKFILL_MAX_URLS_PER_SOURCE": {"7", func(c Config) any { return c.Backfill.MaxPerSource }, 7},
		"BACKFILL_MAX_CONCURRENCY":     {"7", func(c Config) any { return c.Backfill.MaxConcurrency }, 7},
		"BACKFILL_JOBS_PER_MINUTE":     {"7", func(c Config) any { return c.Backfill.JobsPerMinute }, 7},
		"BACKFILL_ITEMS_PER_MINUTE":    {"7", func(c Config) any { return c.Backfill.PerMinute }, 7},
		"BACKFILL_MAX_BACKLOG":         {"77", func(c Config) any { return c.Backfill.MaxBacklog }, 77},
		"SENTINEL_MAX_PER_DAY":         {"0", func(c Config) any { return c.SentinelPerDay }, 0},
		"TIDEMARK_DATA":                {"/data", func(c Config) any { return c.Data }, "/data"},
		"TRACKING_PARAM_PREFIXES": {"ref",
			func(c Config) any { s, _ := c.Rules.ParseURL("https://a.example/?ref=1&utm_x=2"); return s.Normalized },
			"https://a.example/?utm_x=2"},

		"SNAPSHOT_KEEP_SAME_TEXT": {"0", func(c Config) any { return c.Retention }, snapshot.Retention{}},
		"SNAPSHOT_KEEP_BYTES": {"500",
			func(c Config) any { return c.Retention }, snapshot.Retention{Bytes: 500, SameText: 3}},
		"LIMIT_ITEMS_PER_HOST": {"5", func(c Config) any { return c.Politeness.MaxItems }, 5},
		"LIMIT_REQUESTS_PER_HOST_PER_DAY": {"5",
			func(c Config) any { return c.Politeness.Daily }, policy.Budget{Requests: 5}},
		"LIMIT_BYTES_PER_HOST_PER_DAY": {"5", func(c Config) any { return c.Politeness.Daily }, policy.Budget{Bytes: 5}},
		"LIMIT_REQUESTS_PER_DAY": {"5",
			func(c Config) any { return c.Politeness.Total }, policy.Budget{Requests: 5}},
		"LIMIT_BYTES_PER_DAY": {"5", func(c Config) any { return c.Politeness.Total }, policy.Budget{Bytes: 5}},
	} {
		c, err := Load(env(map[string]string{name: tt.value}))
		if err != nil || tt.have(c) != tt.want {
			t.Errorf("%s=%s: have %v, %v; want %v", name, tt.value, tt.have(c), err, tt.want)
		}
	}
}

// A24: credentials that can never work stop the start. The error has their names and not their values.
func TestA24BadCredentials(t *testing.T) {
	get := env(map[string]string{
		"CREDENTIAL_GOOD": "bearer https://wiki.example hunter2", "CREDENTIAL_EMPTY": "", "OTHER": "hunter2",
		"CREDENTIAL_BAD": "token hunter2", "CREDENTIAL_REF": "@Microsoft.KeyVault(hunter2)",
		"CREDENTIAL_lower": "bearer https://wiki.example hunter2", "CREDENTIAL_": "hunter2",
	})
	set := Names([]string{"CREDENTIAL_GOOD=x", "CREDENTIAL_EMPTY=", "OTHER=", "CREDENTIAL_BAD=a=b", "CREDENTIAL_REF=",
		"CREDENTIAL_lower=", "CREDENTIAL_="})
	_, err := Load(get, set...)
	if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "hunter2") {
		t.Fatalf("have %v", err)
	}
	for _, name := range []string{"setting CREDENTIAL_BAD: want KIND", "setting CREDENTIAL_REF: the Key Vault",
		"CREDENTIAL_lower: allowed", "CREDENTIAL_: allowed"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%q is not told: %v", name, err)
		}
	}
	if n := strings.Count(err.Error(), ";"); n != 3 {
		t.Errorf("more is told than is wrong: %v", err)
	}
	if _, err := Load(get, "CREDENTIAL_GOOD"); err != nil {
		t.Error(err)
	}
}

// thisFile is the absolute path of some file.
var thisFile, _ = filepath.Abs("settings_test.go")

// A25: the error for an invalid value has the name, the value and the allowed values.
func TestA25BadValues(t *testing.T) {
	for _, tt := range []struct{ name, value, allowed string }{
		{"REGISTRY_TABLE_NAME", "no-dashes", "letters and digits"},
		{"REGISTRY_TABLE_NAME", "ab", "3 to 58"},
		{"REGISTRY_PARTITION_STRATEGY", "hosts", `="hosts": allowed is host or scheme`},
		{"CRAWL_BASE_INTERVAL_SECONDS", "daily", "a whole number from 1 to"},
		{"CRAWL_BASE_INTERVAL_SECONDS", "0", "a whole number from 1 to"},
		{"CRAWL_BASE_INTERVAL_SECONDS", "1209601", "1209600"},
		{"CRAWL_MAX_INTERVAL_SECONDS", "-1", "a whole number from 1 to"},
		{"CRAWL_MAX_INTERVAL_SECONDS", "99999999999999999999", "a whole number from 1 to"},
		{"CRAWL_ERROR_BACKOFF_BASE", "1.5", "a whole number from 1 to"},
		{"CRAWL_UNCHANGED_STEPS", "0", "from 1 to 1000"},
		{"SNAPSHOT_KEEP_DAYS", "-1", "from 0 to 36500"},
		{"SNAPSHOT_KEEP_COUNT", "all", "from 0 to 1000000"},
		{"SNAPSHOT_KEEP_BYTES", "1k", "from 0 to 1000000000000000"},
		{"LIMIT_ITEMS_PER_HOST", "-1", "from 0 to 1000000000"},
		{"LIMIT_REQUESTS_PER_HOST_PER_DAY", "many", "from 0 to 1000000000"},
		{"LIMIT_BYTES_PER_HOST_PER_DAY", "1000000000000001", "from 0 to 1000000000000000"},
		{"LIMIT_REQUESTS_PER_DAY", "1000000001", "from 0 to 1000000000"},
		{"LIMIT_BYTES_PER_DAY", "1.5", "from 0 to 1000000000000000"},
		{"CRAWL_GONE_AFTER", "1001", "from 1 to 1000"},
		{"CRAWL_GONE_SHARE", "1.5", "a number from 0 to 1"},
		{"CRAWL_GONE_SHARE", "NaN", "a number from 0 to 1"},
		{"CRAWL_GONE_SHARE", "half", "a number from 0 to 1"},
		{"CRAWL_SOFT_404", "soft", "true or false"},
		{"CRAWL_PURGE_GONE_DAYS", "3651", "from 0 to 3650"},
		{"CHANGES_KEEP_DAYS", "0", "from 1 to 3650"},
		{"CRAWL_PURGE_GONE_DAYS", "-1", "from 0 to 3650"},
		{"CRAWL_REMOVE_GONE", "maybe", "true or false"},
		{"CRAWL_MIN_DELAY_MS", "-5", "from 0 to 3600000"},
		{"CRAWL_MAX_DELAY_MS", "3600001", "from 0 to 3600000"},
		{"CRAWL_MAX_CONCURRENT", "0", "from 1 to 64"},
		{"BACKFILL_ENABLED", "on demand", "true or false"},
		{"BACKFILL_MAX_URLS_PER_RUN", "0", "from 1 to 100000"},
		{"BACKFILL_MAX_CONCURRENCY", "17", "from 1 to 16"},
		{"SENTINEL_MAX_PER_DAY", "-1", "from 0 to 5000"},
		{"CRAWL_USER_AGENT", "()", "product token"},
		{"CRAWL_CONTACT", "(me)", "without parentheses"},
		{"CRAWL_ALLOW_HOSTS", "http://localhost", "host, host:port"},
		{"WEBHOOK_ALLOW_HOSTS", "http://localhost", "host, host:port"},
		{"PUBLIC_URL", "t.example", "an address such as https://"},
		{"RULES_FILE", "missing.yaml", "a file that can be read"},
		{"CRAWL_MAX_BYTES", "10", "from 1024 to"},
		{"CRAWL_TIMEOUT_SECONDS", "31", "from 1 to 30"},
		{"CRAWL_MAX_REDIRECTS", "21", "from 0 to 20"},
		{"TRACKING_PARAM_PREFIXES", "a b?", `="a b?": allowed is at most 256 names such as gclid`},
		{"TRACKING_PARAM_PREFIXES", strings.Repeat("x", 65), "up to 64 printable"},
		{"TRACKING_PARAM_PREFIXES", strings.Repeat("x,", 257), "at most 256 names"},
		{"FORCE_REINDEX_ON_CANONICAL_CHANGE", "sometimes", "true or false"},
		{"EMBEDDINGS_MODEL", "two words", "without spaces"},
		{"T1_DEFAULT_MODEL", "two words", "without spaces"},
		{"T1_DEFAULT_MODEL", "gpt-4o-mini", "OPENAI_BASE_URL"},
		{"T1_BATCH_MODEL", "gpt-4o-mini", "OPENAI_BASE_URL"},
		{"EMBEDDINGS_MODEL", "text-embedding-3-small", "OPENAI_BASE_URL"},
		{"SEARCH_INDEX", "Pages", "lower-case"},
		{"SEARCH_VECTOR_DIMENSIONS", "1", "from 2 to 4096"},
		{"SEARCH_VECTOR_DIMENSIONS", "4097", "from 0 to 4096"},
		{"FILE_ROOT", "docs", "absolute path of a folder"},
		{"FILE_ROOT", "/nowhere/at/all", "a folder that exists"},
		{"FILE_ROOT", thisFile, "a folder that exists"},
		{"EMAIL_IMPORT_ROOT", "mail", "absolute path of a folder"},
		{"EMAIL_IMPORT_ROOT", "/nowhere/at/all", "a folder that exists"},
		{"EMAIL_IMPORT_ROOT", "https://port.example/mail", "a blob container"},
		{"EMAIL_IMPORT_ROOT", "https://acct.file.core.windows.net/mail/in", "a blob container"},
		{"EMAIL_IMPORT_CREDENTIAL", "MAIL", "name of a credential that is set"},
	} {
		_, err := Load(env(map[string]string{tt.name: tt.value}))
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s=%s: have %v, want Invalid", tt.name, tt.value, err)
			continue
		}
		for _, part := range []string{tt.name, tt.value, tt.allowed} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s=%s: %v; want it to say %q", tt.name, tt.value, err, part)
			}
		}
	}
}

// TestL8PublicAddressBelowAPath checks the base path, and that the address in messages must end in it.
func TestL8PublicAddressBelowAPath(t *testing.T) {
	for _, tt := range []struct{ base, address, want string }{
		{"/tide", "", ""}, {"/tide", "https://t.example/tide", ""}, {"/tide/", "https://t.example/outer/tide/", ""},
		{"", "https://t.example/tide", ""},
		{"/tide", "https://t.example", "an address that ends in /tide, as BASE_PATH says"},
		{"/tide", "https://tide", "ends in /tide"}, {"/tide", "https://t.example/tidemark", "ends in /tide"},
		{"/tide", "https://t.example/tide/x", "ends in /tide"},
		{"", "https://t.example/../x", "an address with a path such as /tidemark"}, {"tide", "", "a path such as /tidemark"},
		{"//t.example", "", "a path such as /tidemark"}, {"/API/ui", "", "not below /api"},
	} {
		_, err := Load(env(map[string]string{"BASE_PATH": tt.base, "PUBLIC_URL": tt.address}))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// TestR1BrowserSettings checks that a browser that cannot be there stops the start, with the setting and what is wrong
// (R1). An endpoint may contain a secret, so its value is not told.
func TestR1BrowserSettings(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"RENDER_BROWSER", "/nowhere/chromium", `"/nowhere/chromium": allowed is the path of a Chromium, auto where one is ` +
			`installed, or asked (stat /nowhere/chromium: no such file`},
		{"RENDER_BROWSER", "no-such-chromium", "(executable file not found"},
		{"RENDER_BROWSER", thisFile, "(permission denied)"},
		{"RENDER_BROWSER", t.TempDir(), "is a directory"},
		{"RENDER_ENDPOINT", "hunter2", "=…: allowed is an address such as http://chrome:9222 or wss://browser.example " +
			"(it is no URL)"},
		{"RENDER_ENDPOINT", "chrome:9222/hunter2", "(it begins neither with http:// or"},
		{"RENDER_ENDPOINT", "http://:9222/hunter2", "(it names no host)"},
	} {
		_, err := Load(env(map[string]string{tt.name: tt.value}))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tt.name) ||
			!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s=%s: have %v, want %q", tt.name, tt.value, err, tt.want)
		}
	}
}

// A25: one start reports all errors, including settings that contradict each other.
func TestA25SeveralAtOnce(t *testing.T) {
	_, err := Load(env(map[string]string{
		"CRAWL_MAX_CONCURRENT": "many", "REGISTRY_PARTITION_STRATEGY": "x", "CRAWL_ALLOW_HOSTS": "a b",
		"CRAWL_MIN_DELAY_MS": "2000", "CRAWL_MAX_DELAY_MS": "1000",
	}))
	if err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"CRAWL_MAX_CONCURRENT", "REGISTRY_PARTITION_STRATEGY", "CRAWL_ALLOW_HOSTS",
		"CRAWL_MAX_DELAY_MS"} {
		if strings.Count(err.Error(), name+"=") != 1 {
			t.Errorf("%s is not told once: %v", name, err)
		}
	}
	if c, err := Load(env(map[string]string{"CRAWL_MIN_DELAY_MS": "60000"})); err != nil ||
		c.Politeness.MaxDelay != time.Minute {
		t.Errorf("a longer least delay alone: %+v, %v", c.Politeness, err)
	}
}

// E3: a host's own limits override the settings. Allow-listed hosts are the operator's own and have no delay, unless
// the site file or a setting gives them one.
func TestE3PolitenessOfHosts(t *testing.T) {
	exempt := func(host string) bool { return host == "localhost" || host == "own.example" }
	limits := func(host string) (l site.Limits, ok bool) {
		return site.Limits{MinDelay: 5 * time.Second, MaxDelay: 9 * time.Second, MaxConcurrent: 2}, strings.HasSuffix(host,
			".example") && host != "a.example"
	}
	limited := policy.Politeness{MinDelay: 5 * time.Second, MaxDelay: 9 * time.Second, MaxConcurrent: 2}
	for _, tt := range []struct {
		name, host string
		env        map[string]string
		want       policy.Politeness
	}{
		{"exempt", "localhost", nil, policy.Politeness{MaxConcurrent: 4}},
		{"others", "a.example", nil, policy.Politeness{MinDelay: time.Second, MaxDelay: 2 * time.Second, MaxConcurrent: 1}},
		{"in the site file", "b.example", map[string]string{"CRAWL_MAX_CONCURRENT": "1"}, limited},
		{"exempt, but in the site file", "own.example", nil, limited},
		{"exempt, but set", "localhost", map[string]string{"CRAWL_MAX_CONCURRENT": "1"},
			policy.Politeness{MinDelay: time.Second, MaxDelay: 2 * time.Second, MaxConcurrent: 1}},
	} {
		c, err := Load(env(tt.env))
		if err != nil {
			t.Fatal(err)
		}
		if have := c.politeness(exempt, limits)(tt.host); have != tt.want {
			t.Errorf("%s: have %+v, want %+v", tt.name, have, tt.want)
		}
	}
}

// TestY13ProxyLine checks what is said about proxies, that no proxy for other programs is refused, and that the login
// is read by name (Y13).
func TestY13ProxyLine(t *testing.T) {
	for _, tc := range []struct {
		env  map[string]string
		says string
	}{
		{nil, ""},
		{map[string]string{"HTTPS_PROXY": "http://proxy:3128"}, "do not use HTTPS_PROXY"},
		{map[string]string{"http_proxy": "socks5://nonsense"}, "do not use HTTPS_PROXY"},
		{map[string]string{"EGRESS_PROXY": "http://proxy:3128", "EGRESS_PROXY_CREDENTIAL": "PROXY",
			"CREDENTIAL_PROXY": "secret me:it's"}, "go through EGRESS_PROXY"},
	} {
		var set []string
		for name := range tc.env {
			set = append(set, name)
		}
		c, err := Load(func(name string) string { return tc.env[name] }, set...)
		if said := c.Proxies(); err != nil || said == "" != (tc.says == "") || !strings.Contains(said, tc.says) {
			t.Errorf("%v: %q %v", tc.env, said, err)
		}
		if want := strings.TrimPrefix(tc.env["CREDENTIAL_PROXY"], "secret "); c.Fetch.Proxy.Login != want {
			t.Errorf("the login is %q", c.Fetch.Proxy.Login)
		}
	}
	for name, env := range map[string]map[string]string{
		"EGRESS_PROXY":            {"EGRESS_PROXY": "http://me:hidden@proxy:3128"},
		"EGRESS_PROXY_CREDENTIAL": {"EGRESS_PROXY": "http://proxy", "EGRESS_PROXY_CREDENTIAL": "NOBODY"},
		"NO_PROXY":                {"EGRESS_PROXY": "http://proxy", "no_proxy": "10.*"},
	} {
		_, err := Load(func(name string) string { return env[name] })
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
