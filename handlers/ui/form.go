package ui

import (
	"net/url"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/form"
)

// settingsForm is the form of the settings of an item or a tag.
type settingsForm struct {
	Form
	Tries bool            // what is watched can be tried
	Trial *api.WatchTrial // what the typed watch finds; nil before it is tried
}

// The form has one more input than settings: "every" sets both bounds of the interval.
const (
	every    = "every"
	leastKey = "interval.min"
	mostKey  = "interval.max"
)

// Every returns the value of the input for both bounds.
func (f settingsForm) Every() string {
	if typed := f.Get(every); typed != "" {
		return typed
	}
	if least := f.Get(leastKey); least == f.Get(mostKey) {
		return least
	}
	return ""
}

// Bound returns the value of the input for one bound: empty if both are the same.
func (f settingsForm) Bound(path string) string {
	if f.Every() != "" {
		return ""
	}
	return f.Get(path)
}

// InBrowser returns the inputs about a browser.
func (f settingsForm) InBrowser() []Input {
	var paths []string
	for _, one := range form.Of[api.Rendering]().Fields {
		paths = append(paths, one.Path)
	}
	return f.Inputs(paths...)
}

// changed returns what a person changed in the form.
func changed[T any](typed url.Values) (api.Patch, error) {
	if both := shortSpan(strings.TrimSpace(typed.Get(every))); both != "" {
		typed[leastKey], typed[mostKey] = []string{both}, []string{both}
	}
	return changesOf[T](typed)
}

// units are the words for units of time, and what the API has for them.
var units = map[string]string{"minute": "m", "minutes": "m", "min": "m", "hour": "h", "hours": "h", "day": "d",
	"days": "d", "week": "w", "weeks": "w"}

// shortSpan returns a span of time as the API has it, such as 15m for "every 15 minutes" and 1d for "day". It returns
// any other text as it is: the API says what is wrong with it.
func shortSpan(text string) string {
	words := strings.Fields(strings.TrimPrefix(strings.ToLower(text), "every "))
	if len(words) == 1 && units[words[0]] != "" {
		words = append([]string{"1"}, words...)
	}
	if len(words) == 2 && units[words[1]] != "" {
		return words[0] + units[words[1]]
	}
	return text
}
