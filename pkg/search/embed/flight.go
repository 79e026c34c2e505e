package embed

import "github.com/tidemark/tidemark/pkg/base/fault"

// flight is the computation of one text's vector, for all callers in this process that want it.
type flight struct {
	digest
	text string

	done   chan struct{} // closed when vector and err are final
	vector []float32
	err    error // the reason why there is no vector
}

// begin starts a flight for each text that no flight computes yet, and returns these flights. It also returns the
// flights of the other texts, which other callers have started.
func (c *Cached) begin(texts []string) (mine, others []*flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		d := digestOf(text)
		if f := c.flights[d]; f != nil {
			others = append(others, f)
			continue
		}
		f := &flight{digest: d, text: text, done: make(chan struct{})}
		c.flights[d] = f
		mine = append(mine, f)
	}
	return mine, others
}

// land ends flights, with or without a result, so that no caller waits forever.
func (c *Cached) land(flights []*flight, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range flights {
		if f.err = err; f.vector == nil && err == nil {
			f.err = fault.New(fault.Internal, "the model did not come back") // the model panicked
		}
		delete(c.flights, f.digest)
		close(f.done)
	}
}
