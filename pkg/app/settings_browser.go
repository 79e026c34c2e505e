package app

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

func (c *Config) readEndpoint(s *settings, name string) {
	if c.Render.Endpoint = s.text(name); c.Render.Endpoint == "" {
		return
	}
	if err := devtools.CheckEndpoint(c.Render.Endpoint); err != nil {
		s.wrong(name, err)
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
		s.wrong(name, err)
	}
}

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
