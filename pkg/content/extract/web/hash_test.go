package web

import (
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract"
)

// TestH7TheBodyIsToldFromTheTitle checks that the hash of the body covers the same text as the content hash, without
// the title.
func TestH7TheBodyIsToldFromTheTitle(t *testing.T) {
	page := newsPage(t)
	doc := extractString(t, page)
	known := doc.Hashes().Body
	for name, row := range map[string]struct {
		title, text string
		same        bool
	}{
		"the same":      {doc.Title, doc.Blocks[0].Text, true},
		"another title": {"Another", doc.Blocks[0].Text, true},
		"another text":  {doc.Title, "Another", false},
		"spaces":        {doc.Title, "  " + doc.Blocks[0].Text + "\n ", true},
	} {
		other := doc
		other.Title, other.Blocks = row.title, append([]extract.Block{{Text: row.text}}, doc.Blocks[1:]...)
		body := other.Hashes().Body
		if same := body == known; same != row.same {
			t.Errorf("%s: the same is %v", name, same)
		}
	}
}
