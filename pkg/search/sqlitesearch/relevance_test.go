package sqlitesearch

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/search"
)

// pageAt returns a documentation page; each chunk is its heading path, a vertical bar and its text.
func pageAt(path, title string, chunks ...string) search.Page {
	p := search.Page{ID: strings.NewReplacer("/", "-", ".", "-").Replace(path), URL: "https://docs.example/" + path,
		Host: "docs.example", Title: title, Language: "en"}
	for i, c := range chunks {
		heading, text, _ := strings.Cut(c, "|")
		p.Chunks = append(p.Chunks, search.Chunk{Key: fmt.Sprint(i), UID: fmt.Sprint(i), Heading: heading, Text: text})
	}
	return p
}

// documented is an index of a small documentation.
func documented(t *testing.T) *Index {
	ix := created(t, filepath.Join(t.TempDir(), "search.db"))
	put(t, ix,
		pageAt("path.html", "os.path — Common pathname manipulations",
			"Functions|os.path.join(path, *paths)\n: Join one or more path segments intelligently.",
			"Functions|os.path.split(path)\n: Split the pathname path into a pair, head and tail."),
		pageAt("faq.html", "Programming FAQ", "Files|Call os.path.join(a, b), or os.path.join(a, os.path.join(b, c))."),
		pageAt("whatsnew/3.9.html", "What’s New In 3.9",
			"Paths|os.path.join(path)\n: os.path.join is better. str.removeprefix and os.path.join are new."),
		pageAt("model.html", "Data model",
			"Special methods|object.__init__(self)\n: Called after the instance has been created, to init it.",
			"Special methods|object.__getattr__(self, name)\n: Called when an attribute is not found."),
		pageAt("once.html", "Constants", "Values|INIT\n: The init of a cell. Init it with init."),
		pageAt("vec.html", "Struct std::vec::Vec", "pub fn push(&mut self, value: T)|Appends an element to the back.",
			"pub fn pop(&mut self)|Removes the last element of the vector."),
		pageAt("nomicon.html", "Exception safety", "Vec|In vec push and push again, Vec::push is a safe function."),
		pageAt("elision.html", "Lifetime elision", "Rules|Rust has rules for what may be left out."),
		pageAt("lifetimes.html", "Validating references", "Lifetimes|Lifetime elision is elision of a lifetime."),
		pageAt("asyncio.html", "asyncio — Asynchronous I/O", "Use|The asyncio event loop runs tasks."),
		pageAt("email.html", "Messages", "Use|How an e-mail is sent by a hashmap of addresses."),
	)
	return ix
}

// TestJ2Ranking checks that a page that defines a term precedes pages that mention it, that a page with that title
// comes first, and that symbols are found as written and by their parts.
func TestJ2Ranking(t *testing.T) {
	ix := documented(t)
	for query, want := range map[string]string{
		"os.path.join":                      "path-html",
		"how to join paths with os.path":    "path-html",
		"__init__":                          "model-html",
		"__getattr__":                       "model-html",
		"Vec::push":                         "vec-html",
		"lifetime elision":                  "elision-html",
		"what is the lifetime elision for?": "elision-html",
		"asyncio":                           "asyncio-html",
	} {
		res, err := ix.Search(t.Context(), search.Query{Text: query, Top: 3})
		if err != nil || len(res.Results) == 0 || res.Results[0].ID != want {
			t.Errorf("%s: %+v (%v), want %s first", query, res.Results, err, want)
		}
	}
	res, err := ix.Search(t.Context(), search.Query{Text: "os.path.join", Top: 3})
	if err != nil || len(res.Results) != 3 || res.Results[2].ID != "whatsnew-3-9-html" {
		t.Errorf("%+v (%v): what is new comes last", res.Results, err)
	}
}

// TestJ2Definitions checks that a glossary entry in another form defines a name, that a heading that ends with the
// name does not, and that "vs" is not searched.
func TestJ2Definitions(t *testing.T) {
	ix := created(t, filepath.Join(t.TempDir(), "search.db"))
	put(t, ix,
		pageAt("model.html", "Data model",
			"Special methods|object.__init__(self)\n: Called after the instance has been created."),
		pageAt("dataclasses.html", "Data classes", "How fields become keyword-only parameters of __init__()|What is made."),
		pageAt("glossary.html", "Words", "Terms|decorator\n\nA function that returns another one."),
		pageAt("patches.html", "Patches", "Use|A patch may have decorators."),
		pageAt("loops.html", "Loops vs. iterators", "Use|Loops vs. iterators: are bytes faster than text?"),
		pageAt("text.html", "Text and bytes", "Use|Text is a sequence of characters, bytes are numbers."),
	)
	for query, want := range map[string]string{
		"__init__": "model-html", "decorators": "glossary-html", "text vs bytes": "text-html",
	} {
		res, err := ix.Search(t.Context(), search.Query{Text: query, Top: 3})
		if err != nil || len(res.Results) == 0 || res.Results[0].ID != want {
			t.Errorf("%s: %+v (%v), want %s first", query, res.Results, err, want)
		}
	}
}

// TestJ3Forgiving checks that misspelt queries are corrected and the answer says so, and that correct queries are
// not.
func TestJ3Forgiving(t *testing.T) {
	ix := documented(t)
	for _, tc := range []struct{ query, want, meant string }{
		{"asyncoi", "asyncio-html", "asyncio"},
		{"Asynico loop", "asyncio-html", "asyncio loop"},
		{"asyncio", "asyncio-html", ""},
		{"lifetime elsion", "elision-html", "lifetime elision"},
		{"email", "email-html", ""},
		{"e-mail", "email-html", ""},
		{"hash map", "email-html", ""},
		{`"asyncoi"`, "", ""},
		{"zzzzzzzz", "", ""},
	} {
		res, err := ix.Search(t.Context(), search.Query{Text: tc.query, Top: 3})
		if err != nil {
			t.Fatal(err)
		}
		have := ""
		if len(res.Results) > 0 {
			have = res.Results[0].ID
		}
		if have != tc.want || res.DidYouMean != tc.meant {
			t.Errorf("%s: %s, meant %q, want %s, %q", tc.query, have, res.DidYouMean, tc.want, tc.meant)
		}
	}
}

// TestJ4PassagesShowWhatWasAsked checks that the definition is shown with its heading path, and that insignificant
// words are not highlighted.
func TestJ4PassagesShowWhatWasAsked(t *testing.T) {
	ix := documented(t)
	mentions := strings.Repeat("Use harbour.open as you please, for harbour.open is good. ", 12)
	put(t, ix, search.Page{ID: "def", Title: "Harbours", Language: "en", Chunks: []search.Chunk{{Key: "a", UID: "a",
		Heading: "Module › Functions", Text: mentions + "\n\nharbour.open(name)\n: Opens the harbour to all ships."}}})
	res, err := ix.Search(t.Context(), search.Query{Text: "how to use the harbour.open", Top: 3})
	if err != nil || len(res.Results) == 0 || res.Results[0].ID != "def" {
		t.Fatalf("%+v, %v", res, err)
	}
	p := res.Results[0].Passages[0]
	if !strings.HasPrefix(p.Text, "harbour.open(name)\n: Opens the harbour") || p.Heading != "Module › Functions" {
		t.Errorf("%q below %q", p.Text, p.Heading)
	}
	for _, h := range p.Highlights {
		if marked := p.Text[h.From:h.To]; marked != "harbour.open" {
			t.Errorf("%q is marked", marked)
		}
	}
}

// TestJ4PassageBeginsWithTheDefinition also checks a text that uses the term after defining it. A chunk with only
// parts of the name is not shown.
func TestJ4PassageBeginsWithTheDefinition(t *testing.T) {
	ix := created(t, filepath.Join(t.TempDir(), "search.db"))
	const defined = "harbour.open(name)\n: Opens the harbour to all ships"
	put(t, ix, pageAt("a.html", "Harbours", "Functions|"+defined+strings.Repeat(", small and large", 30)+
		". Note that harbour.open(1) opens none.", "Use|A harbour may be closed or open, whatever harbour that is."))
	res, err := ix.Search(t.Context(), search.Query{Text: "harbour.open", Top: 3})
	if err != nil || len(res.Results) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if p := res.Results[0].Passages; !strings.HasPrefix(p[0].Text, defined) || len(p) > 1 {
		t.Errorf("%+v", p)
	}
}

// TestJ5SuggestionsSaySomething checks that function words are not suggested.
func TestJ5SuggestionsSaySomething(t *testing.T) {
	have, err := documented(t).Suggest(t.Context(), "ha")
	if err != nil || !slices.Contains(have, "hashmap") || slices.Contains(have, "has") {
		t.Errorf("%q (%v)", have, err)
	}
}
