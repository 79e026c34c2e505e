package render

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/render/devtools"
)

const (
	startTimeout = 30 * time.Second // until a Chromium that was started answers
	reachTimeout = 45 * time.Second // until a browser elsewhere answers, which may have to be started first
	callTimeout  = 10 * time.Second // of a call that does not depend on a page
)

// slot is the place of one browser, used by one caller at a time.
type slot struct {
	o       Options
	browser *browser
	idle    *time.Timer
	mu      sync.Mutex // held by drop, which the timer calls
}

// get returns the browser, which it starts or connects if need be.
func (s *slot) get(ctx context.Context) (*browser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle != nil {
		s.idle.Stop()
	}
	if s.browser != nil && s.browser.dev.IsOpen() {
		return s.browser, nil
	}
	s.end()
	b, err := connect(ctx, s.o)
	if err == nil {
		s.browser = b
	}
	return b, err
}

// rest ends the browser after a while, or leaves one elsewhere, unless it is used again.
func (s *slot) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle != nil {
		s.idle.Stop()
	}
	if s.browser != nil {
		b := s.browser
		s.idle = time.AfterFunc(s.o.Idle, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.browser == b && !b.used() {
				_ = s.end()
			}
		})
	}
}

// drop ends the browser.
func (s *slot) drop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end()
}

func (s *slot) end() error {
	b := s.browser
	s.browser = nil
	if b == nil {
		return nil
	}
	return b.close()
}

// browser is a browser and its pages.
type browser struct {
	dev     *devtools.Conn
	process *devtools.Process // nil for a browser elsewhere
	product string
	agent   string // its User-Agent

	mu   sync.Mutex
	tabs map[string]*tab // by browser context
	of   map[string]*tab // by session
}

// connect starts or reaches a browser, and guards each target that it will have.
func connect(ctx context.Context, o Options) (*browser, error) {
	b := &browser{tabs: map[string]*tab{}, of: map[string]*tab{}}
	limit := reachTimeout
	if o.Endpoint == "" {
		limit = startTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	w, err := b.wire(ctx, o)
	if err != nil {
		return nil, err
	}
	b.dev = devtools.New(w, b.event)
	if err := b.greet(ctx); err != nil {
		_ = b.close() // waits for what the process says
		if b.process != nil {
			err = fmt.Errorf("%w: %s", err, b.process.Output())
		}
		return nil, err
	}
	return b, nil
}

func (b *browser) wire(ctx context.Context, o Options) (devtools.Wire, error) {
	if o.Endpoint != "" {
		return devtools.Dial(ctx, o.Endpoint)
	}
	p, err := devtools.Start(devtools.Options{Program: o.Program, Folder: o.Folder, NoSandbox: o.NoSandbox})
	if err != nil {
		return nil, err
	}
	b.process = p
	return p.Wire(), nil
}

// greet asks the browser who it is, and has each new target wait for its guard. The filter leaves out what shows no
// pages of the web.
func (b *browser) greet(ctx context.Context) error {
	var v struct {
		Product   string `json:"product"`
		UserAgent string `json:"userAgent"`
	}
	if err := b.dev.Call(ctx, "", "Browser.getVersion", nil, &v); err != nil {
		return err
	}
	b.product, b.agent = v.Product, v.UserAgent
	attach := autoAttach()
	attach["filter"] = []any{map[string]any{"type": "browser", "exclude": true},
		map[string]any{"type": "tab", "exclude": true}, map[string]any{"type": "browser_ui", "exclude": true},
		map[string]any{}}
	return b.dev.Call(ctx, "", "Target.setAutoAttach", attach, nil)
}

func autoAttach() map[string]any {
	return map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}
}

// alive returns an error if the browser does not answer.
func (b *browser) alive(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := b.dev.Call(ctx, "", "Browser.getVersion", nil, nil); err != nil {
		return fault.New(fault.Unavailable, "%w", err)
	}
	return nil
}

func (b *browser) used() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.tabs) > 0
}

func (b *browser) close() error {
	var err error
	if b.dev != nil {
		err = b.dev.Close()
	}
	if b.process != nil {
		_ = b.process.Close() // closes the pipe a second time
	}
	return err
}

// target is what the browser says of a target.
type target struct {
	ID      string `json:"targetId"`
	Type    string `json:"type"`
	URL     string `json:"url"`
	Context string `json:"browserContextId"`
}

// event gives an event to the page that it is about.
func (b *browser) event(m devtools.Message) {
	if m.Method == "Target.attachedToTarget" {
		b.attached(m)
		return
	}
	b.mu.Lock()
	t := b.of[m.Session]
	b.mu.Unlock()
	if t != nil {
		t.event(m)
	}
}

// attached gives a new target to its page. The targets of others, whose browser this may be as well, are left alone.
func (b *browser) attached(m devtools.Message) {
	var a struct {
		Session string `json:"sessionId"`
		Target  target `json:"targetInfo"`
		Waiting bool   `json:"waitingForDebugger"`
	}
	if json.Unmarshal(m.Params, &a) != nil {
		return
	}
	b.mu.Lock()
	t := b.tabs[a.Target.Context]
	if t != nil {
		b.of[a.Session] = t
	}
	b.mu.Unlock()
	if t == nil {
		b.dev.Send(m.Session, "Target.detachFromTarget", map[string]any{"sessionId": a.Session})
		return
	}
	t.attached(a.Session, a.Target)
}

func (b *browser) forget(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.of, session)
}
