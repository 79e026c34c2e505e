package app

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/notify"
	policy "github.com/tidemark/tidemark/pkg/policy/host"
)

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
		s.problems = append(s.problems, fmt.Sprintf("%s=%q: allowed is a file that can be read: %v", name, path, err))
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
		p := c.Politeness
		if l, ok := limits(host); ok {
			p.MinDelay, p.MaxDelay, p.MaxConcurrent = l.MinDelay, l.MaxDelay, l.MaxConcurrent
			p.Daily.Requests = l.RequestsPerDay.Or(p.Daily.Requests)
			p.Daily.Bytes = l.BytesPerDay.Or(p.Daily.Bytes)
			p.MaxItems = int(l.MaxItems.Or(int64(p.MaxItems)))
		} else if file.IsHost(host) || !c.PolitenessSet && exempt(host) {
			p.MinDelay, p.MaxDelay, p.MaxConcurrent = 0, 0, 4
		}
		return p
	}
}

// readRules reads the file of rules and channels, if the setting has the name of one.
func (c *Config) readRules(s *settings, name string) {
	path := s.text(name)
	if path == "" {
		return
	}
	data, err := readFile(path)
	if err != nil {
		s.bad(name, "a file that can be read: "+err.Error())
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
		s.problems = append(s.problems, name+"="+err.Error())
	}
}
