package main

import (
	"crypto/sha256"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/dom"
	"github.com/tidemark/tidemark/pkg/policy/change"
)

// readingOf returns a state as the product reads it. If folded is false, counters are hashed as they are.
func readingOf(s *state, folded bool) change.Reading {
	body := bodyOf(s)
	r := change.Reading{Title: s.Document.Title, Words: change.WordsOf(extract.Join(s.Document.Blocks))}
	if folded {
		h := s.Document.Hashes()
		r.Hash, r.Body, r.Main = h.Content, h.Body, h.Main
		return r
	}
	whole, sum := sha256.Sum256([]byte(s.Document.Title+"\n"+body)), sha256.Sum256([]byte(body))
	r.Hash, r.Body = string(whole[:]), change.State(sum[:len(r.Body)])
	return r
}

func bodyOf(s *state) string {
	var body strings.Builder
	for _, b := range s.Document.Blocks {
		text := b.Text
		if b.Kind != extract.Code {
			text = dom.Fold(text)
		}
		body.WriteString(text + "\n")
	}
	return body.String()
}
