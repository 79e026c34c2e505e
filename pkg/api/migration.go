package api

import "time"

// MigrationRequest migrates the contents of the store to the current rules. With DryRun nothing changes, and
// the migration only reports the changes that it would make.
type MigrationRequest struct {
	DryRun bool `json:"dryRun,omitempty"`
}

// The states of migrations.
const (
	MigrationCurrent = "current" // the store follows the current rules
	MigrationNeeded  = "needed"  // the store was made with other settings: start a migration, or restore the settings
	MigrationRunning = "running"
)

// Migration is the running or last migration of the store, and whether one is needed.
type Migration struct {
	Status    string          `json:"status"`
	DryRun    bool            `json:"dryRun"`
	Reason    string          `json:"reason,omitempty"` // why the migration started, if nobody requested it
	Steps     []MigrationStep `json:"steps,omitempty"`
	Needed    []MigrationNeed `json:"needed,omitempty"`
	StartedAt time.Time       `json:"startedAt,omitzero"`
	UpdatedAt time.Time       `json:"updatedAt,omitzero"`
	EndedAt   time.Time       `json:"endedAt,omitzero"`
}

// MigrationStep is the progress of a migration for one kind of content.
type MigrationStep struct {
	Name  string `json:"name"`
	Rules string `json:"rules"` // the rules that the content follows after the step
	Seen  int    `json:"seen"`  // number of objects examined so far
	// number of these objects that were changed or, in a dry run, that would be changed
	Changed  int      `json:"changed"`
	Examples []string `json:"examples,omitempty"`
	Done     bool     `json:"done"`
}

// MigrationNeed is a kind of content that was made under other rules.
type MigrationNeed struct {
	Name string `json:"name"`
	From string `json:"from,omitempty"` // the other rules; empty if the store did not record them
	To   string `json:"to"`
}
