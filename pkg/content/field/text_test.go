package field_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/content/field"
)

func euros(n field.Decimal) field.Value {
	return field.Value{Type: field.Money, Number: n, Currency: "EUR"}
}

func stock(name string) field.Value { return field.Value{Type: field.Availability, Text: name} }

// TestG2ChangesInWords checks how changes are written in messages (G2).
func TestG2ChangesInWords(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	may, lastMay := time.Date(2026, 5, 3, 8, 0, 0, 0, time.UTC), time.Date(2025, 5, 3, 8, 0, 0, 0, time.UTC)
	day := time.Date(2026, 11, 3, 8, 0, 0, 0, time.UTC)
	none, dollars := field.Value{}, field.Value{Type: field.Money, Number: "84", Currency: "USD"}
	word := func(text string) field.Value { return field.Value{Type: field.Text, Text: text} }
	number := func(n field.Decimal) field.Value { return field.Value{Type: field.Number, Number: n} }
	date := func(text string) field.Value { return field.Value{Type: field.Date, Text: text} }
	price := func(n, high field.Decimal, from bool, per string) field.Value {
		return field.Value{Type: field.Money, Number: n, High: high, From: from, Currency: "EUR", Per: per}
	}
	for _, tc := range []struct {
		before, after, low field.Value
		at                 time.Time
		want               string
	}{
		{euros("79"), euros("84"), euros("72"), may, "79 → 84 EUR (lowest 72 in May)"},
		{euros("79"), euros("84"), euros("72"), lastMay, "79 → 84 EUR (lowest 72 in May 2025)"},
		{euros("79"), euros("84"), euros("72"), day, "79 → 84 EUR (lowest 72 on 3 Nov)"},
		{euros("79"), euros("84"), euros("72"), time.Time{}, "79 → 84 EUR (lowest 72)"},
		{euros("79"), euros("70"), euros("75"), may, "79 → 70 EUR (lowest until now, before 75 in May)"},
		{euros("79"), euros("75"), euros("75"), may, "79 → 75 EUR (lowest 75 in May)"},
		{euros("79.5"), euros("84"), none, day, "79.50 → 84 EUR"},
		{euros("79"), dollars, euros("72"), may, "79 EUR → 84 USD"},
		{none, euros("59"), none, day, "→ 59 EUR"},
		{none, euros("59"), euros("52"), may, "→ 59 EUR (lowest 52 in May)"},
		{euros("59"), none, euros("52"), may, "59 EUR → none"},
		{price("12.9", "19.9", false, ""), price("9.9", "19.9", false, ""), price("12.9", "19.9", false, ""), day,
			"12.90–19.90 → 9.90–19.90 EUR (lowest until now)"},
		{euros("89"), euros("79"), euros("89"), may, "89 → 79 EUR (lowest until now)"},
		{none, euros("49"), euros("52"), may, "→ 49 EUR (lowest until now, before 52 in May)"},
		{price("9.9", "", true, ""), price("8.9", "", true, ""), price("7.9", "", true, ""), may,
			"from 9.90 → from 8.90 EUR (lowest from 7.90 in May)"},
		{price("9.9", "", false, "month"), price("11", "", false, "month"), price("8", "", false, "month"), may,
			"9.90 → 11 EUR per month (lowest 8 in May)"},
		{price("9.9", "", false, "month"), price("99", "", false, "year"), price("8", "", false, "month"), may,
			"9.90 EUR per month → 99 EUR per year"},
		{number("4.5"), number("4.6"), number("3.9"), lastMay, "4.5 → 4.6 (lowest 3.9 in May 2025)"},
		{stock("InStock"), stock("SoldOut"), none, day, "in stock → sold out"},
		{stock("OutOfStock"), stock("LimitedAvailability"), none, day, "out of stock → limited availability"},
		{none, stock("PreOrder"), none, day, "→ pre order"},
		{stock("InStock"), none, none, day, "in stock → none"},
		{word("1.4.2"), word("1.5.0"), none, day, "1.4.2 → 1.5.0"},
		{date("2026-11-26"), date("2026-11-27"), date("2026-11-01"), day, "2026-11-26 → 2026-11-27"},
		{word(strings.Repeat("a", 300)), word("b"), none, day, strings.Repeat("a", 80) + "… → b"},
	} {
		c := field.Change{Then: field.Moment{Value: tc.before},
			Now: field.Moment{Value: tc.after, Seen: field.Seen{Lowest: field.Point{Value: tc.low, At: tc.at}}}}
		if have := c.Text(now); have != tc.want {
			t.Errorf("have %q\nwant %q", have, tc.want)
		}
	}
}

// TestG2ChangesWithoutABefore checks how a first value is written, and one that is as it was at the check before (G2).
func TestG2ChangesWithoutABefore(t *testing.T) {
	now := time.Date(2026, 11, 30, 23, 30, 0, 0, time.UTC)
	first := field.Change{Now: field.Moment{Value: euros("84")}, First: true}
	if have := first.Text(now); have != "84 EUR" {
		t.Errorf("first: %q", have)
	}
	gone := field.Change{First: true, State: field.Disappeared}
	if have := gone.Text(now); have != "none" {
		t.Errorf("nothing at the first check: %q", have)
	}
	seen := field.Seen{Lowest: field.Point{Value: euros("72"), At: now.Add(-time.Hour)}}
	same := field.Change{Then: field.Moment{Value: euros("72")}, Now: field.Moment{Value: euros("72"), Seen: seen},
		Same: true}
	if have := same.Text(now); have != "72 EUR (lowest 72 on 30 Nov)" {
		t.Errorf("same: %q", have)
	}
	there := now.In(time.FixedZone("there", 3600))
	if have := same.Text(there); have != "72 EUR (lowest 72 in November)" {
		t.Errorf("in a zone where it is December: %q", have)
	}
}
