package items

import (
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/handlers/ui/show"
	"github.com/tidemark/tidemark/pkg/api"
)

// A renderingFact is a setting of a browser: its name in the API and in the form, its name for people, and its value.
type renderingFact struct {
	Field, Name string
	text        *string // of a setting that is a text
}

// renderingTexts returns the settings of a browser that are texts.
func renderingTexts(r *api.Rendering) []renderingFact {
	return []renderingFact{
		{"render", "Read in a browser", &r.Render}, {"renderInterval", "Rendered every", &r.RenderInterval},
		{"waitFor", "Waits for", &r.WaitFor}, {"viewport", "Window", &r.Viewport},
		{"acceptLanguage", "Language asked for", &r.AcceptLanguage}, {"colorScheme", "Colours", &r.ColorScheme},
	}
}

// postHosts is the setting of a browser that is a list.
const postHosts = "postHosts"

// renderWords say which pages are read in a browser.
var renderWords = map[string]string{"never": "never", "thin": "if it has little text without its scripts",
	"always": "at each check"}

// renderingOf reads the settings of a browser from the form.
func renderingOf(f url.Values) (r api.Rendering) {
	for _, t := range renderingTexts(&r) {
		*t.text = strings.TrimSpace(f.Get(t.Field))
	}
	r.PostHosts = frame.Lines(f.Get(postHosts))
	return r
}

// setRendering sets the fields of the form to settings of a browser.
func setRendering(f url.Values, r api.Rendering) {
	for _, t := range renderingTexts(&r) {
		f.Set(t.Field, *t.text)
	}
	f.Set(postHosts, strings.Join(r.PostHosts, "\n"))
}

// unsetRendering returns the names of the settings of a browser that are not set.
func unsetRendering(r api.Rendering) (out []string) {
	for _, t := range renderingTexts(&r) {
		if *t.text == "" {
			out = append(out, t.Field)
		}
	}
	if len(r.PostHosts) == 0 {
		out = append(out, postHosts)
	}
	return out
}

// Renders returns the choices for when a page is read in a browser.
func (form) Renders() []show.Choice {
	return show.Choices("", "not set", "never", "never", "thin", "if it has little text without its scripts",
		"always", "always")
}

// Colours returns the choices for the colours that a browser asks for.
func (form) Colours() []show.Choice {
	return show.Choices("", "not set", "light", "light", "dark", "dark")
}
