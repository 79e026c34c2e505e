package command

import "testing"

// TestNewReadsHelp checks that a command has the parts of its help text.
func TestNewReadsHelp(t *testing.T) {
	for _, tt := range []struct{ help, use, short, long, example string }{
		{"version\nPrint it", "version", "Print it", "", ""},
		{"show ID\nShow it\n\n  tidemark show 1\n  tidemark show 2", "show ID", "Show it", "",
			"  tidemark show 1\n  tidemark show 2"},
		{"show ID\nShow it\n\nShow it all:\n\n  a table\n\nThat is all.", "show ID", "Show it",
			"Show it all:\n\n  a table\n\nThat is all.", ""},
		{"show ID\nShow it\n\nShow it all:\n\n  a table\n\n  tidemark show 1", "show ID", "Show it",
			"Show it all:\n\n  a table", "  tidemark show 1"},
	} {
		c := New(tt.help, nil, nil)
		have := [4]string{c.Use, c.Short, c.Long, c.Example}
		if want := [4]string{tt.use, tt.short, tt.long, tt.example}; have != want {
			t.Errorf("%q:\nhave %q\nwant %q", tt.help, have, want)
		}
	}
}
