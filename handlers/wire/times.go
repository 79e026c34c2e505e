package wire

import (
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/search"
)

// Since parses a time, a day, or an age such as week, which is counted back from now. Empty text gives the zero time.
func Since(field, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, age := range search.Ages {
		if text == age.Name {
			return now.Add(-age.Max), nil
		}
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fault.Field(field,
		"%s must be a time such as 2026-03-01T12:00:00Z, a day such as 2026-03-01, or day, week, month or year, not %.40q",
		field, text)
}
