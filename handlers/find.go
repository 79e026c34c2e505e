package handlers

import (
	"log/slog"

	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/registry/answer"
	"github.com/tidemark/tidemark/pkg/search"
)

// This file answers searches and questions from the index.

// searchHandlers answer searches and questions.
type searchHandlers struct {
	Answers *answer.Answers
	Index   search.Index     // suggests completions of the user's input
	Lookup  *registry.Lookup // finds the pages that links lead to
	Log     *slog.Logger
}
