package wire

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/form"
	"github.com/tidemark/tidemark/pkg/search"
)

// Age parses a span of time: day, week, month, year, or a length such as 1h, 36h or 7d.
func Age(field, text string) (time.Duration, error) {
	for _, age := range search.Ages {
		if text == age.Name {
			return age.Max, nil
		}
	}
	return form.Length(field, text)
}

// Since parses a time, a day, or an [Age], which is counted back from now. Empty text gives the zero time.
func Since(field, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if age, err := Age(field, text); err == nil {
		return now.Add(-age), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fault.Field(field,
		"%s must be a time such as 2026-03-01T12:00:00Z, a day such as 2026-03-01, or a span such as 1h, 7d or week, "+
			"not %.40q", field, text)
}
