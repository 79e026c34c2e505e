package change

import "slices"

// State is a short hash of a body. Two bodies of one page collide with a probability of 1 in 10^18.
type State [8]byte

// States are the hashes of a page's last bodies, present body first. There are at most [maxStates] of them.
type States []State

// maxStates limits the number of bodies that are remembered. On recorded histories, eight gave the same results as
// 64.
const maxStates = 8

// Bytes returns the stored form of States: at most 64 bytes.
func (s States) Bytes() []byte {
	var out []byte
	for _, state := range s {
		out = append(out, state[:]...)
	}
	return out
}

// StatesOf decodes the result of [States.Bytes]. For damaged bytes it returns nil.
func StatesOf(b []byte) (s States) {
	if len(b)%len(State{}) != 0 || len(b) > maxStates*len(State{}) {
		return nil
	}
	for chunk := range slices.Chunk(b, len(State{})) {
		s = append(s, State(chunk))
	}
	return s
}

// StateOf decodes one hash. For bytes of another length it returns the zero State.
func StateOf(b []byte) (s State) {
	if len(b) == len(s) {
		s = State(b)
	}
	return s
}

// present reports whether body is the present body of the page.
func (s States) present(body State) bool { return len(s) > 0 && s[0] == body }

func (s States) has(body State) bool { return slices.Contains(s, body) }

// Push returns the states after the body has become the present one.
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
