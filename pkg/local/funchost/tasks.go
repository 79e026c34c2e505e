package funchost

import (
	"context"
	"sync"
)

// tasks are the running invocations. The host waits for them before it ends.
type tasks struct {
	mu   sync.Mutex
	life context.Context // context of all tasks; it ends after the drain
	busy sync.WaitGroup
}

// begin sets the context of the tasks. It must be called before run.
func (t *tasks) begin(life context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.life = life
}

// run runs f on a goroutine. The context of f ends with the handler process.
func (t *tasks) run(f func(ctx context.Context)) {
	t.mu.Lock()
	life := t.life
	t.mu.Unlock()
	t.busy.Go(func() { f(life) })
}

// wait waits until no task runs.
func (t *tasks) wait() { t.busy.Wait() }
