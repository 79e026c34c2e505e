package registry

import (
	"cmp"
	"time"
)

// Watched is the state of the part of a page that is watched (W10). It is zero for an item whose whole content is
// watched.
type Watched struct {
	// Key identifies the rules under which the other fields were computed, and the version of these rules.
	Key string `json:"key"`
	// States are short hashes of the part's last texts, as in [Seen].States. States is empty if the part was never
	// found.
	States  []byte `json:"states,omitempty"`
	Letters int    `json:"letters,omitempty"` // number of letters in the part when it was last found
	// Broken is the reason why the part is missing or not as expected (W16). It is empty while the part is as
	// expected. While Broken is set, States keeps the hashes of the last texts that were as expected.
	Broken string    `json:"broken,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	// BrokenRaw is the hash of the body in which the part was not as expected. If only the part is indexed, that body
	// is not stored.
	BrokenRaw string `json:"brokenRaw,omitempty"`
	// Empty records that a person has accepted that there is no such part.
	Empty bool `json:"empty,omitempty"`
	// Asked records that a person accepts whatever the next reading finds.
	Asked bool `json:"asked,omitempty"`
}

// Works reports whether a part is watched and was found as expected.
func (w *Watched) Works() bool { return w.Key != "" && w.Broken == "" }

// BrokenWatch says what is watched and is not there: the watched part, or the source of a field. It is empty if
// everything is there.
func BrokenWatch(it *Item) string { return cmp.Or(it.Watched.Broken, it.Fields.Broken()) }
