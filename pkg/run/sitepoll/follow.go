package sitepoll

import (
	"context"

	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/run"
	"github.com/tidemark/tidemark/pkg/run/walk"
)

// follow performs one step of following the links of a site. It reports whether the walk goes on.
func (w *step) follow(ctx context.Context) (next run.Next, more bool, err error) {
	st, poll := w.st, w.st.Now
	st.Walk = walk.Begin(st.Walk, w.site, poll.ID, rulesOf(w.site))
	got, err := walk.Step{
		Site: w.site, Number: st.Step, Poll: poll.ID, BeganAt: poll.BeganAt, Dry: st.isTrial(), Report: walked{w},
		Table: w.s.polls.Table, Partition: partition, Items: w.s.reg.Items, Moves: w.s.reg.Moves,
		Snapshots: w.s.o.Snapshots, Web: w.s.web, Rules: w.s.o.Rules, Agent: w.s.o.Agent, Clock: w.s.polls.Now,
		MaxOpen: w.s.o.MaxOpen, MaxRead: w.s.o.MaxRead,
	}.Follow(ctx, st.Walk)
	if err != nil {
		return next, false, err
	}
	poll.Requests += got.Requests
	poll.Documents += got.Documents
	poll.New += got.New
	poll.Known += got.Known
	poll.Later += got.Left
	poll.Found += got.New + got.Known + got.Left
	poll.Note = run.Clip(got.Note, maxMessage)
	return run.Next{Ops: got.Ops, Wait: got.Wait}, got.More, nil
}

// walked counts in the poll what a walk finds.
type walked struct{ *step }

var _ walk.Report = walked{}

// LeftOut counts an address that is not wanted.
func (w walked) LeftOut(why, address string) {
	w.st.Now.Found++
	w.st.Now.Excluded++
	w.st.Now.leftOut(why, address)
}

// Forbidden counts a page whose links may not be followed. The page itself is counted as found elsewhere.
func (w walked) Forbidden(why, page string) { w.st.Now.leftOut(why, page) }

// Unread records that links of a page cannot be followed.
func (w walked) Unread(page, why string) { w.failed(page, why) }

// Trapped counts an address in an endless space.
func (w walked) Trapped(why, address string) {
	w.st.Now.Found++
	w.st.Now.Trapped++
	w.st.Now.leftOut(why, address)
}

// Register registers pages that links lead to.
func (w walked) Register(ctx context.Context, sources []source.Source, forms source.Forms) ([]bool, error) {
	w.st.Now.Found += len(sources)
	registered, _, err := w.registerSources(ctx, sources, forms)
	return registered, err
}
