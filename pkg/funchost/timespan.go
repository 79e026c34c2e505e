package funchost

import (
	"regexp"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/fault"
)

var timeSpanForm = regexp.MustCompile(`^(-)?(?:(\d{1,7})\.)?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?$`)

// parseTimeSpan reads a .NET TimeSpan: [-][d.]hh:mm[:ss[.fffffff]]. A lone number is refused
// although .NET reads it as days, because whoever writes "5" means something else.
func parseTimeSpan(s string) (time.Duration, error) {
	m := timeSpanForm.FindStringSubmatch(s)
	if m == nil {
		return 0, fault.New(fault.Invalid, "want a time span such as 00:05:00, not %q", s)
	}
	days, hours, minutes, seconds := whole(m[2]), whole(m[3]), whole(m[4]), whole(m[5])
	if hours > 23 || minutes > 59 || seconds > 59 || days > 100_000 {
		return 0, fault.New(fault.Invalid, "time span %q has a part out of range", s)
	}
	d := time.Duration(days)*24*time.Hour + time.Duration(hours)*time.Hour +
		time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second + ticks(m[6])
	if m[1] != "" {
		d = -d
	}
	return d, nil
}

// whole reads digits that the form has already bounded; absent means zero.
func whole(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}

// ticks reads a decimal fraction of a second of at most seven digits.
func ticks(digits string) time.Duration {
	if digits == "" {
		return 0
	}
	f, _ := strconv.ParseFloat("0."+digits, 64)
	return time.Duration(f*1e7+0.5) * 100
}
