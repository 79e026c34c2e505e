package lineage

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	v1 Version = "http_snapshot_url_v1_text_v1"
	v2 Version = "http_snapshot_url_v1_text_v2"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func captured(id, uri, content string, hour int) Capture {
	return Capture{ID: CaptureID(id), Version: v1, CanonicalURI: uri, ContentHash: content,
		At: noon.Add(time.Duration(hour) * time.Hour)}
}

func of(v Version, c Capture) Capture {
	c.Version = v
	return c
}

func TestB4Supersede(t *testing.T) {
	in := captured("in", "uri", "content", 9)
	edge := func(older, reason, selected, uri, content string, conflict bool) Edge {
		return Edge{Newer: "in", Older: CaptureID(older), At: in.At, Version: v1, Metadata: Metadata{
			Reason: reason, Selected: selected, ConflictResolved: conflict,
			CanonicalURIMatch: CaptureID(uri), ContentSHA256Match: CaptureID(content),
		}}
	}
	for _, tt := range []struct {
		name       string
		candidates []Capture
		want       Edge // zero: no edge
	}{
		{"nothing stands", nil, Edge{}},
		{"nothing matches", []Capture{captured("a", "other", "other", 1)}, Edge{}},
		{"B4 by URI", []Capture{captured("a", "uri", "other", 1)}, edge("a", SameURI, selectedURI, "a", "", false)},
		{"B4 by content", []Capture{captured("a", "other", "content", 1)},
			edge("a", sameContent, selectedContent, "", "a", false)},
		{"B4 one matches both", []Capture{captured("a", "uri", "content", 1)},
			edge("a", sameContent, selectedContent, "a", "a", false)},
		{"B4 content wins, though older", []Capture{captured("a", "other", "content", 1), captured("b", "uri", "other", 2)},
			edge("a", sameContent, selectedContent, "b", "a", true)},
		{"B4 most recent of one field", []Capture{captured("b", "uri", "x", 2), captured("c", "uri", "y", 3),
			captured("a", "uri", "z", 1)},
			edge("c", SameURI, selectedURI, "c", "", false)},
		{"B4 larger id of equally recent", []Capture{captured("a", "uri", "x", 1), captured("c", "uri", "y", 1),
			captured("b", "uri", "z", 1)},
			edge("c", SameURI, selectedURI, "c", "", false)},
		{"B4 more recent before larger id", []Capture{captured("z", "uri", "x", 1), captured("a", "uri", "y", 2)},
			edge("a", SameURI, selectedURI, "a", "", false)},
		{"B3 another version", []Capture{of(v2, captured("a", "uri", "content", 1))}, Edge{}},
		{"B3 another version is passed over", []Capture{of(v2, captured("b", "uri", "content", 2)),
			captured("a", "uri", "other", 1)},
			edge("a", SameURI, selectedURI, "a", "", false)},
		{"B3 no version", []Capture{of("", captured("a", "uri", "content", 1))}, Edge{}},
		{"itself", []Capture{captured("in", "uri", "content", 1)}, Edge{}},
		{"itself is passed over", []Capture{captured("in", "uri", "content", 3), captured("a", "uri", "other", 2)},
			edge("a", SameURI, selectedURI, "a", "", false)},
		{"no URI and no content match nothing", []Capture{captured("a", "", "", 1)}, Edge{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			have, found := Supersede(in, tt.candidates)
			if diff := cmp.Diff(tt.want, have); diff != "" || found != (tt.want.Older != "") {
				t.Errorf("found %v (-want +have):\n%s", found, diff)
			}
		})
	}
	if e, found := Supersede(Capture{ID: "in", Version: v1}, []Capture{{ID: "a", Version: v1}}); found {
		t.Errorf("nothing is the same as nothing: %+v", e)
	}
}

// TestB4OrderDoesNotMatter checks that the order of the candidates does not matter, and that the chosen one matches.
func TestB4OrderDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		some := func() Capture {
			c := captured(fmt.Sprint(rng.IntN(6)), fmt.Sprint(rng.IntN(3)), fmt.Sprint(rng.IntN(3)), rng.IntN(3))
			if rng.IntN(4) == 0 {
				c.Version = v2
			}
			return c
		}
		in, list := some(), []Capture{some(), some(), some(), some()}
		want, _ := Supersede(in, list)
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		have, found := Supersede(in, list)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Fatalf("%v among %v (-first +shuffled):\n%s", in, list, diff)
		}
		if found && (have.Older == in.ID || have.Older == "") {
			t.Fatalf("%v supersedes %v", in, have)
		}
	}
}

func TestCaptureID(t *testing.T) {
	id := NewCaptureID("url_a", "sha256:00ff")
	if item, digest := id.Split(); id != "url_a/00ff" || item != "url_a" || digest != "00ff" ||
		NewCaptureID("url_a", "00ff") != id {
		t.Errorf("%s is %s and %s", id, item, digest)
	}
}
