// Package discover turns what a site publishes about itself into addresses: sitemaps and feeds,
// listing pages, archives whose addresses follow dates, and it tells endless spaces from pages.
//
// It promises that no input makes it panic, grow without bound or run for long, that everything
// usable before a mistake is kept, and that the same bytes always give the same links in the same
// order. It implements E2, E8 and E15 of the requirements (seed 004). It knows no context, clock
// or network: what to fetch, when, and what becomes of the links is pkg/backfill's.
//
// Addresses come out in the form in which they should be requested (source.FetchForm), without
// repeats within one document. Whether a site wants them is site.Site.Judge's to say.
//
// # Alternatives considered
//
// encoding/xml stops at the first byte that is not UTF-8, at control characters and at a bare
// "<", and holds a whole text in memory before anybody can say that it is too long; real sitemaps
// have all of these. gofeed reads feeds well, but as a tree, of 50 MB if need be, and adds 1.07 MB
// to an executable whose size is its cold start. Of a feed only addresses and dates are wanted
// here, which are three more names for the walker of sitemaps.
package discover
