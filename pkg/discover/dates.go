package discover

import (
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
)

// Dates are the days that a run is about: From ≤ t < To. A zero end is open; the zero value wants
// everything.
type Dates struct {
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}

// ParseDates reads dateFrom and dateTo: a date such as 2024-06-30, in UTC, or an RFC 3339 time;
// empty is open. A dateTo that is a date includes that day. The error is Invalid and blames
// dateFrom or dateTo.
func ParseDates(from, to string) (Dates, error) {
	return Dates{}, fault.New(fault.Internal, "not yet")
}

// Want reports whether a page may have changed within the dates. A page that does not say when it
// changed is wanted.
func (d Dates) Want(l Link) bool { return true }

// WantMap reports whether a sitemap of an index may name pages that are wanted. It is refused only
// when it has not changed since before From: what it names is then older still. A map that changed
// after To may name older pages.
func (d Dates) WantMap(l Link) bool { return true }
