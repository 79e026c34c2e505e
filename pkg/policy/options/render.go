package options

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/andybalholm/cascadia"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Rendering says whether a page is read in a browser, with its scripts, and how the browser shows it. Each of the
// fields is a setting of its own.
type Rendering struct {
	// Render is RenderNever, RenderThin or RenderAlways. If it is empty, a program with a browser reads thin pages in it.
	Render string `json:"render,omitempty"`
	// RenderInterval is how often a page is rendered whose plain answer stays the same; what is learned of the page
	// decides when empty.
	RenderInterval string `json:"renderInterval,omitempty"`
	// WaitFor is a CSS selector. The page is read when an element matches it, or at the deadline.
	WaitFor        string `json:"waitFor,omitempty"`
	Viewport       string `json:"viewport,omitempty"`       // width and height in CSS pixels; 1280x1024 when empty
	AcceptLanguage string `json:"acceptLanguage,omitempty"` // such as de or de-DE,de; en when empty
	ColorScheme    string `json:"colorScheme,omitempty"`    // light, the default, or dark
	// PostHosts are hosts, with their port unless it is the usual one, to which the page may send a POST. To its own site
	// it may send one anyway.
	PostHosts []string `json:"postHosts,omitempty"`
}

// The values of [Rendering].Render.
const (
	RenderNever  = "never"
	RenderThin   = "thin" // pages that have little text without their scripts
	RenderAlways = "always"
)

// Bounds of the options of a browser.
const (
	maxPostHosts        = 10
	leastSide, mostSide = 100, 4000
	light, dark         = "light", "dark"
)

// renderFields are the names of the fields of a [Rendering] in the API.
var renderFields = []string{"render", "renderInterval", "waitFor", "viewport", "acceptLanguage", "colorScheme",
	"postHosts"}

// texts returns the fields of renderFields that are texts, in the same order.
func (r *Rendering) texts() []*string {
	return []*string{&r.Render, &r.RenderInterval, &r.WaitFor, &r.Viewport, &r.AcceptLanguage, &r.ColorScheme}
}

// fill sets the fields that are not set yet to those of another, and calls set with the name of each.
func (r *Rendering) fill(o Rendering, set func(field string)) {
	values := o.texts()
	for i, field := range r.texts() {
		if *field == "" && *values[i] != "" {
			*field = *values[i]
			set(renderFields[i])
		}
	}
	if len(r.PostHosts) == 0 && len(o.PostHosts) > 0 {
		r.PostHosts = o.PostHosts
		set("postHosts")
	}
}

// cleared returns the settings without the given fields.
func (r Rendering) cleared(fields []string) Rendering {
	for i, field := range r.texts() {
		if slices.Contains(fields, renderFields[i]) {
			*field = ""
		}
	}
	if slices.Contains(fields, "postHosts") {
		r.PostHosts = nil
	}
	return r
}

// Dark reports whether the page is to be shown in dark colours.
func (r Rendering) Dark() bool { return r.ColorScheme == dark }

// Every returns how often a page is rendered whose plain answer stays the same; zero if that is not set.
func (r Rendering) Every() time.Duration {
	if r.RenderInterval == "" {
		return 0
	}
	d, _ := Length("renderInterval", r.RenderInterval) // validated before it is stored
	return d
}

// Size returns the viewport in CSS pixels; zero if none is set.
func (r Rendering) Size() (width, height int) {
	if n, err := fmt.Sscanf(r.Viewport, "%dx%d", &width, &height); n != 2 || err != nil ||
		fmt.Sprintf("%dx%d", width, height) != r.Viewport {
		return 0, 0
	}
	return width, height
}

var languages = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*(,[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*){0,5}$`)

func (r Rendering) validate() error {
	if !slices.Contains([]string{"", RenderNever, RenderThin, RenderAlways}, r.Render) {
		return fault.Field("render", "render must be never, thin or always, not %.20q", r.Render)
	}
	if r.RenderInterval != "" {
		if _, err := Length("renderInterval", r.RenderInterval); err != nil {
			return err
		}
	}
	if r.WaitFor != "" {
		if err := checkRule("waitFor", r.WaitFor); err != nil {
			return err
		}
		if _, err := cascadia.ParseGroup(r.WaitFor); err != nil {
			return fault.Field("waitFor", "waitFor is not a CSS selector: %w", err)
		}
	}
	w, h := r.Size()
	if r.Viewport != "" && (min(w, h) < leastSide || max(w, h) > mostSide) {
		return fault.Field("viewport", "viewport must be like 1280x1024, each side %d to %d pixels, not %.20q", leastSide,
			mostSide, r.Viewport)
	}
	if r.AcceptLanguage != "" && !languages.MatchString(r.AcceptLanguage) {
		return fault.Field("acceptLanguage", "acceptLanguage must be like de or de-DE,de, not %.40q", r.AcceptLanguage)
	}
	if !slices.Contains([]string{"", light, dark}, r.ColorScheme) {
		return fault.Field("colorScheme", "colorScheme must be light or dark, not %.20q", r.ColorScheme)
	}
	return checkHosts(r.PostHosts)
}

func checkHosts(hosts []string) error {
	if len(hosts) > maxPostHosts {
		return fault.Field("postHosts", "postHosts has %d hosts; at most %d are allowed", len(hosts), maxPostHosts)
	}
	for _, h := range hosts {
		if h == "" || len(h) > 260 || strings.ContainsAny(h, "/@?#*") || strings.ContainsFunc(h, unicode.IsSpace) {
			return fault.Field("postHosts", "postHosts has names of hosts such as api.example.org, not %.60q", h)
		}
	}
	return nil
}
