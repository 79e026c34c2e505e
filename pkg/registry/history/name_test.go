package history

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// A17: TestA17CapturesAreReadByTheirName checks the name of the file that a capture is of, which may decide how its
// text is read.
func TestA17CapturesAreReadByTheirName(t *testing.T) {
	for _, tt := range []struct{ fetched, canonical, want string }{
		{"https://a.example/docs/readme.md?x=1#y", "", "readme.md"}, {"", "https://a.example/a.csv", "a.csv"},
		{"", "azblob://x/y/a b.json", "a%20b.json"}, {"", `C:\notes\a.md`, "a.md"}, {"", "/srv/a.md", "a.md"},
		{"https://a.example", "", "a.example"}, {"", "", "."},
	} {
		if have := fileName(snapshot.Capture{FetchURL: tt.fetched, CanonicalURI: tt.canonical}); have != tt.want {
			t.Errorf("%q, %q: have %q, want %q", tt.fetched, tt.canonical, have, tt.want)
		}
	}
}
