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

// TestN4CountdownInBlocks checks that a countdown that a page shows in several blocks is folded because of its words,
// and that other numbers in blocks of their own are not (N4).
func TestN4CountdownInBlocks(t *testing.T) {
	for _, row := range []struct {
		before, after string
		same          bool
	}{
		{"<p>Offer ends<h6>7</h6><p>Days<h6>10</h6><p>Hours<h6>41</h6><p>Minutes",
			"<p>Offer ends<h6>6</h6><p>Days<h6>22</h6><p>Hours<h6>2</h6><p>Minutes", true},
		{"<div>Offer Ends</div><div>12<b>Days</b>10<b>Hours</b>29<b>Minutes</b>59<b>Seconds</b></div>",
			"<div>Offer Ends</div><div>11<b>Days</b>22<b>Hours</b>39<b>Minutes</b>51<b>Seconds</b></div>", true},
		{"<p>Offer ends<h6>7</h6><p>Days<h6>10</h6><p>Hours<h6>41</h6><p>Minutes<p>49 EUR",
			"<p>Offer ends<h6>7</h6><p>Days<h6>10</h6><p>Hours<h6>41</h6><p>Minutes<p>59 EUR", false},
		{"<p>Journey<h6>7</h6><p>Days<h6>10</h6><p>Hours<h6>41</h6><p>Minutes",
			"<p>Journey<h6>6</h6><p>Days<h6>22</h6><p>Hours<h6>2</h6><p>Minutes", false},
		{"<p>Depth<p>7<p>metres", "<p>Depth<p>8<p>metres", false},
		{"<p>Ends<p>7<p>March", "<p>Ends<p>8<p>March", false},
	} {
		a, b := extractString(t, "<main>"+row.before+"</main>"), extractString(t, "<main>"+row.after+"</main>")
		if same := a.ContentHash() == b.ContentHash(); same != row.same {
			t.Errorf("%s: the same is %v", row.before, same)
		}
	}
}
