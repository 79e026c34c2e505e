package api

import "time"

// RebuildRequest indexes again everything in Scope, or all items if it is left out. By default items are read from
// their kept captures under the current rules, and no site is contacted. With Refetch, pages are fetched again
// instead. With Force, items that are not in the index are fetched as well: those that failed, are excluded or are
// Gone. With Audit, only items whose index content is wrong are indexed again, and content without an item or an
// entry is removed. Entries belong to no host, so they are included only when Scope is left out.
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
	RebuildIndexing = "indexing" // all items are marked, some still wait
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
	Reason  string `json:"reason,omitempty"` // why it started automatically
	Items   int    `json:"items"`            // examined so far
	Marked  int    `json:"marked"`           // of these, marked for indexing
	Left    int    `json:"left"`             // of these, still waiting, including those of other rebuilds of the scope
	// Results for the marked items, once the rebuild is done. Items that were deleted meanwhile, or marked again by a
	// later rebuild, are not counted.
	Indexed int `json:"indexed"`
	KeptOut int `json:"keptOut"` // excluded, gone or duplicates
	Failed  int `json:"failed"`
	Entries int `json:"entries,omitempty"` // examined so far and indexed
	// In an audit: entries whose index content was wrong, pages that were removed because they had no item or entry,
	// and the first 50 differences.
	Mended   int       `json:"mended,omitempty"`
	Removed  int       `json:"removed,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
	// Collisions are chunks that first had equal uids, once the rebuild is done; null if there were none.
	Collisions *Collisions `json:"collisions,omitempty"`
	StartedAt  time.Time   `json:"startedAt,omitzero"`
	UpdatedAt  time.Time   `json:"updatedAt,omitzero"`
	EndedAt    time.Time   `json:"endedAt,omitzero"`
}

// Collisions counts chunks whose uids were equal at first, and were then made different (spec 002 §5.4).
type Collisions struct {
	Chunks    int      `json:"chunks"`
	ByContext int      `json:"byContext"` // distinguished by more context
	ByOrdinal int      `json:"byOrdinal"` // distinguished by counting
	Largest   int      `json:"largest"`   // the largest number of chunks with one uid
	Files     []string `json:"files"`     // ids of their items, the first 50
}

// Finding is a difference between the index and what it should have for an item.
type Finding struct {
	ID   string `json:"id"`
	What string `json:"what"`
}

// RebuildID names a rebuild.
type RebuildID struct {
	ID string `json:"id"` // The rebuild.
}
