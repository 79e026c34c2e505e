package app

import (
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/run/sitepoll"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Version is Tidemark's version, also what it tells sites about itself.
const Version = "0.1.0"

// Config is every setting, checked. See [Settings] for their meaning.
type Config struct {
	Table    string
	Strategy source.Strategy
	Rules    source.Rules
	Schedule schedule.Config
	// KeepChanges is how long the feed keeps changes.
	KeepChanges time.Duration
	// Politeness is the pace and the quotas of a host of which nothing else is said.
	Politeness registry.Politeness
	// PolitenessSet tells whether anything of the pace was set, so that allow-listed hosts follow it.
	PolitenessSet bool
	Backfill      Backfill
	// SentinelPerDay is SENTINEL_MAX_PER_DAY, 0 for no looks at sites.
	SentinelPerDay int
	// Sites are those of the site file, never nil.
	Sites *site.Sites

	RulesFile    notify.File // rules and channels that are kept in a file
	WebhookHosts []string    // receivers that may have private addresses
	Fetch        fetch.Config
	Retention    snapshot.Retention
	KeepGone     bool
	Soft404      bool
	// ReindexOnCanonical is FORCE_REINDEX_ON_CANONICAL_CHANGE.
	ReindexOnCanonical bool
	FileRoot           string
	MailRoot           mailimport.Root
	Data               string
	// Memory is what the process and the readers of documents that it starts may use.
	Memory memory.Share
	Models Models
	Search SearchService
	// Keys are those of API_KEYS; KeysFile is the file with more, and KeysNeeded says that each request needs one.
	Keys       []keys.Key
	KeysFile   string
	KeysNeeded bool
	// Cloud tells that the app runs in Azure, where an index on this disk would be one instance's.
	Cloud bool
	// Metrics are no setting but what is counted into; [Assemble] makes some when nil.
	Metrics *telemetry.Metrics
}

// Load reads the settings through get, which returns "" for what is not set. Every bad value is
// in the error, with its name, the value unless it is a secret, and what is allowed. Credentials have names
// of their own: those among set, the names of whatever is set, are checked.
func Load(get func(string) string, set ...string) (Config, error) {
	s := &settings{get: get}
	base := schedule.Defaults()
	c := Config{
		Table: s.match("REGISTRY_TABLE_NAME", registry.DefaultTable, `^[A-Za-z][A-Za-z0-9]{2,57}$`,
			"3 to 58 letters and digits, a letter first"),
		Schedule: schedule.Config{
			Base:           s.seconds("CRAWL_BASE_INTERVAL_SECONDS", base.Base, time.Second, maxSeconds),
			Max:            s.seconds("CRAWL_MAX_INTERVAL_SECONDS", base.Max, time.Second, maxSeconds),
			ErrorBase:      s.seconds("CRAWL_ERROR_BACKOFF_BASE", base.ErrorBase, time.Second, maxSeconds),
			UnchangedSteps: s.number("CRAWL_UNCHANGED_STEPS", base.UnchangedSteps, 1, 1000),
			GoneAfter:      s.number("CRAWL_GONE_AFTER", base.GoneAfter, 1, 1000),
			GoneShare:      s.share("CRAWL_GONE_SHARE", base.GoneShare),
			PurgeGone:      s.duration("CRAWL_PURGE_GONE_DAYS", 0, 0, maxSeconds, 24*time.Hour),
		},
		Politeness: registry.Politeness{
			MinDelay:      s.milliseconds("CRAWL_MIN_DELAY_MS", time.Second, 0, time.Hour),
			MaxDelay:      s.milliseconds("CRAWL_MAX_DELAY_MS", 2*time.Second, 0, time.Hour),
			MaxConcurrent: s.number("CRAWL_MAX_CONCURRENT", 1, 1, 64),
			Daily:         s.budget("LIMIT_REQUESTS_PER_HOST_PER_DAY", "LIMIT_BYTES_PER_HOST_PER_DAY"),
			Total:         s.budget("LIMIT_REQUESTS_PER_DAY", "LIMIT_BYTES_PER_DAY"),
			MaxItems:      s.number("LIMIT_ITEMS_PER_HOST", 0, 0, site.MaxRequests),
		},
		KeepChanges:   s.duration("CHANGES_KEEP_DAYS", 90*24*time.Hour, 24*time.Hour, maxSeconds, 24*time.Hour),
		PolitenessSet: s.isSet("CRAWL_MIN_DELAY_MS", "CRAWL_MAX_DELAY_MS", "CRAWL_MAX_CONCURRENT"),
		Fetch: fetch.Config{
			UserAgent:    s.text("CRAWL_USER_AGENT", "Tidemark/"+Version),
			Contact:      s.text("CRAWL_CONTACT", ""),
			AllowHosts:   s.list("CRAWL_ALLOW_HOSTS", nil),
			MaxBytes:     int64(s.number("CRAWL_MAX_BYTES", fetch.DefaultMaxBytes, 1024, 1<<30)),
			Timeout:      s.seconds("CRAWL_TIMEOUT_SECONDS", fetch.DefaultTimeout, time.Second, 30*time.Second),
			MaxRedirects: s.number("CRAWL_MAX_REDIRECTS", fetch.DefaultMaxRedirects, 0, 20),
		},
		Retention: snapshot.Retention{
			Age:   24 * time.Hour * time.Duration(s.number("SNAPSHOT_KEEP_DAYS", 0, 0, 36500)),
			Count: s.number("SNAPSHOT_KEEP_COUNT", 0, 0, 1_000_000),
			Bytes: int64(s.number("SNAPSHOT_KEEP_BYTES", 0, 0, site.MaxQuota)),
		},
		KeepGone: !s.flag("CRAWL_REMOVE_GONE", true),
		Soft404:  s.flag("CRAWL_SOFT_404", true),
		Data:     s.text("TIDEMARK_DATA", defaultData),
		Memory:   memory.Of(int64(s.number("MEMORY_LIMIT_MB", 0, 256, 1<<20)) << 20),
		FileRoot: s.text("FILE_ROOT", ""),
		Models:   s.models(),
		Search:   s.searchService(),
		Sites:    s.sites(),

		RulesFile: s.rulesFile(), WebhookHosts: s.webhookHosts(),

		Backfill: s.backfill(),

		KeysFile:   s.text("API_KEYS_FILE", ""),
		KeysNeeded: s.flag("API_KEYS_REQUIRED", false),

		SentinelPerDay: s.number("SENTINEL_MAX_PER_DAY", sitepoll.DefaultPerDay, 0, 5000),
		Cloud:          inCloud(get),

		ReindexOnCanonical: s.flag("FORCE_REINDEX_ON_CANONICAL_CHANGE", true),
	}
	if c.Fetch.MaxRedirects == 0 {
		c.Fetch.MaxRedirects = -1 // fetch's word for none
	}
	c.Strategy = check(s, "REGISTRY_PARTITION_STRATEGY", string(source.ByHost), "host or scheme", source.ParseStrategy)
	c.Rules = check(s, "TRACKING_PARAM_PREFIXES", "utm_, gclid, fbclid, msclkid", trackersAllowed, ParseTracking)
	c.MailRoot = s.mailRoot()
	c.Keys = s.keys()
	c.validate(s)
	s.credentials(set)
	return c, s.err()
}

// trackersAllowed is what [source.NewRules] takes, in words.
const trackersAllowed = "at most 256 names such as gclid or beginnings such as utm_, separated by commas, " +
	"each of up to 64 printable ASCII characters without & = # % + *"

const defaultData = ".tidemark"

const maxSeconds = 10 * 365 * 24 * time.Hour

// ParseTracking reads TRACKING_PARAM_PREFIXES: entries between commas, empty ones passed over.
func ParseTracking(list string) (source.Rules, error) { return source.NewRules(split(list)) }

// validate checks settings against each other.
func (c *Config) validate(s *settings) {
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
	if c.FileRoot != "" && !isFolder(c.FileRoot) {
		s.bad("FILE_ROOT", "the absolute path of a folder that exists")
	}
	if _, err := fetch.New(c.Fetch); err != nil {
		s.problems = append(s.problems, fetchSetting(err))
	}
}

func isFolder(path string) bool {
	fi, err := os.Stat(path)
	return filepath.IsAbs(path) && err == nil && fi.IsDir()
}

// version is that of the rules of normalization. Another list of trackers than the usual one is another url_v
// (spec 000 §2.1).
func (c *Config) version() lineage.Version {
	if c.Rules.String() == source.DefaultRules().String() {
		return lineage.Current
	}
	return lineage.Current.Under("url", c.Rules.String())
}
