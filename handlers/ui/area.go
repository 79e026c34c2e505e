package ui

import (
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// itemsArea is this part of the dashboard.
type itemsArea struct {
	client *api.Client
	clock  func() time.Time
}
