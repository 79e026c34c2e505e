package fetch

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/robots"
)

// RetryAfter reads the value of a Retry-After header: seconds or a date (RFC 9110 §10.2.3) relative to now, limited to
// [0, MaxRetryAfter]. It also reads fractions of seconds, and the forms of dates that [robots.ParseDate] reads.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value != "" && strings.Trim(value, "0123456789.") == "" {
		return retrySeconds(value)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		var ok bool
		if at, ok = robots.ParseDate(value); !ok {
			return 0
		}
	}
	return min(max(at.Sub(now), 0), MaxRetryAfter)
}

func retrySeconds(number string) time.Duration {
	seconds, err := strconv.ParseFloat(number, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		return 0
	case seconds >= MaxRetryAfter.Seconds():
		return MaxRetryAfter
	}
	return time.Duration(seconds * float64(time.Second))
}
