package recent

import (
	"sync"
	"testing"
)

func TestMapForgetsWhatWasUsedLongestAgo(t *testing.T) {
	m := Map[string, int]{Most: 3}
	if _, ok := m.Get("a"); ok {
		t.Error("an empty map has a value")
	}
	m.Put("a", 1)
	m.Put("b", 2)
	m.Put("c", 3)
	m.Get("a")
	m.Put("b", 4)
	m.Put("d", 5) // c is the least recently used
	for key, want := range map[string]int{"a": 1, "b": 4, "d": 5} {
		if have, ok := m.Get(key); !ok || have != want {
			t.Errorf("%s is %d, %t, want %d", key, have, ok, want)
		}
	}
	if _, ok := m.Get("c"); ok {
		t.Error("four values are kept")
	}
}

func TestGetOrPut(t *testing.T) {
	var m Map[string, int]
	if first, second := m.GetOrPut("a", 1), m.GetOrPut("a", 2); first != 1 || second != 1 {
		t.Errorf("%d, %d", first, second)
	}
	for i := range 2 * usual {
		m.GetOrPut(string(rune('가'+i)), i)
	}
	if have := len(m.of); have != usual || m.order.Len() != usual {
		t.Errorf("%d values are kept", have)
	}
	if _, ok := m.Get("a"); ok {
		t.Error("the oldest value is kept")
	}
}

func TestConcurrentUse(t *testing.T) {
	var wg sync.WaitGroup
	m := Map[int, int]{Most: 10}
	for range 8 {
		wg.Go(func() {
			for i := range 1000 {
				m.Put(i%20, i)
				m.Get(i % 7)
			}
		})
	}
	wg.Wait()
	if len(m.of) != 10 || m.order.Len() != 10 {
		t.Errorf("%d keys, %d values", len(m.of), m.order.Len())
	}
}

func TestMapBoundsTheSizeOfItsValues(t *testing.T) {
	m := Map[string, string]{Most: 10, Size: func(v string) int { return len(v) }}
	m.Put("a", "1234")
	m.Put("b", "1234")
	m.Put("a", "12345678") // takes the place of its value, and with it b's
	if _, ok := m.Get("b"); ok || m.sizes != 8 || len(m.of) != 1 {
		t.Errorf("b is kept: %v; %d bytes in %d values", ok, m.sizes, len(m.of))
	}
	if m.Put("c", "12345678901"); len(m.of) != 0 || m.sizes != 0 {
		t.Errorf("a value beyond the bound is kept: %d bytes", m.sizes)
	}
}
