package main

import "testing"

// TestJ6Retrieve checks that passages are printed whole, with the data to cite them, and that no text of theirs
// controls the terminal.
func TestJ6Retrieve(t *testing.T) {
	const passage = `{"passages":[{"text":"Costs\n  5\u001b[2J.","url":"https://a.example/","title":"Prices",` +
		`"headingPath":["Prices","Tea"],"anchor":"tea","itemId":"url_a","capture":"` + newer + `","at":"2026-03-01T11:00:00Z",` +
		`"checkedAt":"2026-03-01T11:30:00Z","score":0.1}],"tokens":9,"stale":2}`
	performAll(t, []script{
		{name: "passages", args: []string{"retrieve", "what", "costs", "tea", "--tokens", "300", "--max-age", "7d"},
			answers: []answered{{200, passage}},
			asked:   []string{`POST /api/retrieve {"q":"what costs tea","tokens":300,"maxAge":"7d"}`},
			err:     "tidemark: 2 pages left out, not verified within 7d\n",
			out: "1. Prices\n    https://a.example/#tea\n    Prices › Tea\n" +
				"    capture 3f235255ec5c of 2026-03-01 11:00:00Z, last verified 2026-03-01 11:30:00Z\n\nCosts\n  5\ufffd[2J.\n\n"},
		{name: "checked first", args: []string{"retrieve", "tea", "--max-age", "1h", "--recheck", "--host", "A.example"},
			answers: []answered{{200, `{"passages":[],"tokens":0}`}}, out: "nothing found for tea\n",
			asked: []string{`POST /api/retrieve {"q":"tea","tokens":2000,"filter":{"host":"a.example"},"maxAge":"1h",` +
				`"stale":"recheck"}`}},
		{name: "a search", args: []string{"search", "tea", "--max-age", "1h", "--recheck"},
			answers: []answered{{200, `{"count":3,"results":[],"staleResults":3}`}}, out: "no more than 3 pages\n",
			err:   "tidemark: 3 results left out, not verified within 1h\n",
			asked: []string{`POST /api/Search {"q":"tea","top":10,"maxAge":"1h","stale":"recheck"}`}},
		{name: "nothing asked", args: []string{"retrieve", "?"}, code: 2,
			err: "tidemark: nothing to search for: give some words\nsee `tidemark retrieve --help`\n"},
		{name: "a page as it was", args: []string{"text", "url_a", "--as-of", "2026-03-01"},
			answers: []answered{{200, `{"text":"# Prices\n\n    code"}`}}, out: "# Prices\n\n    code\n",
			asked: []string{"GET /api/items/url_a/text?asOf=2026-03-01&format=json"}},
		{name: "a page before its first capture", code: 1,
			args: []string{"text", "https://a.example/", "--as-of", "2026-03-01", "--json"}, answers: []answered{
				{404, `{"title":"Not Found","detail":"nothing of the page is kept from then"}`}, {200, `{"id":"url_a"}`}},
			err: "tidemark: nothing of the page is kept from then\n"},
		{name: "plain", args: []string{"text", "url_a", "--plain"}, answers: []answered{{200, "Prices\u001b[2J"}},
			out: "Prices\ufffd[2J\n", asked: []string{"GET /api/items/url_a/text?format=text"}},
	})
}
