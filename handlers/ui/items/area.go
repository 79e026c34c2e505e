package items

import (
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// area is this part of the dashboard.
type area struct {
	client *api.Client
	clock  func() time.Time
}
