package item

import "time"

// Watched is what is known of the part of a page that somebody watches, or of what counts of it (W10). The zero value
// is that of an item of which everything counts.
type Watched struct {
	// Key names the rules, and the version of ours, under which what follows was read.
	Key string `json:"key"`
	// States are short hashes of the texts that the part had last, as in [Seen].States; none while it never worked.
	States  []byte `json:"states,omitempty"`
	Letters int    `json:"letters,omitempty"` // of the last text while it worked
	// Broken says why the part is not there, or not as it was (W16); empty while it works. The states are then those of
	// before.
	Broken string    `json:"broken,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	// BrokenRaw is the hash of the body in which it is broken, which is not stored where only the part is indexed.
	BrokenRaw string `json:"brokenRaw,omitempty"`
	// Empty says that a person has accepted that nothing is found.
	Empty bool `json:"empty,omitempty"`
	// Asked says that a person accepts what the next reading finds.
	Asked bool `json:"asked,omitempty"`
}

// Works reports whether there is a part to watch, and it is there.
func (w *Watched) Works() bool { return w.Key != "" && w.Broken == "" }
