package main

import (
	"strings"
	"testing"
)

// TestA11ShowNotIndexed checks that the list and tidemark show say why content is not in the index (A11).
func TestA11ShowNotIndexed(t *testing.T) {
	id := "url_" + strings.Repeat("a", 26)
	page := `{"id":"` + id + `","status":"OutOfScope","normalizedSource":"https://a.example/","notIndexed":"noindex"}`
	performAll(t, []script{{name: "show", args: []string{"show", id}, answers: []answered{{200, page}}, out: `
id             ` + id + `
source         https://a.example/
status         OutOfScope
not indexed    noindex
`}, {name: "list", args: []string{"items"}, answers: []answered{{200, `{"items":[` + page + `]}`}},
		out: "STATUS      CHECKED         NEXT            ID                              SOURCE\n" +
			"OutOfScope  never           never           " + id + "  https://a.example/  (not indexed: noindex)\n"}})
}

// TestE17ShowUnlinked checks that tidemark show says of a page that nothing links to it any more (E17).
func TestE17ShowUnlinked(t *testing.T) {
	id := "url_" + strings.Repeat("a", 26)
	page := `{"id":"` + id + `","status":"Indexed","normalizedSource":"https://a.example/",` +
		`"unlinkedSince":"2026-02-28T12:00:00Z"}`
	performAll(t, []script{{name: "unlinked", args: []string{"show", id}, answers: []answered{{200, page}},
		asked: []string{"GET /api/items/" + id}, out: `
id             ` + id + `
source         https://a.example/
status         Indexed
no page of its site links to it since 2026-02-28 12:00:00Z (1 day ago)
`}})
}
