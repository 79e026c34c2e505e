package registry

import "testing"

// TestA6LastModified checks that the column has a time, and that the header comes back to the letter (A6).
func TestA6LastModified(t *testing.T) {
	const iso = "2025-08-20T12:00:00.000Z"
	for header, want := range map[string]string{
		"":                                  "",
		"Wed, 20 Aug 2025 12:00:00 GMT":     iso,
		"Wed, 20 Aug 2025 12:00:00 +0200":   "",
		"Wednesday, 20-Aug-25 12:00:00 GMT": iso,
		"Wed Aug 20 12:00:00 2025":          iso,
		"yesterday":                         "",
	} {
		var it Item
		it.SetLastModified(header)
		if it.HTTPLastModified != want || it.LastModified() != header {
			t.Errorf("%q: column %q, header %q", header, it.HTTPLastModified, it.LastModified())
		}
	}
}
