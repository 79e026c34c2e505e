// Package llm defines the interfaces of the language models that Tidemark can use: models that turn a text into a
// vector ([Embedder]), and models that answer a question in JSON, immediately ([Chatter]) or when the service has
// time ([Batcher]). The adapter to a service is [openai]; [llmtest] has a fake service for tests, with faults.
//
// Nothing in Tidemark requires a model. Each package that uses one documents what happens without it.
//
// [openai]: https://pkg.go.dev/github.com/tidemark/tidemark/pkg/llm/openai
// [llmtest]: https://pkg.go.dev/github.com/tidemark/tidemark/pkg/llm/llmtest
package llm

import "context"

// Embedder turns texts into vectors, such that texts of similar meaning get vectors near each other.
type Embedder interface {
	// Embed returns a unit vector of [Embedder.Dimension] numbers for each text, in the order of texts. A text that
	// is too long for the model gets the vector of its beginning. Embed may be called concurrently, with any number
	// of texts. It bounds the number of its own concurrent requests, and retries where that may help.
	//
	// With an error, the result still holds the vectors that were received; the others are nil, and only the texts
	// without a vector need a further call. Errors: Invalid for a blank text, and for a service that will never
	// answer with its current settings; Blocked when the service refuses the key; Throttled, with the pause that the
	// service asks for; Unavailable when the service fails or its answer cannot be right.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model returns the name of the model. Vectors of different models cannot be compared.
	Model() string
	// Dimension returns the length of a vector, or 0 while it is unknown.
	Dimension() int
}
