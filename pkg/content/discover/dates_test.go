package discover

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestE8ParseDates(t *testing.T) {
	for _, row := range []struct {
		name, from, to string
		want           Dates
		blames         string
	}{
		{name: "none"},
		{name: "a dateTo that is a date includes it", from: "2024-06-01", to: "2024-06-30",
			want: Dates{at("2024-06-01T00:00:00Z"), at("2024-07-01T00:00:00Z")}},
		{name: "one day", from: "2024-02-29", to: "2024-02-29",
			want: Dates{at("2024-02-29T00:00:00Z"), at("2024-03-01T00:00:00Z")}},
		{name: "times are what they say", from: "2024-06-01T10:00:00+02:00", to: "2024-06-01T09:00:00Z",
			want: Dates{at("2024-06-01T08:00:00Z"), at("2024-06-01T09:00:00Z")}},
		{name: "open end", from: "2024-06-01", want: Dates{From: at("2024-06-01T00:00:00Z")}},
		{name: "no such day", from: "2023-02-29", blames: "dateFrom"},
		{name: "another form", to: "30.06.2024", blames: "dateTo"},
		{name: "before the first year", from: "0000-01-01", blames: "dateFrom"},
		{name: "the wrong way round", from: "2024-06-02", to: "2024-06-01", blames: "dateTo"},
	} {
		t.Run(row.name, func(t *testing.T) {
			have, err := ParseDates(row.from, row.to)
			if fault.FieldOf(err) != row.blames || (err != nil) != (row.blames != "") {
				t.Fatalf("error %v, want one that blames %q", err, row.blames)
			}
			if diff := cmp.Diff(row.want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestE8DatesOfPages(t *testing.T) {
	june, err := ParseDates("2024-06-01", "2024-06-30")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, lastMod string // as a sitemap writes it
		want, wantMap bool
	}{
		{"unknown", "", true, true},
		{"the first moment", "2024-06-01T00:00:00Z", true, true},
		{"just before", "2024-05-31T23:59:59Z", false, false},
		{"just before, by its zone", "2024-06-01T01:00:00+02:00", false, false},
		{"the last day", "2024-06-30", true, true},
		{"the day after", "2024-07-01", false, true},
		{"the day before", "2024-05-31", false, false},
		{"the month", "2024-06", true, true},
		{"the month before", "2024-05", false, false},
		{"the year, somewhere in it", "2024", true, true},
		{"the year before", "2023", false, false},
		{"unreadable", "yesterday", true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			var l Link
			l.LastMod, l.Span = lastMod(row.lastMod)
			if have := june.Want(l); have != row.want {
				t.Errorf("Want is %v", have)
			}
			if have := june.WantMap(l); have != row.wantMap {
				t.Errorf("WantMap is %v", have)
			}
			if !(Dates{}).Want(l) || !(Dates{}).WantMap(l) {
				t.Error("without dates everything is wanted")
			}
		})
	}
}

// unix is a time by seconds, at most some ten thousand years away.
func unix(seconds int64) time.Time { return time.Unix(seconds%(300<<30), 0) }
