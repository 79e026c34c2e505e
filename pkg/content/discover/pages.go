package discover

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Pages are the addresses of a template for a range of dates, in a fixed order: by date, in steps of the smallest
// unit in the template, and by number within each date. Addresses are computed one at a time. The zero value has no
// addresses.
type Pages struct {
	t     Template
	first time.Time // the beginning of the first unit
	dates int
}

// Pages returns the addresses for the dates d. A template without dates ignores d. Errors: Invalid. If the template
// has dates, d must have both ends, in order and within years 1 to 9999, and there may be at most maxPages
// addresses. For dates with an open To, pass the present time as To.
func (t Template) Pages(d Dates) (Pages, error) {
	p := Pages{t: t, dates: 1}
	if t.needsDates() {
		if err := checkEnds(d); err != nil {
			return Pages{}, err
		}
		p.first = t.unit.begin(d.From)
		p.dates = t.unit.between(p.first, t.unit.begin(d.To.Add(-1))) + 1
	}
	if most := maxPages / t.n.len(); p.dates > most {
		return Pages{}, fault.Field("dateFrom", "%s gives %d dates of %d pages between dateFrom and dateTo; at most %d "+
			"pages are allowed: choose fewer days",
			t.text, p.dates, t.n.len(), maxPages)
	}
	return p, nil
}

func checkEnds(d Dates) error {
	switch {
	case d.From.IsZero():
		return fault.Field("dateFrom", "an archive by dates needs dateFrom, such as 2024-01-01")
	case d.To.IsZero():
		return fault.Field("dateTo", "an archive by dates needs dateTo, such as 2024-12-31")
	case !d.From.Before(d.To):
		return fault.Field("dateTo", "dateTo is not after dateFrom")
	case d.From.UTC().Year() < 1 || d.To.UTC().Year() > maxYear+1:
		return fault.Field("dateFrom", "years are 1 to %d", maxYear)
	}
	return nil
}

// begin returns the beginning of the unit that contains t, in UTC.
func (u unit) begin(t time.Time) time.Time {
	year, month, day := t.UTC().Date()
	if u < daily {
		day = 1
	}
	if u < monthly {
		month = 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// between returns the number of units from one beginning to another.
func (u unit) between(from, to time.Time) int {
	switch u {
	case daily:
		return int(to.Sub(from) / day) // exact up to 292 years; beyond, Sub returns far more than MaxPages days
	case monthly:
		return 12*(to.Year()-from.Year()) + int(to.Month()-from.Month())
	}
	return to.Year() - from.Year()
}

// add returns the beginning of the unit that is n units later.
func (u unit) add(from time.Time, n int) time.Time {
	switch u {
	case daily:
		return from.AddDate(0, 0, n)
	case monthly:
		return from.AddDate(0, n, 0)
	}
	return from.AddDate(n, 0, 0)
}

// Len returns the maximum number of addresses; see [Pages.After].
func (p Pages) Len() int { return p.dates * p.t.n.len() }

// At returns the address with index i, 0 ≤ i < Len, in the form of [source.FetchForm].
func (p Pages) At(i int) string {
	per := p.t.n.len()
	text := p.t.expand(p.t.unit.add(p.first, i/per), p.t.n.first+i%per)
	form, err := source.FetchForm(text)
	if err != nil { // Unreachable: ParseTemplate tried the longest address, and placeholders expand to digits.
		return text
	}
	return form
}

// After returns the index of the page to read after page i, or Len at the end. Usually this is the next page. The
// caller passes empty = true if page i was missing or had nothing new. If {n} has no range, After then skips the
// remaining numbers of that date.
func (p Pages) After(i int, empty bool) int {
	if per := p.t.n.len(); empty && p.t.n.open {
		return i - i%per + per
	}
	return i + 1
}

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
