package discover

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Dates is the range of days that a run covers: From ≤ t < To. A zero From or To is open; the zero value covers
// everything.
type Dates struct {
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}

const day = 24 * time.Hour

// ParseDates parses dateFrom and dateTo. Each is a date such as 2024-06-30, in UTC, or an RFC 3339 time; an empty
// text leaves that end open. If dateTo is a date, that day is included. Errors: Invalid, with the field dateFrom or
// dateTo.
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

// parseEnd parses one end of a range of dates, and reports whether the end is a whole day rather than a moment.
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

// Want reports whether a page may have changed within the dates. It returns true for a page without a date of change.
func (d Dates) Want(l Link) bool {
	if l.LastMod.IsZero() {
		return true
	}
	return d.reaches(l) && (d.To.IsZero() || l.LastMod.Before(d.To))
}

// WantMap reports whether a sitemap in an index may list wanted pages. It returns false only for a sitemap that last
// changed before From, because the pages in such a sitemap last changed before From, too. A sitemap that changed
// after To may list pages that changed earlier.
func (d Dates) WantMap(l Link) bool { return l.LastMod.IsZero() || d.reaches(l) }

// reaches reports whether the time of l ends after From. The end of a span is not part of it, because a span of a day
// ends where the next day begins. A time without a span is a single moment.
func (d Dates) reaches(l Link) bool {
	end := l.LastMod.Add(l.Span)
	return end.After(d.From) || l.Span == 0 && end.Equal(d.From)
}
