// Package find answers searches and questions from the index.
package find

import (
	"log/slog"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/answer"
	"github.com/tidemark/tidemark/pkg/search"
)

// Handlers answer searches and questions.
type Handlers struct {
	Answers *answer.Answers
	Index   search.Index     // suggests completions of the user's input
	Lookup  *registry.Lookup // finds the pages that links lead to
	Log     *slog.Logger
}
