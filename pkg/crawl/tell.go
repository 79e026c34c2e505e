package crawl

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// compareTexts finds the differences between a reading and the text that was stored for the item before this check.
// If that text was read under other rules, it has been read again by now.
func (c *check) compareTexts(
	ctx context.Context, was *registry.Item, r verdict.Reading, o verdict.Outcome,
) (verdict.Outcome, error) {
	old := c.known
	if old == nil {
		s, err := c.stored.loadTexts(ctx, was, &c.room, readAs{watching: c.basis.Watching}, c.basis.Last)
		if err != nil || s.gone || s.unreadable != nil {
			return o, err
		}
		old = &s
	}
	o, c.differences, c.texts = verdict.Differing(old.page, old.part, r, o)
	c.differences = c.differences.NoteBeside(was, o.News, old.doc.Links, r)
	o = c.basis.ExplainList(was, &c.item, old.part, r, o, len(c.listed) > 0)
	if o.News.Silenced == "" {
		o.News.Why += verdict.NoteMoving(&c.item, c.differences)
	}
	return o, nil
}

// listMethod is the discoveryMethod of items that were entries of a list.
const listMethod = "LIST"

// showsPage are the outcomes of answers that show the page.
var showsPage = []schedule.Outcome{schedule.Unchanged, schedule.Changed, schedule.Reverted}

// readList reads the entries of a list that is watched, if the answer shows the page.
func (c *check) readList(ctx context.Context, r verdict.Reading, o verdict.Outcome) error {
	if r.Part == nil || !slices.Contains(showsPage, o.Kind) {
		return nil
	}
	return c.noteList(ctx, r, c.basis.Rendered.Baseline)
}

// noteList records the entries of a list, registers those that are wanted, and makes changes of those that are new.
func (c *check) noteList(ctx context.Context, r verdict.Reading, stored bool) error {
	found := c.basis.ReadList(&c.item, r.Part, stored, c.now())
	known, err := c.register(ctx, found.Wanted)
	if err != nil {
		return err
	}
	c.listed = verdict.ListedOf(&c.item, c.basis, found.New, known, c.now())
	return nil
}

// register registers entries of a list. It returns the ids of those that have items. An error means that the registry
// failed; entries that it refuses are noted on the item of the list.
func (c *check) register(ctx context.Context, wanted []verdict.Entry) (known map[source.ID]bool, err error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	known = map[source.ID]bool{}
	options := registry.RegisterOptions{NewOnly: true, Method: listMethod, Forms: source.Forms{}}
	var refused []registry.Refused
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(e verdict.Entry) bool {
		why := c.o.Excluded(e.Source)
		if why != "" {
			refused = append(refused, registry.Refused{URL: e.URL, Why: "the site file leaves it out, by " + why})
		}
		return why != ""
	})
	sources := make([]source.Source, len(wanted))
	for i, e := range wanted {
		sources[i] = e.Source
		options.Forms.Note(e.Source, e.URL, c.basis.Rules.Sources)
	}
	for i, got := range c.in.Items.Register(ctx, sources, options) {
		switch {
		case got.Err == nil:
			known[sources[i].ID()] = true
		case fault.Is(got.Err, fault.Blocked), fault.Is(got.Err, fault.Invalid):
			refused = append(refused, registry.Refused{URL: wanted[i].URL, Why: got.Err.Error()})
		default:
			return nil, got.Err
		}
	}
	verdict.RefusedEntries(&c.item, refused, c.now())
	return known, nil
}

// readFields records what the answer says of the page's fields, if it shows the page, and adds their changes to the
// outcome. The histories are written before the commit: a check that is repeated after a crash writes them again.
func (c *check) readFields(ctx context.Context, was *registry.Item, got verdict.Answer, r verdict.Reading,
	o verdict.Outcome) (verdict.Outcome, error) {
	if !slices.Contains(showsPage, o.Kind) {
		return o, nil
	}
	it, now := &c.item, c.now()
	if r.Hash == "" {
		c.fields = c.fields.And(verdict.FieldsStand(it))
	} else {
		c.fields = c.fields.And(verdict.ReadFields(c.basis, it, r, got.Raw, c.basis.Rendered.Baseline, now))
	}
	c.fields.Changes = append(c.fields.Changes, verdict.FieldsAgain(it)...)
	same := false
	if c.o.Asked != nil && c.fields.Needs() {
		names, wanted, err := c.o.Asked(ctx, verdict.ChangeOf(it, now))
		if err != nil {
			return o, err
		}
		c.fields, same = c.fields.AskedByRules(names), wanted
	}
	if len(c.fields.Entries) > 0 {
		if err := c.in.Fields.Add(ctx, it.ID, c.fields.Entries); err != nil {
			return o, err
		}
	}
	return verdict.WithFields(was, it, o, c.fields, c.texts, same, now), nil
}
