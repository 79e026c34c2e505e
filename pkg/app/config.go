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
	Memory   memory.Share
	memoryMB int
	Models   Models
	Search   SearchService
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
		c.Fetch.MaxRedirects = -1 // fetch's word for none
	}
	c.validate(s)
	s.credentials(set)
	return c, s.err()
}

// ParseTracking reads TRACKING_PARAM_PREFIXES: entries between commas, empty ones passed over.
func ParseTracking(list string) (source.Rules, error) { return source.NewRules(split(list)) }

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
