package app

import (
	"cmp"
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
	// maxSites bounds the site file and the file of rules, in bytes.
	maxSites = 4 << 20
)

// readSites reads the site file. A missing file means no sites, unless the settings name it.
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
