package app

import (
	"strings"
)

// Shown are the settings with their values, or defaults, as GET config shows them. Of what may hold a
// secret it is only told that it is set.
func Shown(get func(string) string) map[string]string {
	out := map[string]string{}
	for _, s := range Settings {
		if strings.Contains(s.Name, "<") || s.audience == command {
			continue // the first are named by users, and the names alone tell what there is
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
