// Package recent keeps a bounded number of recently used values. It drops the least recently used value first.
package recent

import (
	"container/list"
	"sync"
)

// usual is the bound of a [Map] whose Most is zero.
const usual = 1000

// Map is a map that keeps a bounded number of values. Its zero value is empty and ready for use. It is safe for
// concurrent use.
type Map[K comparable, V any] struct {
	// Most limits the number of values that are kept; zero means 1,000.
	Most int

	mu    sync.Mutex
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
		e.Value.(*pair[K, V]).value = value
		m.order.MoveToFront(e)
		return
	}
	if m.of == nil {
		m.of = map[K]*list.Element{}
	}
	m.of[key] = m.order.PushFront(&pair[K, V]{key, value})
	most := m.Most
	if most == 0 {
		most = usual
	}
	if len(m.of) > most {
		delete(m.of, m.order.Remove(m.order.Back()).(*pair[K, V]).key)
	}
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
