package discover

import "github.com/tidemark/tidemark/pkg/fault"

// Template is an address with places for dates and numbers, such as
// https://port.example/notices/{yyyy}/{mm}/?page={n}. The places are
//
//	{yyyy} {yy}  the year, of four digits or two
//	{mm} {m}     the month, of two digits or as few as it takes
//	{dd} {d}     the day, likewise
//	{n}          a number from 1 on, until a page has nothing new
//	{n:1-50}     a number in a range; {n:001-200} is padded to three digits
//
// A template is immutable. Make it with [ParseTemplate].
type Template struct {
	text string
}

// ParseTemplate reads a template. The error is Invalid and says what is wrong: no http or https
// address, a place before the path, an unknown place, a day without its month or a month without
// its year, two different numbers, a range that is empty or above [MaxPages].
func ParseTemplate(text string) (Template, error) { return Template{text: text}, nil }

// String is the template as it was written.
func (t Template) String() string { return t.text }

// NeedsDates reports whether the template has places for dates.
func (t Template) NeedsDates() bool { return false }

// Open reports whether the template counts without an end.
func (t Template) Open() bool { return false }

// MaxPages bounds the addresses of one template, and MaxOpen what a number without a range counts
// to.
const (
	MaxPages = 100_000
	MaxOpen  = 1_000
)

// Pages are the addresses that a template gives for some dates, in a fixed order: dates from the
// first to the last by the smallest unit in the template, and for each date the numbers from the
// first to the last. They are made one at a time.
type Pages struct{}

// Pages gives the addresses for the dates; they do not matter to a template without dates. The
// error is Invalid: a template with dates needs both ends (give the present for an open To), in
// order and within years 1 to 9999, and gives at most [MaxPages].
func (t Template) Pages(d Dates) (Pages, error) {
	return Pages{}, fault.New(fault.Internal, "not yet")
}

// Len is how many there are, at most; see [Pages.After].
func (p Pages) Len() int { return 0 }

// At is the address at 0 ≤ i < Len, in the form of [source.FetchForm].
func (p Pages) At(i int) string { return "" }

// After is the index to go on with after page i: the next one, or Len at the end. When page i
// was empty (missing, or nothing new on it) and its number has no range, the rest of that count
// is passed over.
func (p Pages) After(i int, empty bool) int { return i + 1 }
