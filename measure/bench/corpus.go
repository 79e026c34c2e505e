package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/search"
)

// corpus makes pages from all versions of all documents, in an order that is the same in every run: first every
// version unchanged, and then variations of all versions, again and again.
type corpus struct {
	bodies []version
	rng    *rand.Rand
	round  int // variations made so far
	next   int
	now    time.Time
}

// A version is one body of a document.
type version struct {
	revised
	body []byte
	n    int
}

// dimensions is the length of the chunks' vectors. Small embedding models use this length.
const dimensions = 384

func newCorpus(docs []revised) *corpus {
	c := &corpus{rng: rand.New(rand.NewPCG(1, 2)), now: time.Now()}
	for _, d := range docs {
		for n, body := range d.bodies {
			c.bodies = append(c.bodies, version{d, body, n})
		}
	}
	c.shuffle()
	return c
}

func (c *corpus) shuffle() {
	c.rng.Shuffle(len(c.bodies), func(i, j int) { c.bodies[i], c.bodies[j] = c.bodies[j], c.bodies[i] })
}

// page returns the next page. It cuts a page that has more chunks than allowed.
func (c *corpus) page(most int) (search.Page, error) {
	if c.next == len(c.bodies) {
		c.shuffle()
		c.round, c.next = c.round+1, 0
	}
	v := c.bodies[c.next]
	c.next++
	p, _, err := v.page(v.body)
	if err != nil {
		return p, err
	}
	p.ID = fmt.Sprintf("%s-%d-%d", p.ID, v.n, c.round)
	p.Host = hostOf(c.rng)
	p.ChangedAt = c.now.Add(-time.Duration(c.rng.ExpFloat64() * float64(100*24*time.Hour)))
	p.Chunks = p.Chunks[:min(most, len(p.Chunks))]
	for i := range p.Chunks {
		p.Chunks[i].Text = c.varied(p.Chunks[i].Text)
		p.Chunks[i].Vector = vectorOf(c.rng)
	}
	return p, nil
}

// hostOf returns one of twelve hosts.
func hostOf(rng *rand.Rand) string { return fmt.Sprintf("docs%d.example", rng.IntN(12)) }

// varied changes the form of one word in eight, so that each variation adds words.
func (c *corpus) varied(text string) string {
	if c.round == 0 {
		return text
	}
	words := strings.Split(text, " ")
	for i, w := range words {
		if c.rng.IntN(8) == 0 && len(w) > 3 {
			words[i] = fmt.Sprintf("%s%c%c", w, 'a'+c.round, 'a'+c.rng.IntN(26))
		}
	}
	return strings.Join(words, " ")
}

// vectorOf returns a vector with the properties that make real vectors hard to search: all vectors point in a similar
// direction, few numbers are large, and the vectors form groups of near neighbours.
func vectorOf(rng *rand.Rand) []float32 {
	v, centre := make([]float32, dimensions), centres()[rng.IntN(groups)]
	for i := range v {
		v[i] = float32(centre[i] + .5*scaleOf(i)*rng.NormFloat64())
	}
	return v
}

const groups = 400

// scaleOf returns the magnitude of the number at index i of a vector.
func scaleOf(i int) float64 { return 1 / float64(1+i%97) }

// centres returns the centres of the groups of vectors.
var centres = sync.OnceValue(func() [][]float64 {
	rng := rand.New(rand.NewPCG(9, 9))
	middle, all := make([]float64, dimensions), make([][]float64, groups)
	for i := range middle {
		middle[i] = 2 * scaleOf(i) * rng.NormFloat64()
	}
	for g := range all {
		all[g] = make([]float64, dimensions)
		for i := range all[g] {
			all[g][i] = middle[i] + scaleOf(i)*rng.NormFloat64()
		}
	}
	return all
})
