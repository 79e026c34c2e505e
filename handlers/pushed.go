package handlers

import (
	"log/slog"

	"github.com/tidemark/tidemark/pkg/entries"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/run/enrich"
)

// This file answers requests about content that other programs push in: entries, their policies, and their
// descriptions by a language model.

// entryHandlers answer requests about entries.
type entryHandlers struct {
	Entries *entries.Store
	Enrich  *enrich.Service
	Lookup  *registry.Lookup // finds the pages that links lead to
	Rules   source.Rules
	Log     *slog.Logger
}
