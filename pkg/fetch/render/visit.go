package render

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

// How long a page has to be quiet until it counts as complete.
const (
	interval = 100 * time.Millisecond // between two looks at the page
	calm     = 500 * time.Millisecond // without requests, and with the same content
	restless = 3 * time.Second        // without requests, while the content still changes
	still    = 200 * time.Millisecond // with the same content, after scrolling
	// After it, requests that do not end, such as those by which a page waits for news, do not keep it from being read.
	patience  = 8 * time.Second
	lingering = 2

	world    = "tidemark"       // the scripting context of the looks, which the page cannot reach
	readTime = 10 * time.Second // to read the page, after its deadline if need be
)

// visit is how a page is opened and waited for.
type visit struct{ *tab }

// run goes to the page and waits until its content is there, or until its deadline.
func (v *visit) run() error {
	ctx, cancel := context.WithTimeout(v.ctx, v.r.o.Timeout)
	defer cancel()
	err := v.navigate(ctx)
	if err == nil {
		err = v.untilCalm(ctx, calm)
	}
	if err == nil {
		err = v.scroll(ctx)
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && v.ctx.Err() == nil {
		waiting := unanswered(v.tab)
		v.account.meet(BoundTime)
		v.account.note(func(out *Rendered) { out.Waiting = waiting })
		return nil
	}
	return err
}

// navigate goes to the address that gave the plain response. A page that is not shown at all, such as a file to be
// saved, is an error.
func (v *visit) navigate(ctx context.Context) error {
	var went struct {
		Error    string `json:"errorText"`
		Download bool   `json:"isDownload"`
	}
	to := v.page.Plain.FinalURL
	to = cmp.Or(to, v.page.URL)
	err := v.b.dev.Call(ctx, v.mainSession().id, "Page.navigate", map[string]any{"url": to}, &went)
	switch {
	case err != nil:
		return err
	case went.Download || went.Error != "":
		return pageError("", fault.New(fault.Unavailable, "the browser does not show the page: %s", went.Error))
	}
	return nil
}

// seen is what a look at the page has found.
type seen struct {
	Ready    string `json:"ready"`
	Elements int    `json:"elements"`
	Letters  int    `json:"letters"`
	Height   int    `json:"height"`
	Found    bool   `json:"found"`
}

// inspect looks at the page once. A page that is on its way to another document has nothing to see.
func (v *visit) inspect(ctx context.Context) (seen, error) {
	selector, _ := json.Marshal(v.page.Selector)
	var out seen
	err := v.evaluate(ctx, fmt.Sprintf(looking, selector), &out)
	var refused *devtools.CallError
	if errors.As(err, &refused) {
		return seen{}, nil
	}
	return out, err
}

// evaluate runs a script in a context that the page cannot reach, and waits for its promise.
func (v *visit) evaluate(ctx context.Context, script string, out any) error {
	s := v.mainSession()
	var made struct {
		ID int `json:"executionContextId"`
	}
	if err := v.b.dev.Call(ctx, s.id, "Page.createIsolatedWorld", map[string]any{"frameId": s.to.ID,
		"worldName": world}, &made); err != nil {
		return err
	}
	var done struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception json.RawMessage `json:"exceptionDetails"`
	}
	if err := v.b.dev.Call(ctx, s.id, "Runtime.evaluate", map[string]any{"expression": script, "contextId": made.ID,
		"returnByValue": true, "awaitPromise": true}, &done); err != nil {
		return err
	}
	if done.Exception != nil {
		return &devtools.CallError{Message: string(done.Exception)}
	}
	return json.Unmarshal(done.Result.Value, out)
}

// untilCalm waits until the network is quiet and the content has stayed the same for a while.
func (v *visit) untilCalm(ctx context.Context, enough time.Duration) error {
	var last seen
	same := time.Now()
	for {
		now, err := v.inspect(ctx)
		if err != nil {
			return err
		}
		if now != last {
			last, same = now, time.Now()
		}
		if now.Ready == "complete" {
			noteLoaded(v.tab)
		}
		quiet := v.quietFor(time.Now())
		steady := time.Since(same)
		if now.Ready == "complete" && now.Found && quiet >= calm && (steady >= enough || quiet >= restless) {
			waiting := unanswered(v.tab)
			v.account.note(func(out *Rendered) {
				out.Waited, out.Changing, out.Waiting = true, steady < enough, waiting
			})
			return nil
		}
		if v.isStopped() {
			return nil
		}
		if err := defaults.Pause(ctx, interval); err != nil {
			return err
		}
	}
}

// noteLoaded notes that a document is complete. It may be so without the event of its load: a script that leads to a
// file, or to an answer without content, while the document is loaded, ends that, and leaves the document as it is.
func noteLoaded(t *tab) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loaded.IsZero() {
		t.loaded = time.Now()
	}
}

// quietFor returns how long the page has been loaded and without requests.
func (t *tab) quietFor(now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loaded.IsZero() {
		return 0
	}
	since := t.quiet
	if t.loaded.After(since) {
		since = t.loaded
	}
	if len(t.waiting) == 0 {
		return now.Sub(since)
	}
	if now.Sub(t.loaded) < patience || len(t.waiting) > lingering {
		return 0
	}
	for _, began := range t.waiting {
		if began.After(since) {
			since = began
		}
	}
	return now.Sub(since)
}

func unanswered(t *tab) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting)
}

func (t *tab) isStopped() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stopped
}

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

// shields removes the ways out that no proxy holds, in case that the browser was started without the flag for it. It
// also ends a loop of dialogs, of which the browser ends none.
const shields = `{
 let dialogs = 0;
 for (const name of ["alert", "confirm", "prompt"]) {
  const open = globalThis[name];
  globalThis[name] = function(...text) { if (dialogs++ < 25) return open?.apply(this, text); };
 }
}
for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "RTCDataChannel",
 "WebSocketStream", "TCPSocket", "UDPSocket"]) {
 try { Object.defineProperty(globalThis, name, {value: undefined, writable: false, configurable: false}) } catch {}
}`

// looking counts what there is, in open shadow roots as well.
const looking = `((selector) => {
 let elements = 0, letters = 0;
 const walk = (root) => {
  letters += (root.body || root).textContent?.length || 0;
  for (const e of root.querySelectorAll("*")) { if (++elements > 100000) return; if (e.shadowRoot) walk(e.shadowRoot); }
 };
 walk(document);
 let found = selector === "";
 try { found = found || document.querySelector(selector) !== null } catch {}
 return {ready: document.readyState, elements, letters, found,
  height: (document.scrollingElement || document.documentElement)?.scrollHeight || 0};
})(%s)`

// scrolled has what the scripts of scrolling share: what can be scrolled, which is the document and the largest parts
// that scroll by themselves, in open shadow roots as well; and the texts of the page.
const scrolled = `const page = document.scrollingElement || document.documentElement;
 const walk = (root, each) => {
  let n = 0;
  const go = (root) => {
   for (const e of root.querySelectorAll("*")) {
    if (++n > 100000) return;
    each(e);
    if (e.shadowRoot) go(e.shadowRoot);
   }
  };
  go(root);
 };
 const scrollers = () => {
  const found = [];
  walk(document, (e) => {
   if (e === page || e.clientHeight < 100 || e.scrollHeight < e.clientHeight + 50) return;
   if (["auto", "scroll"].includes(getComputedStyle(e).overflowY)) found.push(e);
  });
  found.sort((a, b) => b.clientHeight * b.clientWidth - a.clientHeight * a.clientWidth);
  return [page, ...found.slice(0, 4)];
 };
 const texts = (most) => {
  const found = new Set();
  const take = (e) => {
   for (const c of e.childNodes) {
    const text = c.nodeType === 3 && found.size < most ? c.data.trim() : "";
    if (text.length > 3) found.add(text.slice(0, 100));
   }
  };
  walk(document, take);
  return found;
 };
 const to = (e, y) => e.scrollTo({top: y, behavior: "instant"});
 const wait = (ms) => new Promise(done => setTimeout(done, ms));`

// beginning returns texts with which the page begins.
const beginning = `(() => { ` + scrolled + ` return page ? [...texts(300)] : [] })()`

// scrolling goes to the end of the page, and of its parts that scroll by themselves, in steps of what is seen at once,
// so that everything that loads when it becomes visible does so.
const scrolling = `(async () => { ` + scrolled + `
 if (!page) return false;
 let steps = 80;
 for (const e of scrollers()) {
  const step = e === page ? innerHeight || 1000 : e.clientHeight;
  for (let y = 0, n = 0; y < e.scrollHeight && n < 40 && steps > 0; y += step, n++, steps--) {
   to(e, y);
   await wait(30);
  }
  to(e, e.scrollHeight);
 }
 await wait(100);
 return true;
})()`

// returning goes back to where the page begins, and counts the given texts that were gone at its end and are there
// again: such a page has only what is visible.
const returning = `(async (before) => { ` + scrolled + `
 const moved = page ? scrollers().filter(e => e.scrollTop > 0) : [];
 if (!moved.length) return 0;
 let now = texts(100000);
 const gone = before.filter(text => !now.has(text));
 for (const e of moved) to(e, 0);
 await wait(100);
 now = texts(100000);
 return gone.filter(text => now.has(text)).length;
})(%s)`
