package migrate

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
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

// form is the form of the rows that this program writes. A change of it needs a conversion of the rows of the form
// before.
const form = 1

// formRow says in which form the rows of a store are.
type formRow struct {
	Form int `col:"form,always"`
}

var (
	formRows = row.Of[formRow]()
	formKey  = storage.Key{Partition: "form", Row: "rows"}
)

// The rules of the programs that wrote rows of form 1 before stores said which form they have. They never change.
// Programs with older rules wrote rows that this program does not read.
const firstURLs, firstTexts, firstKeys = "url_v2", "text_v4", "keys_v4"

// Admit reads the rows of [Service] and of collection runs, and returns an error unless this program reads the rows of
// their store. A store without such rows is new. The rows come in the order of their keys, so the row with the form is
// before those that show it in a store without that row. Errors: Invalid if the rows of the store are of another form.
func Admit(rows iter.Seq2[storage.Entity, error]) error {
	for e, err := range rows {
		switch {
		case err != nil:
			return err
		case e.Key == formKey:
			return admitForm(e)
		case isOld(e):
			return fault.New(fault.Invalid, "the state was begun by a version from before the first release, and its "+
				"rows are of forms that this version does not read. Nothing was changed. To move: start the version that "+
				"wrote it, write its sources with `tidemark items --format csv > sources.csv`, then start this version "+
				"with a new folder and run `tidemark import sources.csv`")
		}
	}
	return nil
}

func admitForm(e storage.Entity) error {
	if has, err := formRows.Decode(e.Props); err != nil || has.Form != form {
		return fault.New(fault.Invalid, "the rows of the state are of form %d, and this version reads form %d. Nothing "+
			"was changed. Start the version that wrote it", has.Form, form)
	}
	return nil
}

// isOld reports whether a row was written by a program with older rules than those of the first rows that are kept.
func isOld(e storage.Entity) bool {
	switch e.Partition {
	case "run":
		text, _ := e.Props["normalizationVersion"].(string)
		urls, _, _ := strings.Cut(lineage.Version(text).Component("url"), ".") // a patch is one of settings
		return urls != firstURLs || lineage.Version(text).Component("text") != firstTexts
	case partition:
		var rules map[string]string
		text, _ := e.Props["rules"].(string)
		_ = json.Unmarshal([]byte(text), &rules) // if it is damaged, the store remembers no rules
		return e.Row == stateRow && version(rules["entries"]) != firstKeys
	}
	return false
}

// CheckForm calls [Admit] with the rows of a store. It creates the table, which every store has, and writes nothing
// else.
func CheckForm(ctx context.Context, rows storage.Table) error {
	if err := rows.Create(ctx); err != nil {
		return err
	}
	return Admit(rows.Query(ctx, storage.Query{PartitionFrom: formKey.Partition}))
}

// RecordForm calls [CheckForm] and records the form of a store that does not say it. It must be called before anything
// else is written.
func RecordForm(ctx context.Context, rows storage.Table) error {
	if err := CheckForm(ctx, rows); err != nil {
		return err
	}
	_, err := rows.Transact(ctx, formRows.Put(formKey, "", &formRow{form}))
	return fault.Except(err, fault.Conflict)
}
