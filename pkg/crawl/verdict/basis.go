package verdict

import (
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Rules are the settings that all verdicts depend on.
type Rules struct {
	Agent              string // product token that robots directives are matched against
	Sources            source.Rules
	FileRoot           string          // the folder of local files, below which their paths begin
	Version            lineage.Version // version of the rules for reading texts
	Schedule           schedule.Config
	Indexes            bool // whether an index is configured
	Browser            bool // whether there is a browser to render pages
	ReindexOnCanonical bool // after a change of rel=canonical alone, index the page again
	Soft404            bool // whether hosts are asked for pages that cannot exist
	RunID              string
}

// Basis is what a check knows in addition to the item and the answer: the rules, and the state of the item when the
// check began.
type Basis struct {
	Rules     Rules
	Options   options.Effective // the options that people have set for the item
	Watching  *Watching         // the part of the item that people watch
	Fields    Fields            // the fields that people ask for
	Forced    bool              // the check was forced, so it ignores everything that is stored
	IndexOnly bool              // the site gets no request: stored content is indexed
	Reread    bool              // the stored content was read under another version, and has been read again
	Unstored  bool              // the content to be indexed is no longer stored, so another check must fetch it
	RawBefore string            // the item's RawHash when the check began
	Served    string            // the body that the source served before the check
	Manifest  string            // the manifest of the page's contents in the index
	MovedTo   string            // the target of permanent redirects
	Soft404   Fingerprint       // the host's answer for pages that do not exist
	Last      snapshot.Last     // the last content that the item had
	Rendering RenderingPolicy   // what decides whether the item is rendered
	Rendered  Seen              // what this check has found out by rendering the page, or by not rendering it
	// redirects are the redirects that the previous check recorded.
	redirects   []string
	fetchSource string
}

// BasisOf returns the basis of a new check, with the options that people have set for the item.
func BasisOf(it *registry.Item, r Rules, set options.Effective) Basis {
	return Basis{
		Rules: r, Options: set, Rendering: RenderingPolicy{Options: set, Browser: r.Browser},
		Watching: WatchingOf(set.Watch, r.Version.String()), Fields: fieldsOf(set.Watch),
		Forced: it.Forced(), RawBefore: it.RawHash, Served: it.Validators.Served(it.RawHash), Manifest: it.Manifest,
		MovedTo: movedAddress(it, r.Sources), redirects: it.HTTPRedirectChain, fetchSource: it.FetchSource,
	}
}
