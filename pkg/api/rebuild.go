package api

import "time"

// RebuildRequest indexes everything in Scope again, or all items if Scope is left out. By default, items are read
// from their stored captures under the current rules, and no site is contacted. With Refetch, pages are fetched again
// instead. With Force, items that are not in the index are fetched as well, whether they failed, are excluded or are
// Gone. With Audit, only items whose content in the index is wrong are indexed again, and content that belongs to no
// item and no entry is removed. Entries belong to no host, so they are included only when Scope is left out.
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
	RebuildMarking  = "marking"  // items are being marked for indexing
	RebuildEntries  = "entries"  // without a scope: entries are being indexed
	RebuildClearing = "clearing" // in an audit: pages without an item or an entry are being removed
	RebuildIndexing = "indexing" // all items are marked, and some still wait to be indexed
	RebuildCounting = "counting" // no item waits; results are being counted
	RebuildDone     = "done"
)

// Rebuild is a rebuild of the index. It continues in the background.
type Rebuild struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Host    string `json:"host,omitempty"` // all hosts when empty
	Force   bool   `json:"force"`
	Refetch bool   `json:"refetch"`
	Audit   bool   `json:"audit"`
	Reason  string `json:"reason,omitempty"` // why the rebuild started, if nobody requested it
	Items   int    `json:"items"`            // items examined so far
	Marked  int    `json:"marked"`           // examined items that were marked for indexing
	Left    int    `json:"left"`             // marked items that wait, including those of other rebuilds of the scope
	// Indexed, KeptOut and Failed are the results for the marked items, once the rebuild is done. Items that were
	// deleted meanwhile, or marked again by a later rebuild, are not counted.
	Indexed int `json:"indexed"`
	KeptOut int `json:"keptOut"` // items that are excluded, gone or duplicates
	Failed  int `json:"failed"`
	Entries int `json:"entries,omitempty"` // entries that were examined and indexed so far
	Mended  int `json:"mended,omitempty"`  // in an audit: entries whose content in the index was wrong
	// in an audit: pages that were removed from the index because they belonged to no item and no entry
	Removed  int       `json:"removed,omitempty"`
	Findings []Finding `json:"findings,omitempty"` // in an audit: the first 50 differences
	// Collisions counts chunks that had equal uids at first. It is set once the rebuild is done, and null if no uids
	// were equal.
	Collisions *Collisions `json:"collisions,omitempty"`
	StartedAt  time.Time   `json:"startedAt,omitzero"`
	UpdatedAt  time.Time   `json:"updatedAt,omitzero"`
	EndedAt    time.Time   `json:"endedAt,omitzero"`
}

// Collisions counts chunks whose uids were equal at first, and were then made different (spec 002 §5.4).
type Collisions struct {
	Chunks    int      `json:"chunks"`
	ByContext int      `json:"byContext"` // chunks that were distinguished by more context
	ByOrdinal int      `json:"byOrdinal"` // chunks that were distinguished by numbers
	Largest   int      `json:"largest"`   // the largest number of chunks with one uid
	Files     []string `json:"files"`     // ids of the items of these chunks, the first 50
}

// Finding is a difference between the index and what it should have for an item.
type Finding struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

// RebuildID identifies a rebuild.
type RebuildID struct {
	ID string `json:"id"` // The rebuild.
}
