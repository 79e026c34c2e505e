package options

import (
	"time"

	"github.com/andybalholm/cascadia"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
)

// The values of [api.Rendering].Render. By default, a program with a browser reads thin pages in it.
const (
	RenderNever  = "never"
	RenderThin   = "thin" // pages that have little text without their scripts
	RenderAlways = "always"
)

// RenderEvery returns how often a page is rendered whose plain answer stays the same; zero if that is not set.
func RenderEvery(r api.Rendering) time.Duration {
	if r.RenderInterval == "" {
		return 0
	}
	d, _ := form.Length("renderInterval", r.RenderInterval) // validated before it is stored
	return d
}

func checkRendering(r api.Rendering) error {
	if r.WaitFor == "" {
		return nil
	}
	if _, err := cascadia.ParseGroup(r.WaitFor); err != nil {
		return fault.Field("waitFor", "waitFor is not a CSS selector: %w", err)
	}
	return nil
}
