package crawl

import (
	"context"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/linememory"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
)

// compareTexts finds the differences between a reading and the text that was stored for the item before this check.
// If that text was read under other rules, it has been read again by now.
func (c *check) compareTexts(
	ctx context.Context, was *registry.Item, r verdict.Reading, o verdict.Outcome,
) (verdict.Outcome, error) {
	old, err := c.earlierTexts(ctx, was)
	if err == nil && verdict.WasBroken(was, o) {
		old, err = c.beforeTheBreak(ctx, was, old)
	}
	if err != nil || old == nil {
		return o, err
	}
	o, c.differences, c.texts = verdict.Differing(old.page, old.doc, old.part, r, o)
	o = c.basis.ExplainList(was, &c.item, old.part, r, o, len(c.listed) > 0)
	if !verdict.TeachesLines(o, c.texts) {
		c.differences.Choose(c.texts, linememory.Verdict{})
		return o, nil
	}
	m, err := c.lines(ctx, was, o.News.Part)
	if err != nil {
		return o, err
	}
	m, seen, o := verdict.SeeLines(&c.item, m, c.texts, o, c.now())
	c.differences.Choose(c.texts, seen)
	return o, c.in.Fields.Remember(ctx, c.item.ID, m)
}

// beforeTheBreak reads the texts of a page whose watched part is found again, as they were before the part broke. If
// they are no longer stored, it returns those of the last check.
func (c *check) beforeTheBreak(ctx context.Context, was *registry.Item, last *stored) (*stored, error) {
	it := *was
	if it.RawHash = was.Watched.Good; it.RawHash == "" || it.RawHash == was.RawHash {
		return last, nil
	}
	s, err := c.stored.load(ctx, &it, &c.room, readAs{watching: c.basis.Watching})
	if err != nil || s.gone || s.unreadable != nil {
		return last, err
	}
	return &s, nil
}

// lines returns what is remembered of the lines of a page, or of its watched part.
func (c *check) lines(ctx context.Context, was *registry.Item, part bool) (m linememory.Memory, err error) {
	if !was.Moving.Kept {
		return c.learnLines(ctx, was, part)
	}
	formers, err := c.in.Moves.Formers(ctx, was)
	if err != nil {
		return m, err
	}
	return c.in.Fields.Memory(ctx, append([]source.ID{was.ID}, formers...)...)
}

// learnLines learns how the lines of a page move from the captures that are kept of it. It is needed once for a page
// whose captures are from before lines were remembered.
func (c *check) learnLines(ctx context.Context, was *registry.Item, part bool) (m linememory.Memory, err error) {
	const most = 8 // captures are read
	if was.CaptureCount <= 2 {
		return m, nil
	}
	edges, err := c.in.Snapshots.Edges(ctx, was.ID, most-1)
	if err != nil {
		return m, err
	}
	ofDead := func(e lineage.Edge) bool { return e.At.After(was.LastChecked) } // of a check that did not end
	edges = slices.DeleteFunc(edges, ofDead)
	if len(edges) < 2 {
		return m, nil
	}
	slices.Reverse(edges)
	counted := verdict.CountedSince(was, edges[0].At)
	before, err := c.textOf(ctx, was, edges[0].Older, part)
	if err != nil {
		return m, err
	}
	var check linememory.Check
	for _, e := range edges {
		now, err := c.textOf(ctx, was, e.Newer, part)
		if err != nil {
			return m, err
		}
		check = verdict.CheckOf(&counted, e, check)
		if before != "" && now != "" {
			m, _ = m.See(linememory.Reading{Text: before, Beside: len(before)},
				linememory.Reading{Text: now, Beside: len(now)}, check)
		}
		before = now
	}
	c.item.Saw = verdict.SawAfter(&counted, check)
	return m, nil
}

// textOf returns the text of a capture; "" if it is gone or cannot be read.
func (c *check) textOf(ctx context.Context, was *registry.Item, id lineage.CaptureID, part bool) (string, error) {
	it := *was
	_, digest := id.Split()
	it.RawHash = "sha256:" + digest
	s, err := c.stored.load(ctx, &it, &c.room, readAs{watching: c.basis.Watching})
	if err != nil || s.gone || s.unreadable != nil {
		return "", err
	}
	if part && s.part != nil {
		return s.part.Text, nil
	}
	return s.page.Text, nil
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
