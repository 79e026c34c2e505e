package funchost

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseTimeSpan(t *testing.T) {
	rows := []struct {
		name, text string
		want       time.Duration
		bad        bool
	}{
		{"three parts are hours, minutes, seconds", "00:05:00", 5 * time.Minute, false},
		{"two parts are hours and minutes", "01:30", 90 * time.Minute, false},
		{"days", "1.02:00:00", 26 * time.Hour, false},
		{"ticks", "00:00:00.0000001", 100 * time.Nanosecond, false},
		{"fraction", "00:00:00.25", 250 * time.Millisecond, false},
		{"negative", "-00:00:01", -time.Second, false},
		{"lone number", "5", 0, true},
		{"minute out of range", "00:60:00", 0, true},
		{"hour out of range", "24:00:00", 0, true},
		{"too many days", "9999999.00:00:00", 0, true},
		{"empty", "", 0, true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			have, err := parseTimeSpan(row.text)
			if have != row.want || (err != nil) != row.bad {
				t.Errorf("have %v, %v; want %v", have, err, row.want)
			}
		})
	}
}

func TestTimeSpanRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(1000*24*time.Hour/100)).Draw(t, "ticks")) * 100
		rest := d % (24 * time.Hour)
		text := fmt.Sprintf("%d.%02d:%02d:%02d.%07d", d/(24*time.Hour), int(rest.Hours()), int(rest.Minutes())%60, int(rest.Seconds())%60, rest%time.Second/100)
		if have, err := parseTimeSpan(text); err != nil || have != d {
			t.Fatalf("%s: have %v, %v; want %v", text, have, err, d)
		}
	})
}

func FuzzParseSchedule(f *testing.F) {
	for _, s := range []string{"0 */5 * * * *", "00:05:00", "*/10 * * * * *", "0 0 0 29 2 *", "TZ=0 * * * * *", "0 0 0 31 2 *", "1.00:00:00", "0 30 9-17 * jan,feb mon-fri"} {
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

func TestParseSchedule(t *testing.T) {
	from := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(text string) time.Time { v, _ := time.Parse(time.DateTime, text); return v }
	rows := []struct {
		name, text string
		want       time.Time // zero for refused
	}{
		{"six fields", "0 */5 * * * *", at("2026-03-01 12:05:00")},
		{"five fields fire at second 0", "*/5 * * * *", at("2026-03-01 12:05:00")},
		{"day and weekday must both match", "0 0 0 13 * fri", at("2026-03-13 00:00:00")},
		{"leap day", "0 0 0 29 2 *", at("2028-02-29 00:00:00")},
		{"interval", "00:05:00", at("2026-03-01 12:05:00")},
		{"weekday 7 is refused", "0 0 0 * * 7", time.Time{}},
		{"weekday range to 7 is refused", "0 0 0 * * 1-7", time.Time{}},
		{"seven in a step is allowed", "*/7 * * * * *", at("2026-03-01 12:00:07")},
		{"question mark is refused", "0 0 0 ? * *", time.Time{}},
		{"time zone is refused", "TZ=UTC 0 0 0 * * *", time.Time{}},
		{"descriptor is refused", "@daily", time.Time{}},
		{"backward range is refused", "0 0 22-2 * * *", time.Time{}},
		{"never is refused", "0 0 0 31 2 *", time.Time{}},
		{"zero interval is refused", "00:00:00", time.Time{}},
		{"negative interval is refused", "-00:05:00", time.Time{}},
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
