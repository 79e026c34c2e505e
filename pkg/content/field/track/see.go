package track

import (
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/content/field"
)

// Reading is what a check read of the fields of an item.
type Reading struct {
	Results []field.Result
	// Keys identify the definitions of the fields that somebody asked for, by name. Fields that are read unasked have
	// none.
	Keys    map[string]string
	Unread  string // why no field could be read; then there are no results
	Capture string // the body that was read
	At      time.Time
	// Baseline states that the values cannot be compared with those before: they were read in another way, or in a
	// capture that the item had before.
	Baseline bool
}

// See returns what is known after a check, with the changes, and with the entries that the histories get: the values
// that are not the last ones any more. Fields that nobody asks for any more are dropped, and so are those beyond
// [MaxFields].
func (k Known) See(r Reading) (next Known, changes []Change, entries []Entry) {
	next = Known{Read: true}
	product := slices.ContainsFunc(r.Results, func(res field.Result) bool {
		return r.Keys[res.Name] == "" && res.Name == field.Price && res.State == field.Found
	})
	for _, name := range k.names(r) {
		was, had := k.Field(name)
		known, res := was, resultOf(r, name, product)
		if key := r.Keys[name]; had && was.Key != key {
			was, had = Kept{Entries: was.Entries}, false
		}
		if !had && res.State != field.Found && r.Keys[name] == "" || len(next.All) == MaxFields {
			continue
		}
		is, c := was.see(res, r)
		is.Name, is.Key = name, r.Keys[name]
		c.Name, c.First = name, c.First && (!k.Read || r.Keys[name] != "")
		c.Reported = r.Keys[name] != "" || field.Reported(name)
		if last := known.Entry(); last.Number > 0 && is.Entries > last.Number {
			entries = append(entries, last)
		}
		if c.State != "" && (c.First || !r.Baseline) {
			changes = append(changes, c)
		}
		next.All = append(next.All, is)
	}
	return next, changes, entries
}

// names returns the names of the fields that are known or read, in their order.
func (k Known) names(r Reading) (names []string) {
	for _, kept := range k.All {
		if _, asked := r.Keys[kept.Name]; asked || kept.Key == "" {
			names = append(names, kept.Name)
		}
	}
	for _, res := range r.Results {
		names = append(names, res.Name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if x, y := r.Keys[a] == "", r.Keys[b] == ""; x != y { // those that are asked for come first
			if y {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(names)
}

// resultOf returns what was read of a field. Of the fields that are read unasked only those that a page declares are
// in the results: if one is missing and the product is there, it has disappeared.
func resultOf(r Reading, name string, product bool) field.Result {
	for _, res := range r.Results {
		if res.Name == name {
			return res
		}
	}
	if r.Unread != "" {
		return field.Result{Name: name, State: field.Unread, Evidence: field.Evidence{Reason: r.Unread}}
	}
	if product && !field.Breaks(name) {
		return field.Result{Name: name, State: field.Disappeared}
	}
	return field.Result{Name: name, State: field.Gone, Evidence: field.Evidence{Reason: "the page does not declare it"}}
}

// see returns what is kept of a field after a check. The change has a state if there is one.
func (k Kept) see(res field.Result, r Reading) (Kept, Change) {
	before := k.State
	if k.State = res.State; res.State != field.Found && res.State != field.Disappeared {
		k.Evidence.Reason = res.Evidence.Reason
		return k, Change{}
	}
	first := before == "" || k.At.IsZero()
	if !first && k.Last.Value.Equal(res.Value) {
		c := Change{}
		if !k.Same {
			c = Change{State: res.State, Then: k.Last, Same: true}
		}
		k.Same = true
		k.Last.Value.Shown, k.Evidence = res.Value.Shown, res.Evidence
		c.Now = Moment{k.Last.Value, k.Seen()}
		return k, c
	}
	c := Change{State: res.State, At: res.Evidence.At, First: first, Then: k.then()}
	c.Now = Moment{res.Value, k.Seen()}
	k.Last, k.Same, k.At = c.Now, false, r.At
	k.Capture, k.Evidence = r.Capture, res.Evidence
	k.Entries++
	return k, c
}

// then returns what the last check saw.
func (k Kept) then() Moment {
	if k.Same {
		return Moment{k.Last.Value, k.Seen()}
	}
	return k.Last
}

// Stands returns what is known after a check that saw that the page is the same, without reading it.
func (k Known) Stands() (next Known, same []Change) {
	next = k
	next.All = slices.Clone(k.All)
	for i := range next.All {
		kept := &next.All[i]
		if known := kept.State == field.Found || kept.State == field.Disappeared; !known || kept.Same {
			continue
		}
		same = append(same, Change{Name: kept.Name, State: kept.State, Then: kept.Last,
			Now: Moment{kept.Last.Value, kept.Seen()}, Same: true})
		kept.Same = true
	}
	return next, same
}

// Present returns the present values as changes of a first check, for a rule that asks for them.
func (k Known) Present(rule string) (out []Change) {
	for _, kept := range k.All {
		if kept.State == field.Found || kept.State == field.Disappeared {
			out = append(out, Change{Name: kept.Name, At: kept.Evidence.At, State: kept.State, Now: kept.then(), First: true,
				Rule: rule})
		}
	}
	return out
}
