package main

import (
	"strings"
	"testing"
)

// TestX3AcceptCommand checks the command that accepts a page as it is (X3).
func TestX3AcceptCommand(t *testing.T) {
	id := "url_" + strings.Repeat("a", 26)
	asked := []string{"POST /api/items/" + id + "/accept"}
	const page = `"normalizedSource":"https://a.example/"`
	performAll(t, []script{
		{name: "collapsed", args: []string{"accept", id}, asked: asked,
			answers: []answered{{202, `{"id":"` + id + `",` + page + `,"collapsed":true}`}},
			out:     id + " is accepted as it is, and is checked now: https://a.example/\n"},
		{name: "nothing to accept", args: []string{"accept", id}, asked: asked,
			answers: []answered{{202, `{"id":"` + id + `",` + page + `}`}},
			out:     "there is nothing to accept: https://a.example/ has neither collapsed, nor is its watch broken\n"},
		{name: "not known", args: []string{"accept", id}, code: 1,
			answers: []answered{{404, `{"title":"Not Found","status":404,"detail":"no such item"}`}},
			err:     "tidemark: no such item\n"},
	})
}
