package funchost

import (
	"regexp"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

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
