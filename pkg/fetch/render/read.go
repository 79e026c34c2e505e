package render

import (
	"context"
	"errors"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

// read reads the page as it is now. The scripts of a page are stopped if they do not let it be read.
func (t *tab) read() error {
	within := readTime
	if t.account.hasMet(BoundTime) {
		within = readTime / 5 // it may be in an endless loop
	}
	top, err := t.capture(within)
	if errors.Is(err, context.DeadlineExceeded) && t.ctx.Err() == nil {
		t.stopScripts(BoundTime)
		top, err = t.capture(readTime)
	}
	if err != nil {
		return err
	}
	page := writeSnapshot(top, int(t.r.o.MaxBytes), t.page.Plain.FinalURL)
	if page.Cut {
		return pageError(BoundBytes, fault.New(fault.TooLarge, "the document has more than %d bytes", t.r.o.MaxBytes))
	}
	t.account.note(func(out *Rendered) { out.HTML, out.PictureOnly = page.HTML, page.PictureOnly })
	return nil
}

// capture takes snapshots of the page and of the frames that are targets of their own.
func (t *tab) capture(within time.Duration) (*Snapshot, error) {
	ctx, cancel := context.WithTimeout(t.ctx, within)
	defer cancel()
	t.mu.Lock()
	sessions := t.pages()
	t.mu.Unlock()
	main, parts := t.mainSession(), map[*session]*Snapshot{}
	for _, s := range sessions {
		part := &Snapshot{Frames: map[int]*Snapshot{}}
		err := t.b.dev.Call(ctx, s.id, "DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}}, part)
		switch {
		case err == nil && len(part.Documents) > 0:
			parts[s] = part
		case s == main && err != nil:
			return nil, err
		}
	}
	if parts[main] == nil {
		return nil, pageError("", fault.New(fault.Unavailable, "the browser shows no document"))
	}
	for s, part := range parts {
		if s != main {
			attachFrame(ctx, t.b.dev, s.to.ID, part, parts)
		}
	}
	return parts[main], nil
}

// attachFrame finds the element that shows a frame, in whichever target it is.
func attachFrame(ctx context.Context, dev *devtools.Conn, frame string, part *Snapshot,
	parts map[*session]*Snapshot) {
	for s, parent := range parts {
		if parent == part {
			continue
		}
		var owner struct {
			Backend int `json:"backendNodeId"`
		}
		if dev.Call(ctx, s.id, "DOM.getFrameOwner", map[string]any{"frameId": frame}, &owner) == nil {
			parent.Frames[owner.Backend] = part
			return
		}
	}
}
