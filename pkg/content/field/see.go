package field

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/extract/jsonld"
)

// Reading is what a check read of the fields of an item.
type Reading struct {
	Results []Result
	// Keys identify the definitions of the fields that somebody asked for, by name. Fields that are read unasked have
	// none.
	Keys   map[string]string
	Unread string // why no field could be read; then there are no results
	// UnreadData says what of the data that the page declares could not be read.
	UnreadData jsonld.Unread
	Capture    string // the body that was read
	At         time.Time
	// Baseline states that the values cannot be compared with those before: they were read in another way, or in a
	// capture that the item had before.
	Baseline bool
}

// See returns what is known after a check, with the changes, and with the entries that the histories get: the values
// that are not the last ones any more. Fields that nobody asks for any more are dropped, and so are those beyond
// [MaxFields].
func (k Known) See(r Reading) (next Known, changes []Change, entries []Entry) {
	if r.Unread != "" {
		return k.unread(r), nil, nil
	}
	next = Known{Read: true, UnreadData: r.UnreadData}
	for _, name := range k.names(r) {
		was, had := k.Field(name)
		if !had {
			was.Entries = k.Past[name]
		}
		key, res := r.Keys[name], r.doubted(resultOf(r, name), was)
		redefined := had && was.Key != key
		if redefined {
			was = Kept{Entries: was.Entries}
		}
		begins := res.State == Found || res.State == Unread && (redefined || !k.Read)
		if (redefined || !had) && key == "" && !begins || len(next.All) == MaxFields {
			continue
		}
		is, c := was.see(res, r)
		is.Name, is.Key = name, key
		// A page that was read before had no unasked field about which nothing is known.
		c.Name, c.First = name, c.First && (!k.Read || had || key != "")
		c.Reported = is.reported()
		if c.State != "" && (c.First || !r.Baseline) {
			changes = append(changes, c)
		}
		next.All = append(next.All, is)
	}
	next.Past = k.pastOf(next)
	return next, changes, k.entriesUntil(next)
}

// pastOf returns the number of entries of the fields that are dropped. If there are too many, some begin anew.
func (k Known) pastOf(next Known) map[string]int {
	past := map[string]int{}
	maps.Copy(past, k.Past)
	for _, was := range k.All {
		if was.Entries > 0 {
			past[was.Name] = was.Entries
		}
	}
	for _, is := range next.All {
		delete(past, is.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(past)) {
		if len(past) > MaxFields {
			delete(past, name)
		}
	}
	if len(past) == 0 {
		return nil
	}
	return past
}

// unread returns what is known after a check that could not read the fields. Nobody knows then whether a field that is
// defined in another way is there.
func (k Known) unread(r Reading) (next Known) {
	next = k
	next.Unread, next.UnreadData = r.Unread, r.UnreadData
	next.All = slices.Clone(k.All)
	for _, name := range slices.Sorted(maps.Keys(r.Keys)) {
		if _, had := k.Field(name); !had && len(next.All) < MaxFields {
			next.All = append(next.All, Kept{Name: name, Key: r.Keys[name], Entries: k.Past[name]})
		}
	}
	for i := range next.All {
		next.All[i].State, next.All[i].Why = Unread, r.Unread
	}
	return next
}

// entriesUntil returns the last entries of histories that are not the last ones any more.
func (k Known) entriesUntil(next Known) (entries []Entry) {
	for _, was := range k.All {
		is, _ := next.Field(was.Name)
		if e := was.Entry(); e.Number > 0 && e.Number != is.Entry().Number {
			entries = append(entries, e)
		}
	}
	return entries
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
	names = slices.AppendSeq(names, maps.Keys(r.Keys))
	slices.SortFunc(names, func(a, b string) int {
		if x, y := r.Keys[a] == "", r.Keys[b] == ""; x != y { // those that are asked for come first
			if x {
				return 1
			}
			return -1
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(names)
}

// resultOf returns what was read of a field. Fields that are read unasked are in the results only if a page declares
// them.
func resultOf(r Reading, name string) Result {
	for _, res := range r.Results {
		if res.Name == name {
			return res
		}
	}
	return Result{Name: name, State: Gone, Evidence: Evidence{Reason: "the page does not declare it"}}
}

// doubted returns a result for a page of which some declared data could not be read. A field that was declared there
// before has not disappeared: nothing is known of it. One whose source is gone says that this may be why.
func (r Reading) doubted(res Result, was Kept) Result {
	by, before := res.Evidence.Source, was.Evidence.Source
	declared := by == "" || by == JSONLD || by == Declared
	switch {
	case r.UnreadData.Blocks == 0:
	case res.State == Disappeared && before == JSONLD && by != JSONLD:
		res.State, res.Evidence.Reason = Unread, r.UnreadData.String()
	case res.State == Gone && declared:
		const longest = 400
		res.Evidence.Reason = words.Clip(strings.Trim(res.Evidence.Reason+"; "+r.UnreadData.String(), "; "), longest)
	}
	return res
}

// see returns what is kept of a field after a check. The change has a state if there is one.
func (k Kept) see(res Result, r Reading) (Kept, Change) {
	before := k.State
	if k.State = res.State; res.State != Found && res.State != Disappeared {
		k.Why = res.Evidence.Reason
		return k, Change{}
	}
	k.Why, k.Accepted = "", false
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
		if known := kept.State == Found || kept.State == Disappeared; !known || kept.Same {
			continue
		}
		same = append(same, Change{Name: kept.Name, State: kept.State, Then: kept.Last,
			Now: Moment{kept.Last.Value, kept.Seen()}, Same: true, Reported: kept.reported()})
		kept.Same = true
	}
	return next, same
}

// Present returns the present values as changes of a first check, for a rule that asks for them.
func (k Known) Present(rule string) (out []Change) {
	for _, kept := range k.All {
		if kept.State == Found || kept.State == Disappeared {
			out = append(out, Change{Name: kept.Name, At: kept.Evidence.At, State: kept.State, Now: kept.then(), First: true,
				Reported: true, Rule: rule})
		}
	}
	return out
}
