package item

import "time"

// Watched is the state of the part of a page that is watched, or that counts (W10). The zero value is the state of an
// item of which everything counts.
type Watched struct {
	// Key names the rules, and their version, under which the other fields were read.
	Key string `json:"key"`
	// States are short hashes of the part's last texts, as in [Seen].States; empty while the watch never worked.
	States  []byte `json:"states,omitempty"`
	Letters int    `json:"letters,omitempty"` // in the last text while the watch worked
	// Broken says why the part is missing or not as expected (W16); empty while the watch works. States then keeps
	// the last working texts.
	Broken string    `json:"broken,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	// BrokenRaw is the hash of the body in which the watch is broken. That body is not stored where only the part is
	// indexed.
	BrokenRaw string `json:"brokenRaw,omitempty"`
	// Empty says that a person has accepted that nothing is found.
	Empty bool `json:"empty,omitempty"`
	// Asked says that a person accepts whatever the next reading finds.
	Asked bool `json:"asked,omitempty"`
}

// Works reports whether a part is watched and was found.
func (w *Watched) Works() bool { return w.Key != "" && w.Broken == "" }
