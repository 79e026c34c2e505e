package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
	"unicode"

	"github.com/tidemark/tidemark/pkg/search"
)

// An askedKind is a kind of query. Each query is made from a piece of the corpus, so that it has an answer.
type askedKind struct {
	name string
	make func(rng *rand.Rand, chunk []string) string
	also func(q *search.Query, rng *rand.Rand)
}

var askedKinds = []askedKind{
	{name: "a word", make: func(rng *rand.Rand, c []string) string { return pick(rng, c) }},
	{name: "two words", make: func(rng *rand.Rand, c []string) string { return pick(rng, c) + " " + pick(rng, c) }},
	{name: "a phrase", make: phraseOf},
	{name: "a prefix", make: func(rng *rand.Rand, c []string) string { return pick(rng, c)[:4] + "*" }},
	{name: "a question", make: questionOf},
	{name: "a question, of a host and a year", make: questionOf, also: narrow},
	{name: "a question, with facets", make: questionOf, also: withFacets},
	{name: "a question, with facets of a host", make: questionOf, also: func(q *search.Query, rng *rand.Rand) {
		narrow(q, rng)
		withFacets(q, rng)
	}},
	{name: fmt.Sprintf("a question, with a vector of %d", dimensions), make: questionOf, also: withVector},
	{name: "a vector alone", make: func(*rand.Rand, []string) string { return nowhere }, also: withVector},
	{name: "a word misspelt", make: func(rng *rand.Rand, c []string) string { return misspelt(rng, pick(rng, c)) }},
	{name: "words that are everywhere", make: func(rng *rand.Rand, _ []string) string {
		return everywhere[rng.IntN(len(everywhere))]
	}},
}

// nowhere is a word that does not occur in the corpus.
const nowhere = "999999999"

// everywhere are queries whose every word occurs in more than a tenth of the chunks.
var everywhere = []string{"the", "prometheus", "to the", "how to use prometheus", "the metrics of a prometheus",
	"what is prometheus", "and or", "is it in the metrics"}

// frames are texts of questions with gaps for words from the corpus. Their own words carry no meaning.
var frames = []string{"how do I use %s to get the %s of a %s", "what is the %s for %s in %s",
	"is there a %s with the %s and %s",
	"why does %s not have %s when the %s is on"}

func questionOf(rng *rand.Rand, chunk []string) string {
	return fmt.Sprintf(frames[rng.IntN(len(frames))], pick(rng, chunk), pick(rng, chunk), pick(rng, chunk))
}

func narrow(q *search.Query, rng *rand.Rand) {
	q.Host, q.Since = hostOf(rng), q.Now.AddDate(-1, 0, 0)
}

func withFacets(q *search.Query, _ *rand.Rand) { q.Facets = true }

func withVector(q *search.Query, rng *rand.Rand) { q.Vector = vectorOf(rng) }

// phraseOf returns two adjacent words.
func phraseOf(rng *rand.Rand, chunk []string) string {
	at := rng.IntN(len(chunk) - 1)
	return `"` + chunk[at] + " " + chunk[at+1] + `"`
}

// pick returns a word of at least five letters, or any word if it finds none.
func pick(rng *rand.Rand, chunk []string) string {
	for range 50 {
		if w := chunk[rng.IntN(len(chunk))]; len(w) >= 5 {
			return w
		}
	}
	return "prometheus"
}

// misspelt returns a word with two of its letters exchanged.
func misspelt(rng *rand.Rand, word string) string {
	at := 1 + rng.IntN(len(word)-2)
	return word[:at] + word[at+1:at+2] + word[at:at+1] + word[at+2:]
}

// For each kind of query, at most askedOf queries are asked, for at most askedTime.
const (
	askedOf   = 150
	askedTime = 30 * time.Second
)

// queries returns the queries of a kind.
func (c *corpus) queries(kind askedKind) []search.Query {
	rng := rand.New(rand.NewPCG(3, 4)) // the state of the corpus's own generator depends on the clock
	var all []search.Query
	for len(all) < askedOf {
		v := c.bodies[rng.IntN(len(c.bodies))]
		p, _, err := v.page(v.body)
		if err != nil || len(p.Chunks) == 0 {
			continue
		}
		words := strings.FieldsFunc(p.Chunks[rng.IntN(len(p.Chunks))].Text, func(r rune) bool { return !unicode.IsLetter(r) })
		ascii := len(words) >= 8
		for _, w := range words {
			ascii = ascii && len(w) == len([]rune(w))
		}
		if !ascii {
			continue
		}
		q := search.Query{Text: strings.ToLower(kind.make(rng, words)), Top: 10, Now: c.now}
		if kind.also != nil {
			kind.also(&q, rng)
		}
		all = append(all, q)
	}
	return all
}
