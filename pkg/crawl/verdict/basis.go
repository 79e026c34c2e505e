package verdict

import (
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// Rules are the settings that every verdict goes by.
type Rules struct {
	Agent              string // product token that robots directives are matched against
	Sources            source.Rules
	Version            lineage.Version // of the rules that texts are read under
	Schedule           schedule.Config
	Indexes            bool // there is a search index
	ReindexOnCanonical bool // another rel=canonical alone has the page indexed again
	Soft404            bool // hosts are asked for pages that do not exist
	RunID              string
}

// Basis is what a check knows beside its item and the answer: the rules, and how the item stood when
// the check began.
type Basis struct {
	Rules     Rules
	Options   options.Effective // that people have set for the item
	Watching  *Watching         // the part of it that counts
	Forced    bool              // the check was forced: nothing that is stored counts
	IndexOnly bool              // the site is not asked: what was fetched before is indexed
	Reread    bool              // what is stored was read under another version, and has been read again
	Unstored  bool              // what was to be indexed is not stored any more: another check has to ask the site
	RawBefore string            // the item's RawHash
	Manifest  string            // of what the index held
	MovedTo   string            // where permanent redirects led
	Soft404   Fingerprint       // what the host shows for pages that do not exist
	Last      snapshot.Last     // what the item was last found to have
	// How the source was reached at the check before.
	redirects   []string
	fetchSource string
}

// BasisOf is the basis of a check that begins, with what people have set for the item.
func BasisOf(it *registry.Item, r Rules, set options.Effective) Basis {
	return Basis{
		Rules: r, Options: set, Watching: WatchingOf(set.Watch, r.Version.String()),
		Forced: it.Forced(), RawBefore: it.RawHash, Manifest: it.Manifest,
		MovedTo: movedAddress(it, r.Sources), redirects: it.HTTPRedirectChain, fetchSource: it.FetchSource,
	}
}
