// Package recent keeps recently used values within a bound on their number, or on their size. It drops the least
// recently used value first.
package recent

import (
	"cmp"
	"container/list"
	"sync"
)

// usual is the bound of a [Map] whose Most is zero.
const usual = 1000

// Map is a map that keeps values within a bound. Its zero value is empty and ready for use. It is safe for
// concurrent use.
type Map[K comparable, V any] struct {
	// Most limits the sum of the sizes of the values that are kept; zero means 1,000.
	Most int
	// Size returns the size of a value; if it is nil, each value counts 1, and Most is a number of values.
	Size func(value V) int

	mu    sync.Mutex
	sizes int
	order list.List // elements are of type *pair, the most recently used first
	of    map[K]*list.Element
}

type pair[K comparable, V any] struct {
	key   K
	value V
}

// Get returns the value of a key and marks it as just used.
func (m *Map[K, V]) Get(key K) (value V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.get(key)
}

func (m *Map[K, V]) get(key K) (value V, ok bool) {
	e, ok := m.of[key]
	if !ok {
		return value, false
	}
	m.order.MoveToFront(e)
	return e.Value.(*pair[K, V]).value, true
}

// Put sets the value of a key.
func (m *Map[K, V]) Put(key K, value V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(key, value)
}

func (m *Map[K, V]) put(key K, value V) {
	if e, ok := m.of[key]; ok {
		m.remove(e)
	}
	if m.of == nil {
		m.of = map[K]*list.Element{}
	}
	m.of[key] = m.order.PushFront(&pair[K, V]{key, value})
	most := cmp.Or(m.Most, usual)
	for m.sizes += m.size(value); m.sizes > most; {
		m.remove(m.order.Back())
	}
}

func (m *Map[K, V]) remove(e *list.Element) {
	p := m.order.Remove(e).(*pair[K, V])
	delete(m.of, p.key)
	m.sizes -= m.size(p.value)
}

func (m *Map[K, V]) size(value V) int {
	if m.Size == nil {
		return 1
	}
	return m.Size(value)
}

// GetOrPut returns the value of a key. When the key has none, it stores value and returns it.
func (m *Map[K, V]) GetOrPut(key K, value V) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	if known, ok := m.get(key); ok {
		return known
	}
	m.put(key, value)
	return value
}
