package source

import "slices"

// Form is how a page is requested. Servers may distinguish addresses that are one source: by a slash at the end, by the
// order of the query, by escapes.
type Form struct {
	// Requested is the address that was given, without trackers; "" if that is the normalized one.
	Requested string
	// Tracked is the address with its trackers; "" if it has none. Few pages need them.
	Tracked string
}

// Forms are the forms in which sources were given. The nil map has none.
type Forms map[ID]Form

// Note remembers the address that was given for a source. The first one counts.
func (f Forms) Note(s Source, raw string, rules Rules) {
	if s.Type != URL {
		return
	}
	id := s.ID()
	if _, known := f[id]; !known {
		f[id] = rules.FormOf(s, raw)
	}
}

// FormOf returns the form of an address that was given for a source. Of an address that is too long to be kept, it
// returns the zero Form, which is the normalized address.
func (r Rules) FormOf(s Source, raw string) (out Form) {
	tracked, err := FetchForm(raw)
	if err != nil || len(tracked) > MaxNormalized {
		return Form{}
	}
	u, err := parse("", tracked)
	if err != nil {
		return Form{} // Unreachable: the form of an address is an address.
	}
	query := u.query
	ps := params(query)
	kept := slices.DeleteFunc(slices.Clone(ps), func(p param) bool { return r.tracks(p.name) })
	if len(kept) < len(ps) {
		query, out.Tracked = join(kept), tracked
	}
	if form := assemble(u.scheme, u.host(), fixStray(u.path), query); form != s.Normalized {
		out.Requested = form
	}
	return out
}
