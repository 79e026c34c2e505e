package web

import "testing"

// TestN3TouchingLinks checks that links without a blank between them are lines of their own, or words of their own
// where a line cannot be divided; and that links in a sentence do not divide it (N3).
func TestN3TouchingLinks(t *testing.T) {
	for page, want := range map[string]string{
		`<div><a href=/1><span>Servers</span></a><a href=/2><span>Skills</span></a></div>`:      "Servers\nSkills",
		`<div><span><a href=/1>Servers</a></span><span><a href=/2>Skills</a></span></div>`:      "Servers\nSkills",
		`<a-list><a-card><a href=/1>Servers</a></a-card><a-card><a href=/2>Skills</a></a-card>`: "Servers\nSkills",
		`<div><a href=/1>Servers</a><!-- x --><a href=/2>Skills</a></div>`:                      "Servers\nSkills",
		`<div><a href=/1>Servers</a> <a href=/2>Skills</a></div>`:                               "Servers Skills",
		`<div><a href=/1>Servers</a>|<a href=/2>Skills</a></div>`:                               "Servers|Skills",
		`<div><a href=/1>Ser</a><a href=/1>vers</a></div>`:                                      "Servers",
		`<div><a name=x>Ser</a><a name=y>vers</a></div>`:                                        "Servers",
		`<p>Read of <a href=/1>wind</a><a href=/2>mills</a>.</p>`:                               "Read of windmills.",
		`<ul><li><a href=/1>Servers</a><a href=/2>Skills</a></ul>`:                              "- Servers Skills",
		`<h2><a href=/1>Servers</a><a href=/2>Skills</a></h2>`:                                  "Servers Skills",
		`<table><tr><th>a<th>b<tr><td><a href=/1>Servers</a><a href=/2>Skills</a><td>c</table>`: "| a | b |\n| --- | --- |\n| Servers Skills | c |",
	} {
		if have := extractString(t, "<main>"+page+"</main>").Text; have != want {
			t.Errorf("%s: %q, want %q", page, have, want)
		}
	}
}
