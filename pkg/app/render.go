package app

import (
	"fmt"
	"net/url"
	"path/filepath"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
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

// The settings that say which browser there is.
const browserSetting, endpointSetting = "RENDER_BROWSER", "RENDER_ENDPOINT"

// maxRender is the longest timeout of a page, in seconds. With renderMargin it is shorter than what a job has from when
// it locks its items: a longer one could never begin.
const maxRender = 60

// renderMargin is the time that a page may take to be opened and read, beside its timeout.
const renderMargin = 15 * time.Second

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
		Web: web, Endpoint: r.Endpoint, Program: r.Program, Where: r.Where(), Folder: folder,
		NoSandbox: devtools.InContainer(), Timeout: r.Timeout, MaxRequests: r.MaxRequests, MaxBytes: r.MaxBytes,
		MaxMemory: r.MaxMemory,
	})
}
