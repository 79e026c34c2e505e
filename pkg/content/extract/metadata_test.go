package extract

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// H4: TestH4BelievableDates checks that dates in the future, before the web, or in the wrong order are removed.
func TestH4BelievableDates(t *testing.T) {
	now := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	day := func(n int) time.Time { return now.AddDate(0, 0, n) }
	for name, tc := range map[string]struct{ in, want Metadata }{
		"nothing wrong":       {Metadata{Published: day(-2), Modified: now}, Metadata{Published: day(-2), Modified: now}},
		"another time zone":   {Metadata{Published: now.Add(14 * time.Hour)}, Metadata{Published: now.Add(14 * time.Hour)}},
		"the future":          {Metadata{Published: day(2), Modified: day(3)}, Metadata{}},
		"before the web":      {Metadata{Published: time.Unix(0, 0), Modified: day(-1)}, Metadata{Modified: day(-1)}},
		"modified before":     {Metadata{Published: day(-1), Modified: day(-2)}, Metadata{Published: day(-1)}},
		"nothing":             {Metadata{Author: "Ada"}, Metadata{Author: "Ada"}},
		"the first of 1990":   {Metadata{Published: earliest}, Metadata{Published: earliest}},
		"the last of the 80s": {Metadata{Published: earliest.Add(-1)}, Metadata{}},
	} {
		if diff := cmp.Diff(tc.want, tc.in.Believable(now)); diff != "" {
			t.Errorf("%s: -want +have\n%s", name, diff)
		}
	}
}
