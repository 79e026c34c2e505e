package noise

import "testing"

// TestH12LinesAlone checks that a position among pages, a long id and faces to press are folded where they stand alone,
// and that what a label names, a checksum, and a number of an account or of a book is not (H12).
func TestH12LinesAlone(t *testing.T) {
	prose := "The harbour master has closed the lock until the end of the month."
	for _, row := range []struct {
		above, a, b string
		same        bool
	}{
		{prose, "1 of 8", "2 of 8", true},
		{prose, "Page 1 of 8", "Page 3 of 9", true},
		{prose, "1 von 8", "2 von 8", true},
		{prose, "Seite 1 von 8", "Seite 2 von 8", true},
		{prose, "1 sur 8", "2 sur 8", true},
		{prose, "1 из 8", "2 из 8", true},
		{prose, "14829103746520938471", "99120374612837465012", true},
		{prose, "8f3a77b1-c2d4-4e5f-8a9b-0c1d2e3f4a5b", "0c1d2e3f-4a5b-4e5f-8a9b-8f3a77b1c2d4", true},
		{prose, "8f3a77b1c2d44e5f8a9b", "0c1d2e3f4a5b4e5f8a9b", true},
		{prose, "Did this help?", "Did this help?😞😐😃", true},
		{prose, "War das hilfreich? 👍👎", "War das hilfreich? 👍🏽 👎🏽", true},
		{prose, "Settings", "Skip to main content Settings", true},
		{prose, "Häfen", "Zum Inhalt springen Häfen", true},
		{prose, "Skip to content writers: a guide", "Writers: a guide", false},
		{"Free berths", "3 of 8", "2 of 8", false},
		{"Account:", "14829103746520938471", "99120374612837465012", false},
		{prose, "3 of 8 berths are free", "2 of 8 berths are free", false},
		{prose, "9 of 8", "8 of 8", false},
		{prose, "3/8", "4/8", false},
		{prose, "9780306406157", "9780306406158", false},
		{prose, "DE89370400440532013000", "DE89370400440532013001", false},
		{prose, "da39a3ee5e6b4b0d3255bfef95601890afd80709", "ea39a3ee5e6b4b0d3255bfef95601890afd80709", false},
		{prose, "The ferry is late 😞", "The ferry is late", false},
	} {
		hashed := func(line string) string {
			var s Filter
			s.Block(row.above)
			s.Block(line)
			return string(s.Out)
		}
		if same := hashed(row.a) == hashed(row.b); same != row.same {
			t.Errorf("%q, then %q and %q: the same is %v", row.above, row.a, row.b, same)
		}
	}
	var under, listed [2]Filter
	for i, line := range []string{"3 of 8", "2 of 8"} {
		under[i].Heading(2, "Free berths")
		under[i].Block(line)
		listed[i].List("- " + line)
	}
	if string(under[0].Out) == string(under[1].Out) || string(listed[0].Out) == string(listed[1].Out) {
		t.Error("a number below a heading or in a list is folded")
	}
}
