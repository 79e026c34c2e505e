package local

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/fetch"
	"github.com/tidemark/tidemark/pkg/fetch/render"
)

// trialPage has its text by a script.
const trialPage = `<!doctype html><title>Trial</title><p id=text></p>
<script>text.textContent = "a " + "script ran"</script>`

// browser checks whether the browser that is set up renders a page, which no request to the web is needed for.
func (d *doctor) browser(ctx context.Context) {
	if d.bad || !d.cfg.Render.Exists() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	out, err := d.render(ctx)
	switch where := d.cfg.Render.Where(); {
	case err != nil:
		d.report("browser", problem, "see `tidemark docs rendering`; pages that need a browser wait until it can be used",
			"%s: %v", where, err)
	case !strings.Contains(string(out.HTML), "a script ran"):
		d.report("browser", problem, "use another browser, or unset its setting", "%s: %s ran no script", where, out.Browser)
	default:
		d.report("browser", fine, "", "%s, at %s, rendered a page in %s", out.Browser, where,
			out.Elapsed.Round(time.Millisecond))
	}
}

// render renders the trial page, in a Chromium of its own if that is started here.
func (d *doctor) render(ctx context.Context) (out render.Rendered, err error) {
	web, err := fetch.New(d.cfg.Fetch)
	if err != nil {
		return out, err
	}
	defer web.Close()
	r, err := d.cfg.Render.Renderer(web, "")
	if err != nil {
		return out, err
	}
	defer r.Close()
	return r.Render(ctx, render.Page{URL: "http://trial.invalid/", Plain: &fetch.Response{Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(trialPage), FinalURL: "http://trial.invalid/"}})
}
