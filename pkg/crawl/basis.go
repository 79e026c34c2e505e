package crawl

import (
	"github.com/tidemark/tidemark/pkg/identity/lineage"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/policy/options"
	"github.com/tidemark/tidemark/pkg/policy/schedule"
	"github.com/tidemark/tidemark/pkg/registry"
	"github.com/tidemark/tidemark/pkg/storage/snapshot"
)

// rules are the settings that the stages without I/O go by.
type rules struct {
	agent              string
	sources            source.Rules
	version            lineage.Version
	schedule           schedule.Config
	indexes            bool // there is a search index
	reindexOnCanonical bool
	soft404            bool
	runID              string
}

// memory is what a check knows beside its item and the answer: the rules, and how the item stood when
// the check began.
type memory struct {
	rules     rules
	options   options.Effective // that people have set for the item
	watch     *watching         // what counts of it
	forced    bool              // somebody insists: nothing that is stored counts
	indexOnly bool              // the site is not asked: what was fetched before is indexed
	reread    bool              // what is stored was read under another version, and now again under ours
	unstored  bool              // what was to be indexed is not stored any more: another check has to ask the site
	rawBefore string
	manifest  string        // of what the index held
	movedTo   string        // where permanent redirects led
	soft404   fingerprint   // what the host shows for pages that do not exist
	last      snapshot.Last // what the item was last found to have
	// How the source was reached at the check before.
	redirects   []string
	fetchSource string
}

// memoryOf is what a check knows when it begins.
func memoryOf(it *registry.Item, r rules, set options.Effective) memory {
	return memory{
		rules: r, options: set, watch: watchingOf(set.Watch, r.version.String()),
		forced: it.Forced(), rawBefore: it.RawHash, manifest: it.Manifest,
		movedTo: movedAddress(it, r.sources), redirects: it.HTTPRedirectChain, fetchSource: it.FetchSource,
	}
}
