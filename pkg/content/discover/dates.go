package discover

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Dates are the days that a run is about: From ≤ t < To. A zero end is open; the zero value wants
// everything.
type Dates struct {
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}

const day = 24 * time.Hour

// ParseDates reads dateFrom and dateTo: a date such as 2024-06-30, in UTC, or an RFC 3339 time;
// empty is open. A dateTo that is a date includes that day. The error is Invalid and blames
// dateFrom or dateTo.
func ParseDates(from, to string) (d Dates, err error) {
	if d.From, _, err = parseEnd("dateFrom", from); err != nil {
		return Dates{}, err
	}
	end, whole, err := parseEnd("dateTo", to)
	if err != nil {
		return Dates{}, err
	}
	if d.To = end; whole {
		d.To = end.Add(day)
	}
	if !d.From.IsZero() && !d.To.IsZero() && !d.From.Before(d.To) {
		return Dates{}, fault.Field("dateTo", "dateTo %s is not after dateFrom %s", to, from)
	}
	return d, nil
}

// parseEnd reads one end; whole reports whether it is a day rather than a time.
func parseEnd(field, text string) (t time.Time, whole bool, err error) {
	if text == "" {
		return time.Time{}, false, nil
	}
	t, err = time.Parse(time.DateOnly, text)
	if whole = err == nil; !whole {
		t, err = time.Parse(time.RFC3339, text)
	}
	if t = t.UTC(); err != nil || t.Year() < 1 || t.Year() > maxYear {
		return time.Time{}, false, fault.Field(field,
			"%s is %.40q; write a date such as 2024-06-30, or a time such as 2024-06-30T08:00:00Z", field, text)
	}
	return t, whole, nil
}

// Want reports whether a page may have changed within the dates. A page that does not say when it
// changed is wanted.
func (d Dates) Want(l Link) bool {
	if l.LastMod.IsZero() {
		return true
	}
	return d.reaches(l) && (d.To.IsZero() || l.LastMod.Before(d.To))
}

// WantMap reports whether a sitemap of an index may name pages that are wanted. It is refused only
// when it has not changed since before From: what it names is then older still. A map that changed
// after To may name older pages.
func (d Dates) WantMap(l Link) bool { return l.LastMod.IsZero() || d.reaches(l) }

// reaches reports whether the time that l names ends after From. A span of a day ends where the
// next one begins, so its end is excluded; a time without a span is its own end.
func (d Dates) reaches(l Link) bool {
	end := l.LastMod.Add(l.Span)
	return end.After(d.From) || l.Span == 0 && end.Equal(d.From)
}
