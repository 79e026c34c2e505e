package item

import "time"

// Watched is the state of the part of a page that is watched (W10). The zero value is the state of an item whose
// whole content counts.
type Watched struct {
	// Key identifies the rules, with their version, under which the other fields were made.
	Key string `json:"key"`
	// States are short hashes of the part's last texts, as in [Seen].States. States is empty if the watch has never
	// worked.
	States  []byte `json:"states,omitempty"`
	Letters int    `json:"letters,omitempty"` // number of letters in the last text that was found
	// Broken says why the part is missing or not as expected (W16). It is empty while the watch works. While Broken
	// is set, States keeps the hashes of the last texts that were found.
	Broken string    `json:"broken,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	// BrokenRaw is the hash of the body in which the part was not found as expected. Where only the part is indexed,
	// that body is not stored.
	BrokenRaw string `json:"brokenRaw,omitempty"`
	// Empty says that a person has accepted that the watch finds nothing.
	Empty bool `json:"empty,omitempty"`
	// Asked says that a person accepts whatever the next reading finds.
	Asked bool `json:"asked,omitempty"`
}

// Works reports whether a part is watched and was found.
func (w *Watched) Works() bool { return w.Key != "" && w.Broken == "" }
