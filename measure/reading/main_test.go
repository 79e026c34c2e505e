package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDraw checks that a seed draws the same texts again, each once, and that both kinds are there to draw from.
func TestDraw(t *testing.T) {
	all, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(all.comments) < 1000 || len(all.sentences) < 200 {
		t.Fatalf("only %d comments and %d sentences were found", len(all.comments), len(all.sentences))
	}
	first := draw(rand.New(rand.NewPCG(trialSeed, 0)), slices.Clone(all.comments), trialComments)
	again := draw(rand.New(rand.NewPCG(trialSeed, 0)), slices.Clone(all.comments), trialComments)
	if len(first) != trialComments || !slices.Equal(first, again) {
		t.Errorf("one seed drew %d and %d texts, or different ones", len(first), len(again))
	}
	other := draw(rand.New(rand.NewPCG(trialSeed+1, 0)), slices.Clone(all.comments), trialComments)
	if slices.Equal(first, other) {
		t.Error("another seed drew the same texts")
	}
}

func TestSentencesOf(t *testing.T) {
	const text = "One two three four five six seven eight. Short. Nine words stand in this sentence, all of them plain"
	want := []string{"f\nOne two three four five six seven eight.",
		"f\nNine words stand in this sentence, all of them plain"}
	if have := sentencesOf("f", text); !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

func TestTemplateSentences(t *testing.T) {
	for name, c := range map[string]struct{ template, want string }{
		"inline tags and conditions": {
			`<p>{{if .On}}Pages of <b>this</b> site are <a href="{{.Link "/x"}}">read again</a>, one by one.{{end}}</p>`,
			"Pages of this site are read again, one by one."},
		"a heading": {`<h2>What stays</h2><p>All the settings of tags stay as they are.</p>`,
			"All the settings of tags stay as they are."},
		"a value":          {`<p>The site is being read: {{.Found}} pages so far, of which some are new.</p>`, ""},
		"a value in bold":  {`<p>These are all items of the host <b>{{.Host}}</b> and its pages.</p>`, ""},
		"another template": {`<p>The last poll of this site ended {{template "when" .At}} and found new pages.</p>`, ""},
		"alternatives":     {`<p>The pages of this host {{if .One}}was{{else}}were{{end}} all added by hand.</p>`, ""},
		"a variable": {`<p>{{$x := .Y}}A tag is a label on items that you choose.</p>`,
			"A tag is a label on items that you choose."},
		"navigation": {`<nav><a>First page</a> <a>Previous page</a> <a>Next page</a> <a>Last page</a></nav>`, ""},
		"columns": {
			`<tr><th>Host</th><th>Due</th><th>In flight</th><th>Changed</th><th>Failed pages</th><th>All</th></tr>`, ""},
	} {
		var want []string
		if c.want != "" {
			want = []string{"f\n" + c.want}
		}
		if have := templateSentences("f", c.template); !slices.Equal(have, want) {
			t.Errorf("%s: have %q, want %q", name, have, want)
		}
	}
}
