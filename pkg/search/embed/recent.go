package embed

import "container/list"

// recent remembers the vectors of the n texts that were last asked for.
type recent struct {
	n     int
	order *list.List // of *remembrance, the last used in front
	of    map[string]*list.Element
}

type remembrance struct {
	text   string
	vector []float32
}

func newRecent(n int) *recent {
	return &recent{n: n, order: list.New(), of: map[string]*list.Element{}}
}

func (r *recent) get(text string) []float32 {
	e := r.of[text]
	if e == nil {
		return nil
	}
	r.order.MoveToFront(e)
	return e.Value.(*remembrance).vector
}

func (r *recent) put(text string, vector []float32) {
	if r.get(text) != nil {
		return // another query was as quick
	}
	r.of[text] = r.order.PushFront(&remembrance{text, vector})
	if r.order.Len() > r.n {
		last := r.order.Remove(r.order.Back()).(*remembrance)
		delete(r.of, last.text)
	}
}
