package app

import "strings"

// shownSettings returns the settings with their values, or with their defaults, for GET config. If the value of a setting may
// be a secret, Shown only reports whether the setting is set.
func shownSettings(get func(string) string) map[string]string {
	out := map[string]string{}
	for _, s := range Settings {
		if strings.Contains(s.Name, "<") || s.audience == command {
			continue // users choose these names, and the names alone may reveal something
		}
		value := get(s.Name)
		switch {
		case value == "" && s.Default != "":
			out[s.Name] = s.Default
		case value != "" && s.audience == shown:
			out[s.Name] = value
		case value != "":
			out[s.Name] = "(set)"
		}
	}
	return out
}
