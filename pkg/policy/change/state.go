package change

import "slices"

// State is a short hash of a body. Two bodies of one page have the same by accident once in 10^18.
type State [8]byte

// States are the bodies that a page had last, the present one first. It is at most [maxStates] long.
type States []State

// maxStates is how many bodies are remembered. On recorded histories eight were as good as 64.
const maxStates = 8

// Bytes is how States are stored: 64 bytes at most.
func (s States) Bytes() []byte {
	var out []byte
	for _, state := range s {
		out = append(out, state[:]...)
	}
	return out
}

// StatesOf reads what [States.Bytes] wrote. What is damaged counts as nothing.
func StatesOf(b []byte) (s States) {
	if len(b)%len(State{}) != 0 || len(b) > maxStates*len(State{}) {
		return nil
	}
	for chunk := range slices.Chunk(b, len(State{})) {
		s = append(s, State(chunk))
	}
	return s
}

// present reports whether a body is the one that the page had last.
func (s States) present(body State) bool { return len(s) > 0 && s[0] == body }

func (s States) has(body State) bool { return slices.Contains(s, body) }

// Push is s with a body as the present one.
func (s States) Push(body State) States {
	if s.present(body) {
		return s
	}
	out := States{body}
	for _, earlier := range s {
		if earlier != body && len(out) < maxStates {
			out = append(out, earlier)
		}
	}
	return out
}
