package api

import "time"

// MigrationRequest asks to bring what the store holds to the present rules. With DryRun nothing is changed, and
// the migration tells what would be.
type MigrationRequest struct {
	DryRun bool `json:"dryRun,omitempty"`
}

// The states of migrations.
const (
	MigrationCurrent = "current" // the store is of the present rules
	MigrationNeeded  = "needed"  // it was made by other settings: ask for a migration, or set them back
	MigrationRunning = "running"
)

// Migration tells of the migrations of a store: of the one that goes on or was last, and whether one is needed.
type Migration struct {
	Status    string          `json:"status"`
	DryRun    bool            `json:"dryRun"`
	Reason    string          `json:"reason,omitempty"` // why it began by itself
	Steps     []MigrationStep `json:"steps,omitempty"`
	Needed    []MigrationNeed `json:"needed,omitempty"`
	StartedAt time.Time       `json:"startedAt,omitzero"`
	UpdatedAt time.Time       `json:"updatedAt,omitzero"`
	EndedAt   time.Time       `json:"endedAt,omitzero"`
}

// MigrationStep is how far a migration is with one kind of content.
type MigrationStep struct {
	Name     string   `json:"name"`
	Rules    string   `json:"rules"`   // what it is brought to
	Seen     int      `json:"seen"`    // looked at so far
	Changed  int      `json:"changed"` // of these, changed, or to be changed
	Examples []string `json:"examples,omitempty"`
	Done     bool     `json:"done"`
}

// MigrationNeed is a kind of content that other rules have made.
type MigrationNeed struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // empty for a store of a version that did not write this down
	To   string `json:"to"`
}
