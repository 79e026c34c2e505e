package app

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/llm/openai"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Settings lists every variable that the app, its storage and the command line read, in the order of
// docs/settings.md. The name, default and bounds of a setting are written only in this table. What it means is
// in settings_meanings_test.go, because only the documentation says it.
var Settings = new(Config).settings()

// settings returns all settings, each with the field in which its value is stored.
func (c *Config) settings() []Setting {
	return slices.Concat(c.stateSettings(), c.oftenSettings(), c.politelySettings(), c.backfillSettings(),
		c.limitsSettings(), c.keptSettings(), c.fetchedSettings(), c.renderSettings(), c.modelSettings(), c.accessSettings(),
		c.commandSettings())
}

const (
	defaultData = ".tidemark"
	day         = 24 * time.Hour
	maxDays     = 3650
	maxSeconds  = maxDays * 24 * 60 * 60
	maxDelay    = 60 * 60 * 1000 // in milliseconds
)

// These texts describe allowed values.
const (
	tableForm    = `^[A-Za-z][A-Za-z0-9]{2,57}$`
	tableAllowed = "3 to 58 letters and digits, a letter first"

	// trackersAllowed describes what [source.NewRules] accepts.
	trackersAllowed = "at most 256 names such as gclid or beginnings such as utm_, separated by commas, " +
		"each of up to 64 printable ASCII characters without & = # % + *"
)

// stateSettings returns the settings that say where the state is stored.
func (c *Config) stateSettings() []Setting {
	return []Setting{
		{"AzureWebJobsStorage", "", hidden, elsewhere},
		{"AzureWebJobsStorage__accountName", "", hidden, elsewhere},
		{"AzureWebJobsStorage__blobServiceUri", "", hidden, elsewhere},
		{"AzureWebJobsStorage__queueServiceUri", "", hidden, elsewhere},
		{"AzureWebJobsStorage__tableServiceUri", "", hidden, elsewhere},
		{"AzureWebJobsStorage__credential", "", hidden, elsewhere},
		{"AzureWebJobsStorage__clientId", "", hidden, elsewhere},
		{"TIDEMARK_DATA", defaultData, shown, asIs(&c.Data)},
		{"MEMORY_LIMIT_MB", "", shown, whole(&c.memoryMB, 256, 1<<20)},
		{"REGISTRY_TABLE_NAME", registry.DefaultTable, shown, form(&c.Table, tableForm, tableAllowed)},
		{"REGISTRY_PARTITION_STRATEGY", "host", shown, as(&c.Strategy, source.ParseStrategy, "host or scheme")},
	}
}

// oftenSettings returns the settings that say how often pages are checked, and who is notified of changes.
func (c *Config) oftenSettings() []Setting {
	return []Setting{
		{"CRAWL_BASE_INTERVAL_SECONDS", "86400", shown, span(&c.Schedule.Base, 1, maxSeconds, time.Second)},
		{"CRAWL_MAX_INTERVAL_SECONDS", "1209600", shown, span(&c.Schedule.Max, 1, maxSeconds, time.Second)},
		{"CRAWL_UNCHANGED_STEPS", "3", shown, whole(&c.Schedule.UnchangedSteps, 1, 1000)},
		{"CRAWL_ERROR_BACKOFF_BASE", "600", shown, span(&c.Schedule.ErrorBase, 1, maxSeconds, time.Second)},
		{"CRAWL_GONE_AFTER", "3", shown, whole(&c.Schedule.GoneAfter, 1, 1000)},
		{"CRAWL_GONE_SHARE", "0.2", shown, share(&c.Schedule.GoneShare)},
		{"CRAWL_REMOVE_GONE", "true", shown, not(&c.KeepGone)},
		{"CRAWL_SOFT_404", "true", shown, truth(&c.Soft404)},
		{"CRAWL_PURGE_GONE_DAYS", "0", shown, span(&c.Schedule.PurgeGone, 0, maxDays, day)},
		{"CRAWL_FULL_CHECK_EVERY", "20", shown, whole(&c.Schedule.FullEvery, 0, 1000)},
		{"CRAWL_FULL_CHECK_DAYS", "30", shown, span(&c.Schedule.FullAfter, 0, maxDays, day)},
		{"CHANGES_KEEP_DAYS", "90", shown, span(&c.KeepChanges, 1, maxDays, day)},
		{"RULES_FILE", "", shown, by(c.readRules)},
		{"WEBHOOK_ALLOW_HOSTS", "", shown, by(c.readWebhookHosts)},
		{notify.HomeSetting, "", shown, publicURL(&c.PublicURL)},
		{secrets.Setting, "", hidden, secretKey(&c.SecretsKey)},
		{secrets.OldSetting, "", hidden, secretKey(&c.OldKey)},
	}
}

// politelySettings returns the settings that say at what pace a host without limits of its own is crawled.
func (c *Config) politelySettings() []Setting {
	return []Setting{
		{"CRAWL_MIN_DELAY_MS", "1000", shown, span(&c.Politeness.MinDelay, 0, maxDelay, time.Millisecond)},
		{"CRAWL_MAX_DELAY_MS", "2000", shown, span(&c.Politeness.MaxDelay, 0, maxDelay, time.Millisecond)},
		{"CRAWL_MAX_CONCURRENT", "1", shown, whole(&c.Politeness.MaxConcurrent, 1, 64)},
	}
}

// backfillSettings returns the settings of backfills and of polls of sites.
func (c *Config) backfillSettings() []Setting {
	return []Setting{
		{"BACKFILL_SITES_FILE", "", shown, by(c.readSites)},
		{"BACKFILL_ENABLED", "false", shown, truth(&c.Backfill.Enabled)},
		{"BACKFILL_MAX_URLS_PER_RUN", "1000", shown, whole(&c.Backfill.MaxURLs, 1, 100_000)},
		{"BACKFILL_MAX_URLS_PER_SOURCE", "500", shown, whole(&c.Backfill.MaxPerSource, 1, 100_000)},
		{"BACKFILL_MAX_CONCURRENCY", "2", shown, whole(&c.Backfill.MaxConcurrency, 1, 16)},
		{"BACKFILL_JOBS_PER_MINUTE", "2", shown, whole(&c.Backfill.JobsPerMinute, 1, 100_000)},
		{"BACKFILL_ITEMS_PER_MINUTE", "600", shown, whole(&c.Backfill.PerMinute, 1, 100_000)},
		{"BACKFILL_MAX_BACKLOG", "2000", shown, whole(&c.Backfill.MaxBacklog, 50, 1_000_000)},
		{"SENTINEL_MAX_PER_DAY", "500", shown, whole(&c.SentinelPerDay, 0, 5000)},
	}
}

// limitsSettings returns the settings that are quotas; a quota of 0 is no limit. See docs/limits.md.
func (c *Config) limitsSettings() []Setting {
	return []Setting{
		{"LIMIT_ITEMS_PER_HOST", "0", shown, whole(&c.Politeness.MaxItems, 0, site.MaxRequests)},
		{"LIMIT_REQUESTS_PER_HOST_PER_DAY", "0", shown, whole(&c.Politeness.Daily.Requests, 0, site.MaxRequests)},
		{"LIMIT_BYTES_PER_HOST_PER_DAY", "0", shown, whole(&c.Politeness.Daily.Bytes, 0, site.MaxQuota)},
		{"LIMIT_REQUESTS_PER_DAY", "0", shown, whole(&c.Politeness.Total.Requests, 0, site.MaxRequests)},
		{"LIMIT_BYTES_PER_DAY", "0", shown, whole(&c.Politeness.Total.Bytes, 0, site.MaxQuota)},
	}
}

// keptSettings returns the settings that say which data of pages is kept.
func (c *Config) keptSettings() []Setting {
	return []Setting{
		{"SNAPSHOT_KEEP_DAYS", "0", shown, span(&c.Retention.Age, 0, 36500, day)},
		{"SNAPSHOT_KEEP_COUNT", "0", shown, whole(&c.Retention.Count, 0, 1_000_000)},
		{"SNAPSHOT_KEEP_BYTES", "0", shown, whole(&c.Retention.Bytes, 0, site.MaxQuota)},
		{"SNAPSHOT_KEEP_SAME_TEXT", "3", shown, whole(&c.Retention.SameText, 0, 100)},
	}
}

// fetchedSettings returns the settings that limit which pages and files are fetched, and how much of each.
func (c *Config) fetchedSettings() []Setting {
	return []Setting{
		{"CRAWL_ALLOW_HOSTS", "", shown, list(&c.Fetch.AllowHosts)},
		{"CRAWL_TLS_RSA_HOSTS", "", shown, list(&c.Fetch.TLSRSAHosts)},
		{"EGRESS_PROXY", "", shown, asIs(&c.Fetch.Proxy.URL)},
		{"EGRESS_PROXY_CREDENTIAL", "", shown, by(c.readProxyLogin)},
		{"EGRESS_PROXY_RESOLVES", "false", shown, truth(&c.Fetch.Proxy.Resolves)},
		{"NO_PROXY", "", shown, by(c.readNoProxy)},
		{"HTTPS_PROXY", "", hidden, by(c.readOthersProxy)},
		{"CRAWL_USER_AGENT", "Tidemark/" + Version, shown, asIs(&c.Fetch.UserAgent)},
		{"CRAWL_CONTACT", "", shown, asIs(&c.Fetch.Contact)},
		{"CRAWL_MAX_BYTES", "20971520", shown, whole(&c.Fetch.MaxBytes, 1024, 1<<30)},
		{"CRAWL_TIMEOUT_SECONDS", "30", shown, span(&c.Fetch.Timeout, 1, 30, time.Second)},
		{"CRAWL_MAX_REDIRECTS", "5", shown, whole(&c.Fetch.MaxRedirects, 0, 20)},
		{"FILE_ROOT", "", shown, asIs(&c.FileRoot)},
		{"EMAIL_IMPORT_ROOT", "", shown, by(c.readMailRoot)},
		{"EMAIL_IMPORT_CREDENTIAL", "", shown, elsewhere},
		{"CREDENTIAL_<NAME>", "", hidden, elsewhere},
	}
}

// modelSettings returns the settings of models and of the index.
func (c *Config) modelSettings() []Setting {
	return []Setting{
		{"EMBEDDINGS_MODEL", "", shown, model(&c.Models.Embeddings)},
		{"T1_DEFAULT_MODEL", "", shown, model(&c.Models.Tier1)},
		{"T1_BATCH_MODEL", "", shown, model(&c.Models.Tier1Batch)},
		{"OPENAI_BASE_URL", "", hidden, asIs(&c.Models.BaseURL)},
		{"LITELLM_MASTER_KEY", "", hidden, key(&c.Models.Key)},
		{"SEARCH_ENDPOINT", "", hidden, asIs(&c.Search.Endpoint)},
		{"SEARCH_API_KEY", "", hidden, key(&c.Search.Key)},
		{"SEARCH_INDEX", "tidemark", shown, asIs(&c.Search.Index)},
		{"SEARCH_VECTOR_DIMENSIONS", "0", shown, whole(&c.Search.Dimensions, 0, 4096)},
		{"SEARCH_SEMANTIC", "false", shown, truth(&c.Search.Semantic)},
		{"TRACKING_PARAM_PREFIXES", "utm_, gclid, fbclid, msclkid", shown, as(&c.Rules, ParseTracking, trackersAllowed)},
		{"FORCE_REINDEX_ON_CANONICAL_CHANGE", "true", shown, truth(&c.ReindexOnCanonical)},
	}
}

// accessSettings returns the settings that say who has access. See docs/operations.md.
func (c *Config) accessSettings() []Setting {
	return []Setting{
		{"LISTEN", "", command, elsewhere},
		{"API_KEYS_REQUIRED", "false", shown, truth(&c.KeysNeeded)},
		{"API_KEYS", "", hidden, by(c.readKeys)},
		{"API_KEYS_FILE", "", hidden, by(c.readKeysFile)},
		{"TLS_CERT_FILE", "", command, elsewhere},
		{"TLS_KEY_FILE", "", command, elsewhere},
		{"TRUSTED_PROXIES", "", command, elsewhere},
		{"BASE_PATH", "", shown, basePath(&c.BasePath)},
		{"AUTH_HEADER", "", command, by(c.readUserHeader)},
		{"AUTH_HEADER_SCOPE", "read", shown, as(&c.UserScope, parseUserScope, "read, write or admin")},
		{"ALLOWED_HOSTS", "", shown, list(&c.AllowedHosts)},
		{"WEBSITE_SITE_NAME", "", hidden, by(c.readCloud)},
	}
}

// commandSettings returns the settings of the command line.
func (c *Config) commandSettings() []Setting {
	return []Setting{
		{"PORT", "7071", command, elsewhere},
		{"AZURITE_PORT_BASE", "10000", command, elsewhere},
		{"STORAGE", "embedded", shown, elsewhere},
		{"LOG_FORMAT", "text", command, elsewhere},
		{"TIDEMARK_SERVER", "http://localhost:7071", command, elsewhere},
		{"TIDEMARK_KEY", "", command, elsewhere},
		{"NO_COLOR", "", command, elsewhere},
		{"PAGER", "less -FRX", command, elsewhere},
	}
}

// renderSettings returns the settings for pages that need a browser.
func (c *Config) renderSettings() []Setting {
	r := &c.Render
	return []Setting{
		{endpointSetting, "", hidden, by(c.readEndpoint)},
		{browserSetting, "", shown, by(c.readBrowser)},
		{"RENDER_TIMEOUT_SECONDS", "30", shown, span(&r.Timeout, 5, maxRender, time.Second)},
		{"RENDER_MAX_REQUESTS", "300", shown, whole(&r.MaxRequests, 1, 5000)},
		{"RENDER_MAX_BYTES", "31457280", shown, whole(&r.MaxBytes, 1<<16, 1<<30)},
		{"RENDER_MAX_MEMORY", "1073741824", shown, whole(&r.MaxMemory, 128<<20, 1<<40)},
	}
}

func (c *Config) readEndpoint(s *settings, name string) {
	if c.Render.Endpoint = s.text(name); c.Render.Endpoint == "" {
		return
	}
	if err := devtools.CheckEndpoint(c.Render.Endpoint); err != nil {
		s.bad(name, "an address such as http://chrome:9222 or wss://browser.example ("+err.Error()+")")
	}
}

func (c *Config) readBrowser(s *settings, name string) {
	if c.Render.Program = s.text(name); c.Render.Program == "" {
		return
	}
	if s.isSet(endpointSetting) {
		s.bad(name, "nothing where "+endpointSetting+" is set")
		return
	}
	if c.Render.Program == browserAsked {
		c.Render.Program, c.Render.OnlyAsked = "", true
		return
	}
	program, err := devtools.Lookup(c.Render.Program)
	if err == nil {
		c.Render.Program = program
		err = devtools.CheckProgram(devtools.InContainer())
	}
	if err != nil {
		s.bad(name, "the path of a Chromium, auto where one is installed, or asked ("+err.Error()+")")
	}
}

// Models says which language models are used, and where they are. The zero value uses none.
type Models struct {
	BaseURL    string // value of OPENAI_BASE_URL
	Key        Secret // value of LITELLM_MASTER_KEY
	Embeddings string // value of EMBEDDINGS_MODEL; "": chunks and queries have no vectors
	Tier1      string // value of T1_DEFAULT_MODEL; "": entries are not enriched immediately
	Tier1Batch string // value of T1_BATCH_MODEL; "": entries are not enriched in batches
}

// Secret is a text that is never printed.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "…"
}

// GoString returns what %#v prints.
func (s Secret) GoString() string { return s.String() }

// MarshalText returns what JSON and logs contain.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// validate checks the settings of the models.
func (m Models) validate(s *settings) {
	if m.BaseURL != "" && openai.CheckBaseURL(m.BaseURL) != nil {
		s.bad("OPENAI_BASE_URL",
			"an http or https address without user, query and fragment, such as https://api.openai.com/v1")
	}
	for _, name := range []string{"EMBEDDINGS_MODEL", "T1_DEFAULT_MODEL", "T1_BATCH_MODEL"} {
		if s.isSet(name) && m.BaseURL == "" {
			s.bad(name, "a model only together with OPENAI_BASE_URL, where it is")
		}
	}
}

// model returns the value of a setting that is the name of a model or route.
func model(into *string) value {
	return form(into, `^[!-~]{0,200}$`, "the name of a model, up to 200 printable characters without spaces")
}

// key returns the value of a setting that is the key of a service. A reference to a Key Vault that Azure could not
// resolve is passed on unchanged.
func key(into *Secret) value {
	const allowed = "a key of printable characters without spaces; a reference to a Key Vault must have been resolved"
	return as(into, func(text string) (Secret, error) {
		if !keyForm.MatchString(text) || strings.HasPrefix(text, "@Microsoft.KeyVault") {
			return "", fault.New(fault.Invalid, "want %s", allowed)
		}
		return Secret(text), nil
	}, allowed)
}

var keyForm = regexp.MustCompile(`^[!-~]*$`)

// Render says which browser renders pages, and within which bounds.
type Render struct {
	Endpoint string // of a browser that runs elsewhere
	Program  string // of a Chromium on this machine, which is started when it is needed
	// OnlyAsked uses the Chromium that is found when a page is to be read, and reads pages in it for which a setting asks.
	OnlyAsked   bool
	Timeout     time.Duration
	MaxRequests int
	MaxBytes    int64
	MaxMemory   int64
}

// The settings that say which browser there is, and the value of the first for [Render.OnlyAsked].
const (
	browserSetting  = "RENDER_BROWSER"
	endpointSetting = "RENDER_ENDPOINT"
	browserAsked    = "asked"
)

// maxRender is the longest timeout of a page, in seconds. With renderMargin it is shorter than what a job has from when
// it locks its items: a longer one could never begin.
const maxRender = 60

// renderMargin is the time that a page may take to be opened and read, beside its timeout.
const renderMargin = 15 * time.Second

// Exists reports whether there is a browser.
func (r Render) Exists() bool { return r.Endpoint != "" || r.Program != "" || r.OnlyAsked }

// Where describes the browser for people, without secrets.
func (r Render) Where() string {
	if r.Endpoint == "" {
		return cmp.Or(r.Program, "Chromium")
	}
	u, err := url.Parse(r.Endpoint)
	if err != nil {
		return endpointSetting
	}
	return fmt.Sprintf("%s://%s (%s)", u.Scheme, u.Host, endpointSetting)
}

// browserIn returns where a Chromium keeps its files while it runs.
func browserIn(data string) string { return filepath.Join(data, "browser") }

// SweepBrowser removes what is left of a Chromium whose app was ended from outside. No app may use the data folder.
func SweepBrowser(data string) { devtools.Sweep(browserIn(data)) }

// Renderer returns what renders pages; nil if there is no browser. A Chromium keeps its files in the folder, which is
// the caller's alone, or in one for temporary files if it is empty.
func (r Render) Renderer(web *fetch.Client, folder string) (*render.Renderer, error) {
	if !r.Exists() {
		return nil, nil
	}
	return render.New(render.Options{
		Web: web, Endpoint: r.Endpoint, Program: r.Program, OnlyAsked: r.OnlyAsked, Where: r.Where(), Folder: folder,
		NoSandbox: devtools.InContainer(), Timeout: r.Timeout, MaxRequests: r.MaxRequests, MaxBytes: r.MaxBytes,
		MaxMemory: r.MaxMemory,
	})
}
