package wallclock

import (
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Clock{
		"07:30": 450, "00:00": 0, "23:59": 1439, "7:30": 450, "7:30 PM": 1170, "9am": 540,
		"noon": 720,
	} {
		if have, err := Parse(text); err != nil || have != want {
			t.Errorf("Parse(%q) = %d, %v, want %d", text, have, err, want)
		}
	}
	for _, text := range []string{"", "7", "07:30:00", "24:00", "7:30 xm", "07:60", "7:3"} {
		if have, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %d", text, have)
		}
	}
}

func TestParseSpoken(t *testing.T) {
	for text, want := range map[string]Clock{
		"9am": 540, "12am": 0, "12pm": 720, "9:30pm": 1290, "17:00": 1020, "9.05": 545, "8h15": 495, "noon": 720,
		"midnight": 0,
	} {
		if have, ok := ParseSpoken(text); !ok || have != want {
			t.Errorf("ParseSpoken(%q) = %d, %t, want %d", text, have, ok, want)
		}
	}
	for _, text := range []string{"", "9", "13pm", "0am", "24:00", "9:60", "9AM", "soon"} {
		if have, ok := ParseSpoken(text); ok {
			t.Errorf("ParseSpoken(%q) = %d", text, have)
		}
	}
}

func TestZone(t *testing.T) {
	for name, want := range map[string]string{"": "UTC", "UTC": "UTC", "Europe/Paris": "Europe/Paris"} {
		if zone, err := Zone(name); err != nil || zone.String() != want {
			t.Errorf("Zone(%q) = %v, %v", name, zone, err)
		}
	}
	for _, name := range []string{"Local", "Europe/Atlantis", "../etc/passwd"} {
		if zone, err := Zone(name); err == nil {
			t.Errorf("Zone(%q) = %v", name, zone)
		}
	}
}

func TestNextOverSummerTime(t *testing.T) {
	paris, err := Zone("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	evening := time.Date(2026, 3, 28, 21, 0, 0, 0, paris) // at 2:00 that night the clocks go forward to 3:00
	if have := Clock(7*60).Next(evening, paris); !have.Equal(evening.Add(9 * time.Hour)) {
		t.Errorf("seven o'clock after the change is %s", have)
	}
	if have := Clock(21*60).Next(evening, paris); !have.Equal(evening.Add(23 * time.Hour)) {
		t.Errorf("the same time on the next day is %s", have)
	}
}

func TestHours(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
	night, noon := &Hours{22 * 60, 7 * 60, time.UTC}, &Hours{12 * 60, 13 * 60, time.UTC}
	for _, row := range []struct {
		hours *Hours
		hour  int
		over  time.Time
	}{
		{night, 21, at(21)}, {night, 22, at(31)}, {night, 6, at(7)}, {night, 7, at(7)},
		{noon, 11, at(11)}, {noon, 12, at(13)}, {noon, 13, at(13)}, {nil, 3, at(3)}, {&Hours{60, 60, time.UTC}, 1, at(1)},
	} {
		if have := row.hours.Over(at(row.hour)); !have.Equal(row.over) {
			t.Errorf("%v at %d: over at %s, want %s", row.hours, row.hour, have, row.over)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("07:30")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := Parse(text); err == nil && (c < 0 || c >= 24*60) {
			t.Errorf("%q is %d", text, c)
		}
	})
}
