package llmtest

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"unicode"

	"github.com/tidemark/tidemark/pkg/llm"
)

// Vector returns a made-up embedding. It is the sum of one direction per word, so that texts with more words in
// common are nearer to each other. It does not depend on meaning.
func Vector(text string, dimension int) []float32 {
	v := make([]float32, dimension)
	words := strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	for _, word := range append(words, "") { // the word "" gives a direction to a text without words
		h := fnv.New64a()
		h.Write([]byte(word))
		weight := float32(1)
		if word == "" {
			weight = 0.01
		}
		rng := rand.New(rand.NewPCG(h.Sum64(), 1))
		for i := range v {
			v[i] += weight * float32(rng.NormFloat64())
		}
	}
	llm.Unit(v)
	return v
}
