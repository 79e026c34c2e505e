package migrate

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
)

// The key of the only row of a [Service].
const (
	partition = "migrate"
	stateRow  = "state"
)

// Part is one step of a run.
type Part struct {
	Step  string `json:"step"`
	Rules string `json:"rules"` // the rules that the step updates to
	Progress
	Done bool `json:"done"`
}

// Need is a step that is needed, because the store is not yet updated to the current rules.
type Need struct {
	Step, From, To string // From is "" if the store remembers no rules
}

// bySettings reports whether the versions are equal, so that only the settings differ.
func (n Need) bySettings() bool { return version(n.From) == version(n.To) }

func version(rules string) string {
	v, _, _ := strings.Cut(rules, " ")
	return v
}

// Status is the state of a store's migrations, as users see it.
type Status struct {
	Running bool   `col:"running"`
	Dry     bool   `col:"dryRun"` // the run only reports what it would change
	Reason  string `col:"reason"` // the reason why the run began by itself; "" if a user requested it
	// the steps of the active run, or of the last one; if they are damaged, the run ends, and its steps are still
	// needed
	Parts     []Part `col:"parts,always"`
	Needs     []Need
	StartedAt time.Time `col:"startedAt"` // zero if there was no run
	UpdatedAt time.Time `col:"updatedAt"`
	EndedAt   time.Time `col:"endedAt"` // zero while the run is active
}

// state is the content of the row.
type state struct {
	ID     string
	Rules  map[string]string `col:"rules"` // the rules of the store, by step
	Status `col:",inline"`
	Cursor string `col:"cursor"` // cursor of the current part
	etag   storage.ETag
}

func fields(st *state) run.Fields {
	return run.Fields{ID: &st.ID, Over: !st.Running, UpdatedAt: &st.UpdatedAt, ETag: &st.etag}
}

// begin begins a run, which replaces the last one.
func (st *state) begin(steps []Step, dry bool, reason string, now time.Time) {
	st.Status = Status{Running: true, Dry: dry, Reason: reason, StartedAt: now}
	st.Cursor = ""
	for _, step := range steps {
		st.Parts = append(st.Parts, Part{Step: step.Name, Rules: step.Rules})
	}
}

// current returns the index of the part in progress; -1 when all parts are done.
func (st *state) current() int {
	return slices.IndexFunc(st.Parts, func(part Part) bool { return !part.Done })
}

func (s *Service) needs(st *state) (needs []Need) {
	for _, step := range s.steps {
		if from := st.Rules[step.Name]; from != step.Rules && (step.Keeps == nil || !step.Keeps(from)) {
			needs = append(needs, Need{step.Name, from, step.Rules})
		}
	}
	return needs
}

// dueBySelf returns the steps that are due and may run without a user's consent.
func (s *Service) dueBySelf(st *state) (due []Step) {
	for _, need := range s.needs(st) {
		if step, _ := s.step(need.Step); !need.bySettings() {
			due = append(due, step)
		}
	}
	return due
}

func (s *Service) status(st *state) Status {
	out := st.Status
	out.Needs = s.needs(st)
	return out
}

func (s *Service) load(ctx context.Context) (state, error) {
	st, err := s.runs.Get(ctx, stateRow)
	if fault.Is(err, fault.NotFound) {
		st, err = state{ID: stateRow}, nil
	}
	if st.Rules == nil {
		st.Rules = map[string]string{}
	}
	return st, err
}

// save stores a state that has changed since it was read. When another process wrote first, it returns an error that
// [fault.Lost] recognizes.
func (s *Service) save(ctx context.Context, st *state) error {
	st.UpdatedAt = s.runs.Now()
	return s.runs.Save(ctx, st)
}
