package funchost

import (
	"testing"
	"time"
)

func TestParseSchedule(t *testing.T) {
	from := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(text string) time.Time { v, _ := time.Parse(time.DateTime, text); return v }
	rows := []struct {
		name, text string
		want       time.Time // zero if refused
	}{
		{"six fields", "0 */5 * * * *", at("2026-03-01 12:05:00")},
		{"day and weekday must both match", "0 0 0 13 * fri", at("2026-03-13 00:00:00")},
		{"leap day", "0 0 0 29 2 *", at("2028-02-29 00:00:00")},
		{"first of February on a Sunday", "0 0 0 1 2 0", at("2032-02-01 00:00:00")},
		{"five fields are refused", "*/5 * * * *", time.Time{}},
		{"an interval is refused", "00:05:00", time.Time{}},
		{"weekday 7 is refused", "0 0 0 * * 7", time.Time{}},
		{"weekday range to 7 is refused", "0 0 0 * * 1-7", time.Time{}},
		{"seven in a step is allowed", "*/7 * * * * *", at("2026-03-01 12:00:07")},
		{"question mark is refused", "0 0 0 ? * *", time.Time{}},
		{"time zone is refused", "TZ=UTC 0 0 0 * * *", time.Time{}},
		{"descriptor is refused", "@daily", time.Time{}},
		{"backward range is refused", "0 0 22-2 * * *", time.Time{}},
		{"never is refused", "0 0 0 31 2 *", time.Time{}},
		{"seven fields are refused", "0 0 0 * * * 2026", time.Time{}},
		{"empty is refused", "", time.Time{}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			s, err := parseSchedule(row.text)
			if (err != nil) != row.want.IsZero() {
				t.Fatalf("error %v", err)
			}
			if err == nil && !s.next(from).Equal(row.want) {
				t.Errorf("have %v, want %v", s.next(from), row.want)
			}
		})
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, s := range []string{"0 */5 * * * *", "*/10 * * * * *", "0 0 0 29 2 *", "TZ=0 * * * * *", "0 0 0 31 2 *",
		"0 30 9-17 * jan,feb mon-fri"} {
		f.Add(s)
	}
	from := time.Date(2026, 3, 1, 12, 0, 0, 500, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSchedule(text)
		if err != nil {
			return
		}
		for at := from; at.Year() < 2027; {
			next := s.next(at)
			if !next.After(at) {
				t.Fatalf("%q: next after %v is %v", text, at, next)
			}
			if at = next; at.Sub(from) > time.Hour {
				break
			}
		}
	})
}
