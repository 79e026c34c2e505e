package notify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
	"github.com/tidemark/tidemark/pkg/content/field"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/registry"
)

// A rule that can fire on none of its pages would wait for ever. [unable] alone decides about a rule and a page, from
// what is stored of both. Its reason is given when a rule is saved or listed, a page is shown, or somebody asks why.

// Facts are what is stored of a page, as far as it decides whether rules can fire there.
type Facts struct {
	Page   feed.Change           // says which page it is
	Read   bool                  // whether it was ever read
	Fields field.Known           // the fields that were read
	Types  map[string]field.Type // those fields, and those that settings ask for, by name; "" if the type is not known
	List   bool                  // whether it is watched as a list
	Broken string                // why the watched part is missing; "" if it is not
}

// reason is why a rule cannot fire, and what to do about it. The zero reason stands for one that can.
type reason struct {
	why, remedy string
	reported    bool // the rule has reported the cause itself, as a broken watch
}

// can reports whether there is no reason against it.
func (r reason) can() bool { return r.why == "" }

const otherPart = "watch another part of it, or accept the page as it is"

// unable returns why a rule that is for a page cannot fire there. Names has the channels that exist; if it is nil, all
// do.
func unable(r *rule, names map[string]bool, p Facts) reason {
	if stuck := r.stuck(names); !stuck.can() || !p.Read {
		return stuck
	}
	kinds := kindsOf(r.Filter.Kind)
	only := func(some ...api.ChangeKind) bool { return isOnly(kinds, some...) }
	silenced := r.Filter.Silenced == "true" || r.Filter.Silenced == "only"
	switch {
	case r.When != nil:
		return r.unmet(p)
	case only(api.ChangeListed) && !p.List:
		return reason{why: "it waits for new entries of a list, and the page is not watched as a list",
			remedy: "set List in the settings of the page, or choose other kinds of changes"}
	case only(api.ChangeField) && len(p.Types) == 0:
		return reason{why: "it waits for values, and the page has none",
			remedy: "say where a value is under Values of the page in its settings"}
	case p.Broken != "" && !silenced && (len(kinds) == 0 || only(withText...)):
		return reason{why: p.Broken, remedy: otherPart, reported: true}
	}
	return reason{}
}

// stuck returns why a rule can fire on no page at all, whatever page it is.
func (r *rule) stuck(names map[string]bool) reason {
	if r.never != "" {
		return reason{why: r.never, remedy: "change the filter of the rule"}
	}
	gone := func(name string) bool { return names != nil && !names[name] }
	if rest := slices.DeleteFunc(slices.Clone(r.Channels), gone); len(rest) == 0 && len(r.Channels) > 0 {
		return reason{why: "there is no channel " + strings.Join(r.Channels, " and no channel "),
			remedy: "choose another channel, or make this one again"}
	}
	return reason{}
}

// unmet returns why the condition of a rule can never be met on a page.
func (r *rule) unmet(p Facts) reason {
	name := r.when.Field()
	word := field.Word(name)
	of, has := p.Types[name]
	kept, _ := p.Fields.Field(name)
	together := func(k field.Kept) bool {
		return k.Key == "" && k.State != field.Gone && field.AreDeclaredTogether(k.Name, name)
	}
	switch {
	case !has && r.When.Op == condition.Appears && r.When.First && field.DeclaredType(name) != "",
		!has && slices.ContainsFunc(p.Fields.All, together):
		return reason{} // a page that declares a product today may declare its sale price tomorrow
	case !has:
		return reason{why: noSuchField(name, slices.Sorted(maps.Keys(p.Types))),
			remedy: "say where its " + word + " is under Values of the page in its settings, or choose a value that it has"}
	case kept.Broken() != "":
		return reason{why: kept.Broken(), remedy: "say where it is now in the settings of the page", reported: true}
	case kept.State == field.Gone:
		return reason{why: fmt.Sprintf("its value %s is not there: %s", word, cmp.Or(kept.Why, "its source is gone")),
			remedy: "choose a value that it has"}
	case kept.State == field.Unread && kept.At.IsZero():
		return reason{why: fmt.Sprintf("its value %s cannot be read: %s", word, kept.Why),
			remedy: "choose another place or another type for it in the settings of the page"}
	case of == "":
		return reason{}
	}
	if err := r.when.Fits(of); err != nil {
		return reason{why: "its condition can never be met: " + err.Error(), remedy: "change the condition"}
	}
	return reason{}
}

// noSuchField says that a page has no field of a name, and which ones it has.
func noSuchField(name string, others []string) string {
	const most = 10
	text, none := fmt.Sprintf("the page has no value named %q", name), ", nor any other value"
	if name == field.Stock {
		text, none = "the page does not say whether it is in stock", ", and has no value"
	}
	var named []string
	for _, other := range others[:min(len(others), most)] {
		named = append(named, field.Word(other))
	}
	switch {
	case len(others) == 0:
		return text + none
	case len(others) > most:
		return text + "; there are " + strings.Join(named, ", ") + " and " + words.Count(len(others)-most, "other")
	}
	return text + "; there are " + strings.Join(named, ", ")
}

// withText are the kinds of change that say what has changed in a text.
var withText = []api.ChangeKind{api.ChangeContent, "beside", "beyond", api.ChangeNew, api.ChangeTitle, "reverted"}

// kindsOf returns the kinds that a filter names.
func kindsOf(list string) (kinds []api.ChangeKind) {
	for _, kind := range words.Parts(list, ",") {
		kinds = append(kinds, api.ChangeKind(kind))
	}
	return kinds
}

// isOnly reports whether kinds are named, and no others than some.
func isOnly(kinds []api.ChangeKind, some ...api.ChangeKind) bool {
	return len(kinds) > 0 &&
		!slices.ContainsFunc(kinds, func(k api.ChangeKind) bool { return !slices.Contains(some, k) })
}

// never returns why a rule can never report anything but a broken watch, or "".
func never(spec api.RuleSpec) string {
	f := spec.Filter
	kinds := kindsOf(f.Kind)
	only := func(some ...api.ChangeKind) bool { return isOnly(kinds, some...) }
	text := len(kinds) == 0 ||
		slices.ContainsFunc(kinds, func(k api.ChangeKind) bool { return slices.Contains(withText, k) })
	search, _ := parseItems(f.Items)
	switch {
	case f.Zone == api.ZoneMain && only("beside", "beyond"):
		return "it waits for text outside the main content, but is only for the main content"
	case f.ItemID != "" && only(api.ChangeNew):
		return "it waits for a new page, but is for a page that is known already"
	case f.ItemID != "" && f.Type != "" && !strings.HasPrefix(f.ItemID, f.Type+"_"):
		return "it is for one page, which is not of the type " + f.Type
	case (f.Added != "" || f.Removed != "") && !text:
		return "it waits for words in a text that has changed, but only for changes that have no text"
	case f.MinShare > 0 && !text:
		return "it waits for a share of the text, but only for changes that have no text"
	case search.host != "" && f.Host != "" && search.host != strings.ToLower(f.Host):
		return "it names two hosts"
	}
	return ""
}

// pageOf returns a change that says which page an item is.
func pageOf(it *registry.Item) feed.Change {
	return feed.Change{Kind: feed.Field, ItemID: string(it.ID), Type: string(it.Type), Host: it.SourceHost,
		URL: it.DisplaySource, Title: it.Title, Tags: it.Tags}
}
