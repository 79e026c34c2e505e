package main

import (
	"strings"
	"testing"
)

// TestR3RenderedIsShown checks that what a browser showed of a page is shown: why it was rendered, what that cost, what
// was refused, and what may be missing (R3).
func TestR3RenderedIsShown(t *testing.T) {
	const head = `{"id":"url_a","type":"url","status":"Indexed","normalizedSource":"https://a.example/",`
	const known = "\nid             url_a\nkind           page\nsource         https://a.example/\n" +
		"status         Indexed\n"
	const cost = "requests       1\nloaded         9 bytes\ntook           0.1 s\n"
	rendered := head + `"rendered":{"at":"2026-03-01T11:00:00Z","why":"without its scripts it has little text: \u001b[1m",
		"missing":"something may be missing: it met a bound (time)","url":"https://a.example/start","pictureOnly":true,
		"bounds":["time"],"refused":[{"reason":"robots","count":3,"host":"cdn.example"},{"reason":"beacon","count":1},
		{"reason":"novel","count":1,"host":"b.example"}],"requests":12,"bytes":1234567,"millis":4210,
		"browser":"HeadlessChrome/156","dataChanges":true},
		"effective":{"render":"thin","waitFor":"#prices","postHosts":["api.example","b.example"],"colorScheme":"dark",
		"from":{"render":"default","waitFor":"item","postHosts":"tag shop","colorScheme":"item"}},
		"captures":[{"capturedAt":"2026-03-01T11:00:00Z","sha256":"0123456789abcdef",
		"plainSha256":"fedcba9876543210","bytes":9,"mimeType":"text/html"}]}`
	performAll(t, []script{
		{name: "rendered", args: []string{"show", "url_a"}, answers: []answered{{200, rendered}}, out: known +
			"rendered       2026-03-01 11:00:00Z (1 hour ago)\n" +
			"because        without its scripts it has little text: \ufffd[1m\n" +
			"may be missing it met a bound (time)\n" +
			"its scripts led to https://a.example/start\n" +
			"picture        it shows a picture, and hardly any text\nbounds reached time\n" +
			"refused requests robots.txt: 3 (the first: cdn.example); reports of use: 1; novel: 1 (b.example)\n" +
			"requests       12\nloaded         1.2 MiB\ntook           4.2 s\nbrowser        HeadlessChrome/156\n" +
			"data           changes while its own HTML stays the same, so each check renders it\n" +
			"waits for      #prices\ncolours        dark\nmay send a POST to api.example, b.example (tag shop)\n" +
			"\n1 capture\n  2026-03-01 11:00:00Z  0123456789ab  9 bytes  text/html, as a browser showed it; " +
			"the source sent fedcba987654\n"},
		{name: "needless", args: []string{"show", "url_a"}, answers: []answered{{200, head +
			`"rendered":{"at":"2026-03-01T11:00:00Z","needless":true,"requests":1,"bytes":9,"millis":100}}`}}, out: known +
			"rendered       2026-03-01 11:00:00Z (1 hour ago)\nits scripts    add no text\n" + cost},
		{name: "no text in a browser", args: []string{"show", "url_a"}, answers: []answered{{200, head +
			`"thin":true,"why":"it has hardly any text in a browser, too",` +
			`"rendered":{"at":"2026-03-01T11:00:00Z","needless":true,"requests":1,"bytes":9,"millis":100}}`}}, out: known +
			"thin           it has hardly any text in a browser, too\n" +
			"rendered       2026-03-01 11:00:00Z (1 hour ago)\nits scripts    add no text\n" + cost},
		{name: "no browser", args: []string{"show", "url_a"}, answers: []answered{{200, head +
			`"thin":true,"why":"it is empty","effective":{"render":"never","from":{"render":"default"}},` +
			`"noBrowser":"no Chromium is installed"}`}}, out: known +
			"thin           it is empty\nno browser     no Chromium is installed\n"},
		{name: "not wanted", args: []string{"show", "url_a"}, answers: []answered{{200, head +
			`"thin":true,"why":"it is empty","effective":{"render":"never","from":{"render":"tag shop"}}}`}}, out: known +
			"thin           it is empty\nread in a browser never (tag shop)\n"},
	})
}

// TestR4RenderingIsSet checks that the settings of a browser are set for sources and tags, and that a tag tells them
// (R4).
func TestR4RenderingIsSet(t *testing.T) {
	const sent = `"render":"always","renderInterval":"6h","waitFor":"#a, #b","viewport":"800x600",` +
		`"acceptLanguage":"de-DE,de","colorScheme":"dark","postHosts":["api.example","b.example"]`
	flags := []string{"--render", "always", "--render-interval", "6h", "--wait-for", "#a, #b", "--viewport", "800x600",
		"--accept-language", "de-DE,de", "--color-scheme", "dark", "--post-host", "api.example", "--post-host", "b.example"}
	performAll(t, []script{
		{name: "a source", args: append([]string{"watch", "https://a.example/"}, flags...),
			answers: []answered{{202, oneAdded}}, out: "url_a  Pending     https://a.example/\n",
			asked: []string{`POST /api/AddUrlDocument {"urls":["https://a.example/"],` + sent + `}`}},
		{name: "a tag", args: append([]string{"tag", "set", "shop"}, flags...),
			answers: []answered{{200, `{"name":"shop",` + sent + `}`}}, asked: []string{`PATCH /api/tags/shop {` + sent +
				`}`}, out: "the tag shop sets: " + strings.Join([]string{"read in a browser at each check", "rendered every 6h",
				"waits for #a, #b", "window 800x600", "language asked for de-DE,de", "colours dark",
				"may send a POST to api.example, b.example"}, "; ") + "\n"},
	})
}

// TestR3CostsAreShown checks that the status has what a page costs in a browser, and how often none was needed (R3).
func TestR3CostsAreShown(t *testing.T) {
	answers := func(renders string) []answered {
		return []answered{{200, `{"items":{},"hosts":[],"renders":` + renders + `}`}}
	}
	const head = "0 sources\nnothing waits; of recent checks 0% found a change, 0% failed\nsince the server started: "
	performAll(t, []script{
		{name: "rendered", args: []string{"status"}, answers: answers(`{"pages":2,"failed":1,"spared":6,"meanSeconds":3.54}`),
			out: head + "2 pages rendered, 3.5 s each on average, 1 failed; 75% of the checks of pages that may be " +
				"rendered used no browser\n"},
		{name: "spared", args: []string{"status"}, answers: answers(`{"pages":0,"spared":3}`),
			out: head + "0 pages rendered; 100% of the checks of pages that may be rendered used no browser\n"},
	})
}

// TestE16DryRunTellsOfThinPages checks that a dry run says how many pages it read without the browser that they need
// (E16).
func TestE16DryRunTellsOfThinPages(t *testing.T) {
	dry := `{"slug":"tree-trial","domain":"tree.example","coverage":{"known":0},"dryRun":` +
		`{"until":"2026-03-02T12:00:00Z","would":["https://tree.example/a"],"send":{},` +
		`"thin":2,"thinExample":"https://tree.example/a"}}`
	performAll(t, []script{{name: "a dry run", args: []string{"sites", "show", "tree-trial"},
		answers: []answered{{200, dry}}, out: "https://tree.example/a\n1 page would be watched, 0 known already; " +
			"this list is at sites/tree-trial until 2026-03-02T12:00:00Z\n  a dry run uses no browser: " +
			"2 pages with little text without scripts may have more links, such as https://tree.example/a\n"}})
}
