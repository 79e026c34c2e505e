package fetch

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads seconds or a date (RFC 9110 §10.2.3) relative to now, limited to [0, MaxRetryAfter].
func retryAfter(value string, now time.Time) time.Duration {
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		return retrySeconds(value)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), MaxRetryAfter)
}

func retrySeconds(digits string) time.Duration {
	seconds, err := strconv.ParseInt(digits, 10, 32)
	if err != nil { // the only possible error is out of range
		return MaxRetryAfter
	}
	return min(time.Duration(seconds)*time.Second, MaxRetryAfter)
}
