// Package llm is the contract of the language models that Tidemark may be given: models that turn a
// text into a vector ([Embedder]), and models that answer a question in JSON, at once ([Chatter])
// or when the service has time ([Batcher]). The adapter that speaks to a service is [openai];
// [llmtest] has such a service for tests, with its faults.
//
// Nothing in Tidemark needs a model. Who uses one says what happens without.
//
// [openai]: https://pkg.go.dev/github.com/tidemark/tidemark/pkg/llm/openai
// [llmtest]: https://pkg.go.dev/github.com/tidemark/tidemark/pkg/llm/llmtest
package llm

import "context"

// Embedder turns texts into vectors, near each other where the texts mean alike.
type Embedder interface {
	// Embed gives each text its vector, in the order of texts: [Embedder.Dimension] numbers, of
	// length one. A text that is too long for the model gets the vector of its beginning. It may be
	// called concurrently, with any number of texts; how many are sent at once is its own business,
	// and it has tried again what may be tried again.
	//
	// With an error, the vectors that were had all the same stand at their places and the others
	// are nil; only those need be asked for again. Kinds: Invalid for a blank text, and for a service
	// that will never answer as it is set up; Blocked when it refuses the key; Throttled, with the
	// pause that it asks for; Unavailable, also for an answer that cannot be right.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model names the model. Vectors of different models have nothing to do with each other.
	Model() string
	// Dimension is how many numbers a vector has, 0 while nobody knows.
	Dimension() int
}
