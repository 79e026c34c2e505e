// Package llm defines the interfaces of the language models that Tidemark can use. An [Embedder] turns a text into a
// vector. A [Chatter] answers a question in JSON at once, and a [Batcher] does so when the service has time. The
// adapter to a service is [openai]. For tests, [llmtest] has a fake service, with faults.
//
// Nothing in Tidemark requires a model. Each package that uses a model documents what happens without it.
//
// [openai]: https://pkg.go.dev/github.com/tidemark/tidemark/pkg/llm/openai [llmtest]:
// https://pkg.go.dev/github.com/tidemark/tidemark/pkg/llm/llmtest
package llm

import "context"

// Embedder turns texts into vectors. Texts with similar meanings get vectors that are near each other.
type Embedder interface {
	// Embed returns a unit vector of [Embedder.Dimension] numbers for each text, in the order of texts. A text that
	// is too long for the model gets the vector of its beginning. Embed may be called concurrently, with any number
	// of texts. It limits the number of its own concurrent requests, and retries them where that may help.
	//
	// With an error, the result still contains the vectors that were received. The others are nil, and only their
	// texts need another call. Errors: Invalid for a blank text, and for a service that will never answer with its
	// current settings; Blocked if the service refuses the key; Throttled, with the pause that the service asks for;
	// Unavailable if the service fails or its answer cannot be right.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model returns the name of the model. Vectors of different models cannot be compared.
	Model() string
	// Dimension returns the length of a vector, or 0 as long as it is unknown.
	Dimension() int
}
