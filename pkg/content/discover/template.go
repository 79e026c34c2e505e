package discover

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// Template is an address with placeholders for dates and numbers, such as
// https://port.example/notices/{yyyy}/{mm}/?page={n}. The placeholders are
//
//	{yyyy} {yy}  the year, with four digits or two
//	{mm} {m}     the month, with two digits or without a leading zero
//	{dd} {d}     the day, likewise
//	{n}          a number from 1 on, until a page has nothing new
//	{n:1-50}     a number in a range; {n:001-200} is padded to three digits
//
// A template is immutable. [ParseTemplate] creates one.
type Template struct {
	text   string
	host   string
	pieces []piece
	unit   unit // the smallest unit of its dates
	n      numbers
}

// piece is a placeholder without its braces, or literal text.
type piece struct {
	text        string
	placeholder bool
}

// unit is a unit of time. The unit of a template is that of its smallest placeholder.
type unit int

const (
	always unit = iota // a template without dates
	yearly
	monthly
	daily
)

// units maps the placeholders of dates to their units.
var units = map[string]unit{"yyyy": yearly, "yy": yearly, "mm": monthly, "m": monthly, "dd": daily, "d": daily}

// numbers is the range of {n}. A template without {n} has the zero value, and one address for each date.
type numbers struct {
	placeholder string
	first, last int
	width       int
	open        bool
}

func (n numbers) len() int { return n.last - n.first + 1 }

const (
	// maxPages is the largest number of addresses of a template.
	maxPages = 100_000
	// maxOpen is the last number if {n} has no range.
	maxOpen = 1_000
)

// ParseTemplate parses a template. Errors: Invalid, with the reason. A template is invalid if it is no http or https
// address, or has a placeholder before the path, an unknown placeholder, a day without its month, a month without its
// year, or two different numbers. A range must not be empty or longer than maxPages, and an address must not be
// longer than [source.MaxNormalized].
func ParseTemplate(text string) (Template, error) {
	t := Template{text: text}
	if err := t.cut(); err != nil {
		return Template{}, err
	}
	if err := t.readPlaceholders(); err != nil {
		return Template{}, err
	}
	if !inPath(t.pieces[0].text) {
		return Template{}, fault.New(fault.Invalid, "a place comes before the path; begin with an address such as "+
			"https://host/")
	}
	sample := t.expand(time.Date(maxYear, 12, 31, 0, 0, 0, 0, time.UTC), t.n.last)
	s, err := source.Rules{}.ParseURL(sample)
	if err != nil {
		return Template{}, err
	}
	t.host = s.Host
	return t, nil
}

// inPath reports whether the text before the first placeholder contains the whole host, so that no placeholder can
// choose the host.
func inPath(before string) bool {
	_, rest, found := strings.Cut(before, "://")
	return found && strings.ContainsAny(rest, "/?")
}

// cut splits the text at its braces. The first piece is literal text.
func (t *Template) cut() error {
	rest := t.text
	for {
		before, after, found := strings.Cut(rest, "{")
		if strings.Contains(before, "}") {
			return fault.New(fault.Invalid, "a } without its {")
		}
		t.pieces = append(t.pieces, piece{text: before})
		if !found {
			return nil
		}
		place, behind, closed := strings.Cut(after, "}")
		if !closed {
			return fault.New(fault.Invalid, "a { without its }")
		}
		t.pieces, rest = append(t.pieces, piece{place, true}), behind
	}
}

// readPlaceholders checks the placeholders.
func (t *Template) readPlaceholders() error {
	var has [daily + 1]bool
	t.n = numbers{first: 1, last: 1}
	for _, p := range t.pieces {
		u, isDate := units[p.text]
		switch {
		case !p.placeholder:
		case isDate:
			has[u] = true
			t.unit = max(t.unit, u)
		default:
			if err := t.readNumber(p.text); err != nil {
				return err
			}
		}
	}
	switch {
	case has[daily] && !has[monthly]:
		return fault.New(fault.Invalid, "a day without its month: add {mm} or {m}")
	case has[monthly] && !has[yearly]:
		return fault.New(fault.Invalid, "a month without its year: add {yyyy} or {yy}")
	}
	return nil
}

// readNumber parses {n} or {n:first-last}.
func (t *Template) readNumber(place string) error {
	name, bounds, ranged := strings.Cut(place, ":")
	if name != "n" {
		return fault.New(fault.Invalid, "{%.20s} is unknown; allowed are {yyyy} {yy} {mm} {m} {dd} {d} {n} and {n:1-50}",
			place)
	}
	if t.n.placeholder != "" && t.n.placeholder != place {
		return fault.New(fault.Invalid, "{%.20s} beside {%.20s}: there is one number, which may stand in several places",
			place, t.n.placeholder)
	}
	t.n = numbers{placeholder: place, first: 1, last: maxOpen, open: true}
	if !ranged {
		return nil
	}
	first, last, _ := strings.Cut(bounds, "-")
	lo, ok1 := digits(first)
	hi, ok2 := digits(last)
	if !ok1 || !ok2 || lo > hi || hi-lo >= maxPages {
		return fault.New(fault.Invalid, "{%.30s} is not a range such as {n:1-50} or {n:001-200}, of at most %d numbers",
			place, maxPages)
	}
	t.n.first, t.n.last, t.n.open = lo, hi, false
	if len(first) > 1 && first[0] == '0' {
		t.n.width = len(first)
	}
	return nil
}

// digits parses at most nine decimal digits.
func digits(text string) (int, bool) {
	if text == "" || len(text) > 9 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// String returns the template as it was written.
func (t Template) String() string { return t.text }

// Host returns the host that all addresses of the template share, in the form of [source.Source.Host].
func (t Template) Host() string { return t.host }

// needsDates reports whether the template has placeholders for dates.
func (t Template) needsDates() bool { return t.unit != always }

// Open reports whether {n} has no range.
func (t Template) Open() bool { return t.n.open }

// expand returns the address for a date and a number.
func (t Template) expand(date time.Time, n int) string {
	var b strings.Builder
	for _, p := range t.pieces {
		if !p.placeholder {
			b.WriteString(p.text)
			continue
		}
		switch p.text {
		case "yyyy":
			b.WriteString(padded(date.Year(), 4))
		case "yy":
			b.WriteString(padded(date.Year()%100, 2))
		case "mm":
			b.WriteString(padded(int(date.Month()), 2))
		case "m":
			b.WriteString(strconv.Itoa(int(date.Month())))
		case "dd":
			b.WriteString(padded(date.Day(), 2))
		case "d":
			b.WriteString(strconv.Itoa(date.Day()))
		default:
			b.WriteString(padded(n, t.n.width))
		}
	}
	return b.String()
}

// padded formats n with at least width digits.
func padded(n, width int) string {
	s := strconv.Itoa(n)
	return strings.Repeat("0", max(0, width-len(s))) + s
}
