package options

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/andybalholm/cascadia"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Render says whether a page is read in a browser, with its scripts, and how the browser shows it.
type Render struct {
	// Mode is RenderNever, RenderThin or RenderAlways. If it is empty, a program with a browser reads thin pages in it.
	Mode string `json:"mode,omitempty"`
	// Selector is a CSS selector. The page is read when an element matches it, or at the deadline.
	Selector string `json:"selector,omitempty"`
	// PostHosts are hosts, with their port unless it is the usual one, to which the page may send a POST. To its own site
	// it may send one anyway.
	PostHosts   []string `json:"postHosts,omitempty"`
	Viewport    string   `json:"viewport,omitempty"`    // width and height in CSS pixels; 1280x1024 when empty
	Language    string   `json:"language,omitempty"`    // such as de or de-DE,de; en when empty
	ColorScheme string   `json:"colorScheme,omitempty"` // light, the default, or dark
}

// The values of [Render].Mode.
const (
	RenderNever  = "never"
	RenderThin   = "thin" // pages that have little text without their scripts
	RenderAlways = "always"
)

// Bounds of the options of a browser.
const (
	maxPostHosts          = 10
	leastSide, mostSide   = 100, 4000
	schemeLight, darkMode = "light", "dark"
)

var languages = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*(,[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*){0,5}$`)

// Dark reports whether the page is to be shown in dark colours.
func (r *Render) Dark() bool { return r != nil && r.ColorScheme == darkMode }

// Size returns the viewport in CSS pixels; zero if none is set.
func (r *Render) Size() (width, height int) {
	if r == nil || r.Viewport == "" {
		return 0, 0
	}
	if n, err := fmt.Sscanf(r.Viewport, "%dx%d", &width, &height); n != 2 || err != nil ||
		fmt.Sprintf("%dx%d", width, height) != r.Viewport {
		return 0, 0
	}
	return width, height
}

func (r *Render) validate() error {
	if r == nil {
		return nil
	}
	if !slices.Contains([]string{"", RenderNever, RenderThin, RenderAlways}, r.Mode) {
		return fault.Field("render.mode", "render.mode must be never, thin or always, not %.20q", r.Mode)
	}
	if r.Selector != "" {
		if err := checkRule("render.selector", r.Selector); err != nil {
			return err
		}
		if _, err := cascadia.ParseGroup(r.Selector); err != nil {
			return fault.Field("render.selector", "render.selector is not a CSS selector: %w", err)
		}
	}
	if len(r.PostHosts) > maxPostHosts {
		return fault.Field("render.postHosts", "render.postHosts has %d hosts; at most %d are allowed", len(r.PostHosts),
			maxPostHosts)
	}
	for _, h := range r.PostHosts {
		if h == "" || len(h) > 260 || strings.ContainsAny(h, "/@?#*") || strings.ContainsFunc(h, unicode.IsSpace) {
			return fault.Field("render.postHosts", "render.postHosts has host names such as api.example.org, not %.60q", h)
		}
	}
	w, h := r.Size()
	if r.Viewport != "" && (min(w, h) < leastSide || max(w, h) > mostSide) {
		return fault.Field("render.viewport", "render.viewport must be like 1280x1024, each side %d to %d pixels, not %.20q",
			leastSide, mostSide, r.Viewport)
	}
	if r.Language != "" && !languages.MatchString(r.Language) {
		return fault.Field("render.language", "render.language must be like de or de-DE,de, not %.40q", r.Language)
	}
	if !slices.Contains([]string{"", schemeLight, darkMode}, r.ColorScheme) {
		return fault.Field("render.colorScheme", "render.colorScheme must be light or dark, not %.20q", r.ColorScheme)
	}
	return nil
}
