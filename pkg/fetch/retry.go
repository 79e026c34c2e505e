package fetch

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

// retryNumber matches a number, which may have a unit. Where a header occurs twice, the first value counts.
var retryNumber = regexp.MustCompile(`(?i)^(\d+(?:\.\d*)?|\.\d+)\s*(?:(ms|milliseconds?)|(s|secs?|seconds?)?|` +
	`(m|mins?|minutes?)|(h|hrs?|hours?)|(d|days?))\s*(?:[,;].*)?$`)

// retryUnits are the units of [retryNumber], by its groups.
var retryUnits = []time.Duration{2: time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour}

// RetryAfter reads the value of a Retry-After header: seconds or a date (RFC 9110 §10.2.3) relative to now, limited to
// [0, MaxRetryAfter]. It also reads other units, times since 1970, and the forms of dates that [wallclock.ParseDate] reads.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.Trim(value, " \t\"'")
	at, isTime := wallclock.Epoch(value)
	if m := retryNumber.FindStringSubmatch(value); m != nil && !isTime {
		return retryAfter(m)
	}
	if !isTime {
		if at, _, isTime = wallclock.ParseDate(value); !isTime {
			return 0
		}
	}
	return min(max(at.Sub(now), 0), MaxRetryAfter)
}

// retryAfter returns the time that a match of [retryNumber] names.
func retryAfter(match []string) time.Duration {
	unit := time.Second
	for i, known := range retryUnits {
		if known != 0 && match[i] != "" {
			unit = known
		}
	}
	number, _ := strconv.ParseFloat(match[1], 64) // +Inf for a number that is too large
	return time.Duration(min(number*float64(unit), float64(MaxRetryAfter)))
}
