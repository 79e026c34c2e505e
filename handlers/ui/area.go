package ui

import (
	"time"

	"github.com/tidemark/tidemark/pkg/api"
)

// area is what the views of an area need: the API, the time, and the number of problems.
type area struct {
	client *api.Client
	clock  func() time.Time
	tally  *tally
}
