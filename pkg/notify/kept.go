package notify

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

// ruleRow is the stored form of a rule.
type ruleRow struct {
	Spec    api.RuleSpec `col:"spec,must"`
	Since   string       `col:"since"`
	Created time.Time    `col:"created"`
	URL     string       `col:"url"` // of the page, for a rule for one page
	Title   string       `col:"title"`
}

// pointer finds a rule by its id.
type pointer struct {
	Page string `col:"page,always"`
}

var (
	ruleRows = row.Of[ruleRow]()
	pointers = row.Of[pointer]()
)

// A rule is stored under the page of its filter, so that a change finds the rules of its page without reading any
// other. Rules that are not for one page are stored under the page "", which sorts before all others. There may be any
// number of rules for single pages.
const (
	rulesPartition = "ruleset"
	firstPage      = ".~" // sorts after the rules that are not for one page
	pointerAs      = "~"  // sorts after all rules
)

func keyOf(page, id string) storage.Key {
	return storage.Key{Partition: rulesPartition, Row: page + "." + id}
}

func pointerKey(id string) storage.Key {
	return storage.Key{Partition: rulesPartition, Row: pointerAs + id}
}

// under lists the rules that are stored under a page. Under the page "" are those from the file, too, and the list is
// by name.
func (s *Book) under(ctx context.Context, page string) (out []rule, err error) {
	query := storage.Query{Partition: rulesPartition, RowFrom: page + ".", RowTo: page + ".~"}
	for e, err := range s.rows.Query(ctx, query) {
		if err != nil {
			return nil, err
		}
		out = append(out, s.read(ctx, e))
	}
	if page != "" {
		return out, nil
	}
	out = append(out, s.o.File.rules...)
	bound(out)
	slices.SortFunc(out, func(a, b rule) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// ofPages lists rules for single pages, in the order of pages, beginning at a cursor.
func (s *Book) ofPages(ctx context.Context, after string, top int) (out []rule, next string, err error) {
	query := storage.Query{Partition: rulesPartition, RowFrom: max(after, firstPage), RowTo: pointerAs,
		PageSize: min(top+1, storage.MaxPage)}
	for e, err := range s.rows.Query(ctx, query) {
		switch {
		case err != nil:
			return nil, "", err
		case len(out) == top:
			return out, e.Row, nil
		}
		out = append(out, s.read(ctx, e))
	}
	return out, "", nil
}

// all lists all rules.
func (s *Book) all(ctx context.Context) ([]rule, error) {
	out, err := s.under(ctx, "")
	if err != nil {
		return out, err
	}
	own, _, err := s.ofPages(ctx, "", maxListed)
	return append(out, own...), err
}

// read returns a stored rule. It compiles each version of a rule once. A rule that this release does not accept is
// broken: it is shown with the reason, and matches nothing.
func (s *Book) read(ctx context.Context, e storage.Entity) rule {
	page, id, _ := strings.Cut(e.Row, ".")
	if known, ok := s.compiled.Get(id); ok && known.etag == e.ETag {
		return known
	}
	kept, err := ruleRows.Decode(e.Props)
	r, errs := compile(kept.Spec)
	if err = cmp.Or(err, first(errors.Join(errs...))); err != nil {
		s.o.Log.ErrorContext(ctx, "a rule is broken", "rule", id, "err", err)
		r.Problem = err.Error()
	}
	r.ID, r.Origin, r.Created, r.page, r.etag = id, Here, kept.Created, page, e.ETag
	r.URL, r.Title = kept.URL, kept.Title
	r.since, _ = feed.ParsePosition(kept.Since)
	s.compiled.Put(id, r)
	return r
}

// rule returns the rule with an id. Errors: NotFound.
func (s *Book) rule(ctx context.Context, id string) (rule, error) {
	missing := fault.New(fault.NotFound, "there is no rule %.64q", id)
	if storage.CheckKey(pointerKey(id)) != nil {
		return rule{}, missing
	}
	to, _, err := pointers.Load(ctx, s.rows, pointerKey(id)) // a rule from the file has none
	if err != nil {
		return rule{}, err
	}
	all, err := s.under(ctx, to.Page)
	if at := slices.IndexFunc(all, func(r rule) bool { return r.ID == id }); at >= 0 {
		return all[at], nil
	}
	return rule{}, cmp.Or(err, missing)
}

// ofFile refuses to change a rule or a channel that a file defines.
func ofFile(file, what, name string) error {
	return fault.New(fault.Conflict, "the %s %q is of the file %s (RULES_FILE): change it there", what, name, file)
}

// once leaves the first error of each field.
func once(errs []error) (out []error) {
	seen := map[string]bool{}
	for _, err := range errs {
		if field := fault.FieldOf(err); !seen[field] {
			seen[field] = true
			out = append(out, err)
		}
	}
	return out
}

// first returns the first of several joined errors, because an error of the API can have only one field.
func first(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok && len(all.Unwrap()) > 0 {
		return all.Unwrap()[0]
	}
	return err
}
