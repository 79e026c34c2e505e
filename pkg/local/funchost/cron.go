package funchost

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

// A schedule determines when a timer fires. It is written as an NCRONTAB expression.
type schedule struct {
	text string
	cron wallclock.Cron
}

var (
	// cronField matches the fields of NCRONTAB, which has neither ?, L, W and # nor a time zone.
	cronField = regexp.MustCompile(`^[0-9A-Za-z*/,-]+$`)
	// sunday7 matches a 7 that means Sunday, which cron accepts and NCRONTAB refuses.
	sunday7 = regexp.MustCompile(`(^|[,-])7($|[,/-])`)
	// numRange matches a range of numbers. If the first number is the greater one, NCRONTAB swaps them and cron wraps
	// around.
	numRange = regexp.MustCompile(`(\d+)-(\d+)`)
)

// parseSchedule parses an NCRONTAB expression of six fields {second} {minute} {hour} {day} {month} {weekday}.
// Occurrences are in UTC, as in Azure.
func parseSchedule(text string) (schedule, error) {
	fields := strings.Fields(text)
	if err := checkCronFields(text, fields); err != nil {
		return schedule{}, err
	}
	c, err := wallclock.ParseCron(fields)
	if err != nil {
		return schedule{}, fault.New(fault.Invalid, "schedule %q: %w", text, err)
	}
	return schedule{text: text, cron: c}, nil
}

func checkCronFields(text string, fields []string) error {
	if len(fields) != 6 {
		return fault.New(fault.Invalid,
			"schedule %q: want 6 fields {second} {minute} {hour} {day} {month} {weekday}, have %d", text, len(fields))
	}
	for _, f := range fields {
		if len(f) > 256 || !cronField.MatchString(f) {
			return fault.New(fault.Invalid, "schedule %q: %q is not NCRONTAB", text, f)
		}
		for _, r := range numRange.FindAllStringSubmatch(f, -1) {
			if whole(r[1]) > whole(r[2]) {
				return fault.New(fault.Invalid, "schedule %q: range %s runs backwards", text, r[0])
			}
		}
	}
	if sunday7.MatchString(fields[5]) {
		return fault.New(fault.Invalid, "schedule %q: weekdays are 0 (Sunday) to 6", text)
	}
	return nil
}

// next returns the first occurrence after t, in UTC. It is always later than t.
func (s schedule) next(t time.Time) time.Time { return s.cron.Next(t, time.UTC) }

// frequent reports whether the schedule fires more than once a minute. The real host handles such timers differently,
// and this app has no such timer.
func (s schedule) frequent() bool {
	first := s.next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
	return s.next(first).Sub(first) < time.Minute
}

var timeSpanForm = regexp.MustCompile(`^(\d\d):([0-5]\d):([0-5]\d)$`)

// parseTimeSpan parses the form of a .NET TimeSpan that Tidemark's host.json uses, hh:mm:ss. It refuses days,
// fractions and a single number, which .NET interprets as days.
func parseTimeSpan(s string) (time.Duration, error) {
	m := timeSpanForm.FindStringSubmatch(s)
	if m == nil || m[1] > "23" {
		return 0, fault.New(fault.Invalid, "want a time span such as 00:05:00, not %q", s)
	}
	seconds := whole(m[1])*3600 + whole(m[2])*60 + whole(m[3])
	return time.Duration(seconds) * time.Second, nil
}

// whole parses a few digits.
func whole(digits string) int {
	n, _ := strconv.Atoi(digits) // Unreachable: a pattern has matched a few digits
	return n
}
