package discover

import (
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/identity/source"
)

// jobID is the id of a page however its address is written.
func jobID(t *testing.T, slug, address string) string {
	t.Helper()
	s, err := source.DefaultRules().ParseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	return JobID(slug, s.Normalized)
}

// TEST-1 of spec 004, by the ids that follow from it.
func TestE15CanonicalAddresses(t *testing.T) {
	for _, row := range [][2]string{
		{"https://example.com/page?b=2&a=1", "https://example.com/page?a=1&b=2"},
		{"https://example.com/page#section", "https://example.com/page"},
		{"https://example.com/page/", "https://example.com/page"},
	} {
		if a, b := jobID(t, "s", row[0]), jobID(t, "s", row[1]); a != b {
			t.Errorf("%s is %s, %s is %s", row[0], a, row[1], b)
		}
	}
}

// TEST-2 of spec 004: the same inputs give the same id for ever, here that of sha1sum; other
// sites and pages give others.
func TestE2JobID(t *testing.T) {
	const want = "backfill:narodne-novine:0adf53518ddc"
	have := jobID(t, "narodne-novine", "https://narodne-novine.nn.hr/123")
	if again := jobID(t, "narodne-novine", "https://narodne-novine.nn.hr/123"); have != want || again != have {
		t.Errorf("ids %s and %s, want %s", have, again, want)
	}
	others := map[string]bool{
		have: true, jobID(t, "narodne-novine", "https://narodne-novine.nn.hr/124"): true,
		jobID(t, "porezna-uprava", "https://narodne-novine.nn.hr/123"): true,
	}
	if len(others) != 3 {
		t.Errorf("ids are not told apart: %v", others)
	}
	if parts := strings.Split(have, ":"); len(parts) != 3 || len(parts[2]) != 12 {
		t.Errorf("%s is not of three parts, the last of 12 digits", have)
	}
}
