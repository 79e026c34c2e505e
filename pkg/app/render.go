package app

import (
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch/render"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

// Render says which browser renders pages, and within which bounds.
type Render struct {
	Endpoint    string // of a browser that runs elsewhere
	Program     string // of a Chromium on this machine, which is started when it is needed
	Timeout     time.Duration
	MaxRequests int
	MaxBytes    int64
	MaxMemory   int64
}

// renderMargin is the time that a page may take to be opened and read, beside its timeout.
const renderMargin = 15 * time.Second

const browserSetting, endpointSetting = "RENDER_BROWSER", "RENDER_ENDPOINT"

// renderSettings returns the settings for pages that need a browser.
func (c *Config) renderSettings() []Setting {
	r := &c.Render
	return []Setting{
		{endpointSetting, "", hidden, by(c.readEndpoint),
			"Address of a Chrome that speaks DevTools, in which pages that need it are rendered: http, https, ws or wss. It " +
				"should have a network policy: see rendering.md"},
		{browserSetting, "", shown, by(c.readBrowser),
			"Chromium on this machine that renders such pages instead: its path, or auto for the one that is found, as with " +
				"tidemark start --browser. It is started when it is needed"},
		{"RENDER_TIMEOUT_SECONDS", "30", shown, span(&r.Timeout, 5, 120, time.Second),
			"Seconds for a page in the browser, {bounds}. Then it is read as it is"},
		{"RENDER_MAX_REQUESTS", "300", shown, whole(&r.MaxRequests, 1, 5000),
			"Requests of a page in the browser, {bounds}; further ones are refused"},
		{"RENDER_MAX_BYTES", "31457280", shown, whole(&r.MaxBytes, 1<<16, 1<<30),
			"Bytes of all answers to a page in the browser, decoded, {bounds}; further ones are refused"},
		{"RENDER_MAX_MEMORY", "1073741824", shown, whole(&r.MaxMemory, 128<<20, 1<<40),
			"Bytes of memory of the browser for a page, at least {least}. It is measured for a Chromium that is started here, " +
				"on Linux; at the bound the page's scripts are stopped"},
	}
}

func (c *Config) readEndpoint(s *settings, name string) {
	if c.Render.Endpoint = s.text(name); c.Render.Endpoint == "" {
		return
	}
	if err := devtools.CheckEndpoint(c.Render.Endpoint); err != nil {
		s.bad(name, "an address such as http://chrome:9222 or wss://browser.example: "+err.Error())
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
	err := devtools.CheckProgram(devtools.InContainer())
	if err == nil && c.Render.Program == "auto" {
		c.Render.Program, err = devtools.Find()
	}
	if err != nil {
		s.bad(name, err.Error())
	}
}

// Exists reports whether there is a browser.
func (r Render) Exists() bool { return r.Endpoint != "" || r.Program != "" }

// Where describes the browser for people, without secrets.
func (r Render) Where() string {
	if r.Endpoint == "" {
		return r.Program
	}
	u, err := url.Parse(r.Endpoint)
	if err != nil {
		return endpointSetting
	}
	return fmt.Sprintf("%s://%s (%s)", u.Scheme, u.Host, endpointSetting)
}

// Renderer returns what renders pages within a configuration; nil if there is no browser.
func (c *Config) renderer(in inputs) (*render.Renderer, error) {
	r := c.Render
	if !r.Exists() {
		return nil, nil
	}
	return render.New(render.Options{
		Web: in.web, Endpoint: r.Endpoint, Program: r.Program, Where: r.Where(), Folder: filepath.Join(c.Data, "browser"),
		NoSandbox: devtools.InContainer(), Timeout: r.Timeout, MaxRequests: r.MaxRequests, MaxBytes: r.MaxBytes,
		MaxMemory: r.MaxMemory,
	})
}
