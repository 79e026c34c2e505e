package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/registry"
)

const (
	// SitesFile is the site file that is read without being named, if it is there. A handler's is
	// beside its host.json, in the folder that a Functions host runs it in.
	SitesFile = "backfill-sites.yaml"
	// maxSites bounds the site file, in bytes.
	maxSites = 4 << 20
)

// sites reads the site file. A missing one is none, unless it was asked for.
func (s *settings) sites() *site.Sites {
	name := s.text("BACKFILL_SITES_FILE", SitesFile)
	data, err := readSites(name)
	if errors.Is(err, fs.ErrNotExist) && !s.isSet("BACKFILL_SITES_FILE") {
		return &site.Sites{}
	}
	if err != nil {
		s.problems = append(s.problems,
			fmt.Sprintf("BACKFILL_SITES_FILE=%q: allowed is a file that can be read: %v", name, err))
		return &site.Sites{}
	}
	sites, err := site.Parse(name, data)
	if err != nil {
		s.problems = append(s.problems, err.Error())
		return &site.Sites{}
	}
	return sites
}

func readSites(name string) ([]byte, error) {
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

// politeness gives each host its pace and its quotas (E3): the limits that the site file has for it, else
// what is set for all. Allow-listed hosts are the operator's own, and are not held back unless either says so.
// Nor are stores of files, which no site's visitors share. Quotas are for them, too.
func (c *Config) politeness(exempt func(host string) bool,
	limits func(host string) (site.Limits, bool)) func(host string) registry.Politeness {
	return func(host string) registry.Politeness {
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
