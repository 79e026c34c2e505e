// Package changes answers requests about changes: lists and feeds of changes, how far each caller has read them, and
// who is notified of them.
package changes

import (
	"log/slog"

	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/notify"
)

// Handlers answer requests about changes.
type Handlers struct {
	Feed   *feed.Feed
	Notify *notify.Notifier
	Log    *slog.Logger
}
