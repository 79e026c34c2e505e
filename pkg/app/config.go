package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/activity"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/backfill"
	"github.com/tidemark/tidemark/pkg/run/enrich"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
	"github.com/tidemark/tidemark/pkg/storage/transfer"
)

// Version is Tidemark's version. The user agent contains it, too.
const Version = "0.1.0"

// Config holds every setting, validated. See [Settings] for what each setting means.
type Config struct {
	Table    string
	Strategy source.Strategy
	Rules    source.Rules
	Schedule schedule.Config
	// KeepChanges is how long the feed keeps changes.
	KeepChanges time.Duration
	// Politeness is the pace and the quotas for hosts without limits of their own.
	Politeness policy.Politeness
	// PolitenessSet reports whether any setting of the pace was set. If so, allow-listed hosts follow these settings,
	// too.
	PolitenessSet bool
	Backfill      Backfill
	// SentinelPerDay is the value of SENTINEL_MAX_PER_DAY. If it is 0, sites are not polled.
	SentinelPerDay int
	// Sites are the sites of the site file, never nil.
	Sites *site.Sites

	RulesFile    notify.File // rules and channels that were read from a file
	WebhookHosts []string    // receivers that may have private addresses
	SecretsKey   string      // encrypts the secrets of channels; if empty, the key file does
	OldKey       string      // the key before SecretsKey
	BasePath     string      // the path below which a proxy has the app, such as /tidemark; empty for none
	PublicURL    string      // the address to which messages lead; if empty, an administrator may confirm one
	Fetch        fetch.Config
	Render       Render
	Retention    snapshot.Retention
	KeepGone     bool
	Soft404      bool
	// ReindexOnCanonical is the value of FORCE_REINDEX_ON_CANONICAL_CHANGE.
	ReindexOnCanonical bool
	FileRoot           string
	MailRoot           mailimport.Root
	Data               string
	// Memory is the memory that the process may use, including the readers of documents that it starts.
	Memory   memory.Share
	memoryMB int
	// logFormat is only checked here: the command line reads it.
	logFormat string
	// othersProxy says that a proxy for other programs is set, such as HTTPS_PROXY.
	othersProxy bool
	Models      Models
	Search      SearchService
	// Keys are the keys in API_KEYS. KeysFile is the name of the file with more keys. KeysNeeded says that each
	// request needs a key.
	Keys       []keys.Key
	KeysFile   string
	KeysNeeded bool
	UserScope  api.Scope // what users may do whom a proxy has signed in
	// AllowedHosts are the names by which callers reach a Functions host that passes on their Host header.
	AllowedHosts []string
	// Cloud says that the app runs in Azure. Each instance there has its own disk, so the instances could not share
	// an index on a disk.
	Cloud    bool
	LogLevel slog.Level // the least level of lines of the log
	live     *Live      // the settings that may change; nil if none does
	// Metrics are not a setting, but the metrics in which the app counts. If they are nil, [Assemble] creates them.
	Metrics *telemetry.Metrics
}

// Load reads the settings through get, which returns "" for an unset variable. The strings in set are the names of
// all variables that are set. Users choose the names of credentials, so Load looks for credentials among these names,
// and checks them, too. The error lists every invalid value, with the name of the setting, the value unless it is a
// secret, and the allowed values.
func Load(get func(string) string, set ...string) (Config, error) {
	var c Config
	s := &settings{get: get, all: c.settings()}
	for _, one := range s.all {
		if one.read != nil {
			one.read(s, one.Name)
		}
	}
	c.Memory = memory.Of(int64(c.memoryMB) << 20)
	c.PolitenessSet = s.isSet("CRAWL_MIN_DELAY_MS", "CRAWL_MAX_DELAY_MS", "CRAWL_MAX_CONCURRENT")
	if c.Fetch.MaxRedirects == 0 {
		c.Fetch.MaxRedirects = -1 // in package fetch, -1 means none
	}
	c.validate(s)
	s.credentials(set)
	return c, s.err()
}

// ParseTracking parses TRACKING_PARAM_PREFIXES. Its entries are separated by commas, and empty entries are ignored.
func ParseTracking(list string) (source.Rules, error) { return source.NewRules(words.Parts(list, ",")) }

// validate checks settings against each other.
func (c *Config) validate(s *settings) {
	c.Models.validate(s)
	c.Search.validate(s)
	if c.Politeness.MaxDelay < c.Politeness.MinDelay {
		if s.isSet("CRAWL_MAX_DELAY_MS") {
			s.bad("CRAWL_MAX_DELAY_MS", "at least CRAWL_MIN_DELAY_MS")
		}
		c.Politeness.MaxDelay = c.Politeness.MinDelay
	}
	if len(s.problems) == 0 {
		if err := c.Schedule.Validate(); err != nil {
			s.problems = append(s.problems, err.Error())
		}
	}
	if err := notify.EndsIn(c.PublicURL, c.BasePath); err != nil {
		s.bad(notify.HomeSetting, err.Error())
	}
	if c.FileRoot != "" && !isFolder(c.FileRoot) {
		s.bad("FILE_ROOT", rootAllowed)
	}
	if _, err := fetch.New(c.Fetch); err != nil {
		s.fetched(err)
	}
}

func isFolder(path string) bool {
	fi, err := os.Stat(path)
	return filepath.IsAbs(path) && err == nil && fi.IsDir()
}

// version returns the normalization version. A list of trackers other than the default list gives a different url_v
// (spec 000 §2.1).
func (c *Config) version() lineage.Version {
	if c.Rules.String() == source.DefaultRules().String() {
		return lineage.Current
	}
	return lineage.Current.Under("url", c.Rules.String())
}

// Backfill holds the settings of backfills.
type Backfill struct {
	Enabled                               bool
	MaxURLs, MaxPerSource, MaxConcurrency int
	PerMinute, JobsPerMinute, MaxBacklog  int
}

func (c *Config) backfill(exempt func(host string) bool, log *slog.Logger) backfill.Options {
	b := c.Backfill
	return backfill.Options{
		Enabled: b.Enabled, Sites: c.Sites.All(), Rules: c.Rules, MaxURLs: b.MaxURLs, MaxPerSource: b.MaxPerSource,
		MaxConcurrency: b.MaxConcurrency,
		PerMinute:      b.PerMinute, JobsPerMinute: b.JobsPerMinute, MaxBacklog: b.MaxBacklog,
		Pace: c.politeness(exempt, c.Sites.Limits), Log: log,
	}
}

// readMailRoot reads the location of mbox files, and the name of their credential.
func (c *Config) readMailRoot(s *settings, name string) {
	const key = "EMAIL_IMPORT_CREDENTIAL"
	value, named := s.text(name), s.text(key)
	root, err := mailimport.ParseRoot(value, named)
	folder := root.Folder()
	switch {
	case strings.Contains(value, "?"):
		s.withhold(name, mailRootAllowed) // parts of the value may be a signature
	case err != nil || folder != "" && !isFolder(folder):
		s.bad(name, mailRootAllowed)
	}
	c.MailRoot = root
	if named == "" {
		return
	}
	if _, err := credential.Find(s.get, named); err != nil || folder != "" || value == "" {
		s.bad(key, mailKeyAllowed)
	}
}

// StatePlan describes the state of an app with these settings, for a transfer. It omits the search index and the
// records of what was indexed, because both are rebuilt from the snapshots. It also omits keys, because access is
// configured anew for each installation.
func StatePlan(cfg Config) transfer.Plan {
	items, index, hints := registry.Tables(cfg.Table)
	return transfer.Plan{
		// The tables with pointers come first, in the order in which the registry writes them.
		Tables: slices.Concat([]string{snapshot.RunsTable, snapshot.RefsTable, snapshot.CapturesTable,
			registry.FieldTable, index,
			feed.Table, items}, entries.Tables(), enrich.Tables(enrich.Schemas()),
			[]string{mailimport.Table, backfill.Table, activity.Table, keys.Table, notify.Table}),
		Admit:      cfg.layout().Admit,
		Containers: []string{snapshot.Container},
		Hints:      hints,
		Thaw: func(table string, e storage.Entity) (thawed, hint storage.Entity, hinted bool) {
			if table != items {
				return e, storage.Entity{}, false
			}
			return registry.Thaw(e)
		},
	}
}

// readProxyLogin reads the user and password for the proxy.
func (c *Config) readProxyLogin(s *settings, name string) {
	given := s.text(name)
	if given == "" {
		return
	}
	login, err := credential.ForMessages(s.get, given)
	if err != nil {
		s.wrong(name, err)
	}
	c.Fetch.Proxy.Login = login
}

// readNoProxy reads the exceptions. Other programs read the name in lower case, too.
func (c *Config) readNoProxy(s *settings, name string) {
	c.Fetch.Proxy.Except = cmp.Or(s.text(name), s.get(strings.ToLower(name)))
}

// readOthersProxy notes whether a proxy for other programs is set, by one of the names that the clients here read.
func (c *Config) readOthersProxy(s *settings, _ string) {
	names := []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"}
	c.othersProxy = slices.ContainsFunc(names, func(name string) bool { return s.get(name) != "" })
}

// Proxies says which connections use a proxy, if a proxy is set. Otherwise it returns "".
func (c Config) Proxies() string {
	switch {
	case c.Fetch.Proxy.URL != "":
		return "page fetches and messages go through EGRESS_PROXY; HTTPS_PROXY and the like are for the clients of " +
			"language models and of Azure only"
	case c.othersProxy:
		return "page fetches and messages do not use HTTPS_PROXY and the like; the clients of language models and of Azure " +
			"do. Set EGRESS_PROXY for page fetches and messages"
	}
	return ""
}

const (
	// SitesFile is the name of the site file that is read by default, if it exists. For a handler the file is next to
	// host.json, in the folder in which a Functions host runs the handler.
	SitesFile = "backfill-sites.yaml"
	// maxSites bounds the site file and the file of rules, in bytes.
	maxSites = 4 << 20
)

// readSites reads the site file. A missing file means that there are no sites, unless the settings give the file's
// name.
func (c *Config) readSites(s *settings, name string) {
	c.Sites = &site.Sites{}
	path := cmp.Or(s.text(name), SitesFile)
	data, err := readFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !s.isSet(name):
		return
	case err != nil:
		s.wrong(name, err)
		return
	}
	sites, err := site.Parse(path, data)
	if err != nil {
		s.problems = append(s.problems, err.Error())
		return
	}
	c.Sites = sites
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSites+1))
	if err == nil && len(data) > maxSites {
		err = fmt.Errorf("it has more than %d bytes", maxSites)
	}
	return data, err
}

// politeness returns the pace and the quotas of each host (E3): the limits in the site file, or else the settings for
// all hosts. Allow-listed hosts are the operator's own and have no delay, unless the site file or a setting gives
// them one. Stores of files have no delay either, because they do not serve a site's visitors. Quotas apply to
// allow-listed hosts and stores of files, too.
func (c *Config) politeness(exempt func(host string) bool,
	limits func(host string) (site.Limits, bool)) func(host string) policy.Politeness {
	return func(host string) policy.Politeness {
		is := c.current()
		p := is.Politeness
		if l, ok := limits(host); ok {
			p.MinDelay, p.MaxDelay, p.MaxConcurrent = l.MinDelay, l.MaxDelay, l.MaxConcurrent
			p.Daily.Requests = l.RequestsPerDay.Or(p.Daily.Requests)
			p.Daily.Bytes = l.BytesPerDay.Or(p.Daily.Bytes)
			p.MaxItems = int(l.MaxItems.Or(int64(p.MaxItems)))
		} else if file.IsHost(host) || !is.PolitenessSet && exempt(host) {
			p.MinDelay, p.MaxDelay, p.MaxConcurrent = 0, 0, 4
		}
		return p
	}
}

// current returns the settings that apply now.
func (c *Config) current() *Config {
	if c.live == nil {
		return c
	}
	return &c.live.now.Load().cfg
}

// readRules reads the file of rules and channels, if the setting has the name of one.
func (c *Config) readRules(s *settings, name string) {
	path := s.text(name)
	if path == "" {
		return
	}
	data, err := readFile(path)
	if err != nil {
		s.wrong(name, err)
		return
	}
	if c.RulesFile, err = notify.ParseFile(path, data); err != nil {
		s.problems = append(s.problems, err.Error())
	}
}

// readWebhookHosts reads the receivers that may have private addresses.
func (c *Config) readWebhookHosts(s *settings, name string) {
	c.WebhookHosts = words.Parts(s.text(name), ",")
	if _, err := fetch.New(fetch.Config{AllowHosts: c.WebhookHosts}); err != nil {
		s.bad(name, hostsAllowed)
	}
}
