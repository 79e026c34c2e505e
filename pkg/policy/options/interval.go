package options

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

var (
	lengthText = regexp.MustCompile(`^(\d{1,6}(s|m|h|d|w))+$`)
	lengthPart = regexp.MustCompile(`(\d+)([smhdw])`)
)

var units = map[string]time.Duration{
	"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

// Length parses a duration: 90s, 15m, 1h30m, 7d, 2w.
func Length(field, text string) (time.Duration, error) {
	text = strings.ToLower(strings.ReplaceAll(text, " ", ""))
	if len(text) > 40 || !lengthText.MatchString(text) {
		return 0, fault.Field(field, "%s must be a time such as 15m, 1h30m, 7d or 2w, not %.40q", field, text)
	}
	var d time.Duration
	for _, part := range lengthPart.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(part[1]) // Unreachable: at most six digits
		d += time.Duration(n) * units[part[2]]
	}
	if d < leastInterval || d > longestInterval {
		return 0, fault.Field(field, "%s is %.40q; allowed are 1m to 3650d", field, text)
	}
	return d, nil
}

func (i *Interval) validate() error {
	if i == nil {
		return nil
	}
	least, most, err := i.bounds()
	if err == nil && least > 0 && most > 0 && least > most {
		err = fault.Field("interval.max", "interval.max is %.40q, which is less than interval.min", i.Max)
	}
	return err
}

// bounds returns the shortest and the longest time between checks; zero for a time that is not set.
func (i *Interval) bounds() (least, most time.Duration, err error) {
	if i.Min != "" {
		if least, err = Length("interval.min", i.Min); err != nil {
			return 0, 0, err
		}
	}
	if i.Max != "" {
		most, err = Length("interval.max", i.Max)
	}
	return least, most, err
}
