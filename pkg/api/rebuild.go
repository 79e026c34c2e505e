package api

import "time"

// RebuildRequest asks to index anew what Scope names, everything when it is left out. What the index
// holds, or should hold, is read from the kept captures under the present rules, without asking a
// site; with Refetch the sites are asked instead. Force has the sites asked also for items that the
// index does not hold: those that failed, are excluded or Gone. With Audit only what the index holds
// otherwise than it should is indexed anew, and what has neither item nor entry is removed. Entries, what
// was pushed in, belong to no host: they are indexed anew with everything only.
type RebuildRequest struct {
	Scope   *RebuildScope `json:"scope,omitempty"`
	Force   bool          `json:"force,omitempty" query:"force" default:"false"`
	Refetch bool          `json:"refetch,omitempty"`
	Audit   bool          `json:"audit,omitempty"`
}

// RebuildScope limits a rebuild to one host.
type RebuildScope struct {
	Host string `json:"host,omitempty"`
}

// The states of a rebuild, in order.
const (
	RebuildMarking  = "marking"  // items are being asked to be indexed anew
	RebuildEntries  = "entries"  // of everything: entries are being put into the index
	RebuildClearing = "clearing" // of an audit: pages that have no item or entry are being removed
	RebuildIndexing = "indexing" // all have been asked, some still wait
	RebuildCounting = "counting" // none waits; what became of them is being added up
	RebuildDone     = "done"
)

// Rebuild is a rebuild that was accepted and goes on by itself.
type Rebuild struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Host    string `json:"host,omitempty"` // all hosts when empty
	Force   bool   `json:"force"`
	Refetch bool   `json:"refetch"`
	Audit   bool   `json:"audit"`
	Reason  string `json:"reason,omitempty"` // why it began by itself
	Items   int    `json:"items"`            // looked at so far
	Marked  int    `json:"marked"`           // of these, asked to be indexed anew
	Left    int    `json:"left"`             // of these, still waiting; those of other rebuilds of the scope included
	// What became of the marked ones, once it is done. What was deleted meanwhile, or asked again by a later
	// rebuild, is in none of them.
	Indexed int `json:"indexed"`
	KeptOut int `json:"keptOut"` // excluded, gone or duplicates
	Failed  int `json:"failed"`
	Entries int `json:"entries,omitempty"` // looked at so far, and put into the index
	// Of an audit: entries that the index held otherwise than it should, pages that had no item or entry and
	// are not there any more, and the first 50 of all differences.
	Mended   int       `json:"mended,omitempty"`
	Removed  int       `json:"removed,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	// Collisions are chunks whose uids were the same at first, once it is done; null when there were none.
	Collisions *Collisions `json:"collisions,omitempty"`
	StartedAt  time.Time   `json:"startedAt,omitzero"`
	UpdatedAt  time.Time   `json:"updatedAt,omitzero"`
	EndedAt    time.Time   `json:"endedAt,omitzero"`
}

// Collisions count chunks whose uids were the same at first, and were told apart (spec 002 §5.4).
type Collisions struct {
	Chunks    int      `json:"chunks"`
	ByContext int      `json:"byContext"` // told apart by more of what surrounds them
	ByOrdinal int      `json:"byOrdinal"` // told apart by counting
	Largest   int      `json:"largest"`   // most chunks that shared a uid
	Files     []string `json:"files"`     // ids of the items that they are of, the first 50
}

// Finding is how the index differed from what it should hold of an item.
type Finding struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

// RebuildID names a rebuild.
type RebuildID struct {
	ID string `json:"id"` // The rebuild.
}
