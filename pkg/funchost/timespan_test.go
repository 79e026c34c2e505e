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
