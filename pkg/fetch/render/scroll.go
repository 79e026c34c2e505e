package render

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

// fewReplaced is the number of texts that come and go with scrolling in pages that have all of their text.
const fewReplaced = 2

// scroll scrolls until the page does not grow any more, and back.
func (v *visit) scroll(ctx context.Context) error {
	move(v)
	var begins []string
	if err := try(ctx, v, beginning, &begins); err != nil {
		return err
	}
	if err := toTheEnd(ctx, v); err != nil || v.isStopped() {
		return err
	}
	given, _ := json.Marshal(begins)
	replaced := 0
	if err := try(ctx, v, fmt.Sprintf(returning, given), &replaced); err != nil {
		return err
	}
	if replaced > fewReplaced {
		v.account.note(func(out *Rendered) { out.Partly = true })
	}
	if replaced > 0 {
		return v.untilCalm(ctx, still)
	}
	return nil
}

// toTheEnd scrolls until the page does not grow any more.
func toTheEnd(ctx context.Context, v *visit) error {
	most := v.page.Scrolls
	most = cmp.Or(most, defaultScrolls)
	before, err := v.inspect(ctx)
	for n := 0; err == nil && n < most && !v.isStopped(); n++ {
		var ok bool
		if err = try(ctx, v, scrolling, &ok); err == nil {
			err = v.untilCalm(ctx, still)
		}
		var now seen
		if err == nil {
			now, err = v.inspect(ctx)
		}
		if err != nil || now.Elements <= before.Elements && now.Height <= before.Height {
			return err
		}
		before = now
		if n+1 == most {
			v.account.meet(BoundScrolls)
		}
	}
	return err
}

// try evaluates a script on a page that may have gone elsewhere meanwhile.
func try(ctx context.Context, v *visit, script string, out any) error {
	err := v.evaluate(ctx, script, out)
	if refused := new(devtools.CallError); errors.As(err, &refused) {
		return nil
	}
	return err
}

// move moves the mouse: there are pages that load their scripts only when somebody is there.
func move(v *visit) {
	view := v.view()
	v.b.dev.Send(v.mainSession().id, "Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": view.Width / 2,
		"y": view.Height / 2})
}
