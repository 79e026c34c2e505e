package app

import (
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/telemetry"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/keys"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/run/mailimport"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
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
	Cloud bool
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

// version returns the normalization version. A list of trackers other than the default list gives a different url_v
// (spec 000 §2.1).
func (c *Config) version() lineage.Version {
	if c.Rules.String() == source.DefaultRules().String() {
		return lineage.Current
	}
	return lineage.Current.Under("url", c.Rules.String())
}
