package funchost

import (
	"testing"
	"time"
)

func TestParseTimeSpan(t *testing.T) {
	rows := []struct {
		name, text string
		want       time.Duration
		bad        bool
	}{
		{"hours, minutes, seconds", "01:02:03", time.Hour + 2*time.Minute + 3*time.Second, false},
		{"the longest", "23:59:59", 24*time.Hour - time.Second, false},
		{"none", "00:00:00", 0, false},
		{"two parts", "01:30", 0, true},
		{"days", "1.02:00:00", 0, true},
		{"fraction", "00:00:00.25", 0, true},
		{"negative", "-00:00:01", 0, true},
		{"lone number", "5", 0, true},
		{"second out of range", "00:00:60", 0, true},
		{"minute out of range", "00:60:00", 0, true},
		{"hour out of range", "24:00:00", 0, true},
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
