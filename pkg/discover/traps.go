package discover

import "time"

// Traps tells spaces of addresses without an end from pages: calendars, filters in every
// combination, sessions, paths that grow. It judges by addresses alone. The zero value is not
// usable; make it with [NewTraps]. It is not safe for concurrent use.
//
// Its state is JSON of at most 32 KiB, and what was judged before and after a round trip through
// it is the same: the answers depend on the sequence of addresses only.
type Traps struct{}

// NewTraps begins a judgment of one site. Dates after latest, give or take a year, belong to a
// calendar: give the present when the run begins.
func NewTraps(latest time.Time) *Traps { return &Traps{} }

// Judge takes the next address, as [source.Source.Normalized] writes it. The reason is "" when it
// may be a page, else a short phrase for counting, such as "trap: calendar". Judge each address
// once: a repeated one counts twice.
func (t *Traps) Judge(url string) (reason string) { return "" }
