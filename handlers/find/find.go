// Package find answers searches and questions.
package find

import (
	"log/slog"

	"github.com/tidemark/tidemark/pkg/registry/answer"
	"github.com/tidemark/tidemark/pkg/registry/lookup"
	"github.com/tidemark/tidemark/pkg/search"
)

// Handlers answer the requests of the area with the services that it needs.
type Handlers struct {
	Answers *answer.Answers
	Index   search.Index   // completes what is typed
	Lookup  *lookup.Lookup // of the pages that links are about
	Log     *slog.Logger
}
