package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestY6LongList checks that a list that is too long for one request is imported in parts, and that the result is
// their sum (Y6).
func TestY6LongList(t *testing.T) {
	var b strings.Builder
	b.WriteString("url\n")
	for i := range 12_000 {
		fmt.Fprintf(&b, "https://a.example/%d\n", i)
	}
	b.WriteString("\"https://b.example/\n")
	file := saved(t, "long.csv", b.String())
	over := answered{200, `{"id":"list-1","total":5000,"done":5000,"added":4000,"known":999,"refused":1,` +
		`"warning":"#/x is not part","refusals":[{"source":"https://a.example/7","error":"no"}],"endedAt":"2026-03-01T12:00:00Z"}`}
	performAll(t, []script{{name: "in parts", args: []string{"import", file}, answers: []answered{over, over, over},
		out: "12,000 sources added, 2,997 known, 4 refused\n  #/x is not part\n" +
			"  line 12002: it is not a row of CSV: a quote is not closed\n" +
			strings.Repeat("  https://a.example/7: no\n", 3)}})
}
