package ui

import "testing"

func TestExternal(t *testing.T) {
	for raw, want := range map[string]string{
		"https://port.example/a?b=c": "https://port.example/a?b=c",
		"http://port.example":        "http://port.example",
		"javascript:alert(1)":        "",
		"JavaScript:alert(1)":        "",
		"data:text/html,x":           "",
		"//port.example":             "",
		"/etc/passwd":                "",
		"https:///nohost":            "",
		"":                           "",
	} {
		if have := external(raw); have != want {
			t.Errorf("External(%q) = %q, want %q", raw, have, want)
		}
	}
}
