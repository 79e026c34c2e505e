package handlers

import (
	"log/slog"

	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/registry"
)

// This file answers requests about changes: lists and feeds of changes, how far each caller has read them, and
// who is notified of them.

// changeHandlers answer requests about changes.
type changeHandlers struct {
	Feed   *feed.Feed
	Notify *notify.Notifier
	Items  *registry.Items
	Log    *slog.Logger
}
