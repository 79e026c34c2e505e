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

var ruleRows = row.Of[ruleRow]()

const rulesPartition = "rules"

// rules are all rules but those for one page.
type rules struct {
	rules []rule
	pages bool          // whether there are rules for one page
	since feed.Position // the rules for one page report only changes after this position
}

// kept lists the stored rules, not those from a file and not those for one page.
func (s *Book) kept(ctx context.Context) (out rules, err error) {
	for e, err := range s.rows.Query(ctx, storage.Query{Partition: rulesPartition}) {
		if err != nil {
			return out, err
		}
		if e.Key == pagesKey {
			pages, _ := pagesRows.Decode(e.Props)
			out.since, _ = feed.ParsePosition(pages.Since)
			out.pages = true
			continue
		}
		out.rules = append(out.rules, s.read(ctx, e))
	}
	return out, nil
}

// read returns a stored rule. It compiles each version of a rule once. A rule that this release does not accept is
// broken: it is shown with the reason, and matches nothing.
func (s *Book) read(ctx context.Context, e storage.Entity) rule {
	if known, ok := s.compiled.Get(e.Row); ok && known.etag == e.ETag {
		return known.rule
	}
	kept, err := ruleRows.Decode(e.Props)
	r, errs := compile(kept.Spec)
	if err = cmp.Or(err, first(errors.Join(errs...))); err != nil {
		s.o.Log.ErrorContext(ctx, "a rule is broken", "rule", e.Row, "err", err)
		r.Problem = err.Error()
	}
	r.ID, r.Origin, r.Created = e.Row, Here, kept.Created
	r.URL, r.Title = kept.URL, kept.Title
	r.since, _ = feed.ParsePosition(kept.Since)
	s.compiled.Put(e.Row, version{e.ETag, r})
	return r
}

// version is a stored rule as it was compiled.
type version struct {
	etag storage.ETag
	rule rule
}

// all lists every rule but those for one page, by name.
func (s *Book) all(ctx context.Context) (rules, error) {
	out, err := s.kept(ctx)
	if err != nil {
		return out, err
	}
	out.rules = append(out.rules, s.o.File.rules...)
	bound(out.rules)
	slices.SortFunc(out.rules, func(a, b rule) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// rule returns the rule with an id. Errors: NotFound.
func (s *Book) rule(ctx context.Context, id string) (rule, storage.ETag, error) {
	for _, r := range s.o.File.rules {
		if r.ID == id {
			return r, "", nil
		}
	}
	if storage.CheckKey(keyOf(id)) != nil || keyOf(id) == pagesKey {
		return rule{}, "", fault.New(fault.NotFound, "there is no rule %.64q", id)
	}
	e, err := s.rows.Get(ctx, keyOf(id))
	if fault.Is(err, fault.NotFound) {
		return rule{}, "", fault.New(fault.NotFound, "there is no rule %.64q", id)
	}
	if err != nil {
		return rule{}, "", err
	}
	return s.read(ctx, e), e.ETag, nil
}

// first returns the first of several joined errors, because an error of the API can have only one field.
func first(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok && len(all.Unwrap()) > 0 {
		return all.Unwrap()[0]
	}
	return err
}

func ofFile(what, name string) error {
	return fault.New(fault.Conflict, "the %s %q is of the file that RULES_FILE names: change it there", what, name)
}
