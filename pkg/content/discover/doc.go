// Package discover finds the addresses of a site's pages in what the site publishes about itself: sitemaps,
// feeds, listing pages, and archives whose addresses follow dates. It also recognizes the endless spaces of
// addresses, such as calendars, that a crawler must not enter.
//
// It promises that no input makes it panic, grow without bound or run for long, that everything
// usable before a mistake is kept, and that the same bytes always give the same links in the same
// order. It implements E2, E8 and E15 of the requirements (spec 004). It knows no context, clock
// or network: pkg/run/backfill decides what to fetch, when, and what becomes of the links.
//
// Addresses come out in the form in which they should be requested (source.FetchForm), without
// repeats within one document. Whether a site wants them is decided by site.Site.Judge.
//
// # Alternatives considered
//
// encoding/xml stops at the first byte that is not UTF-8, at control characters and at a bare
// "<", and holds a whole text in memory before its length can be checked; real sitemaps have all of
// these. gofeed reads feeds well, but it builds a tree, of 50 MB in the worst case, and adds 1.07 MB to an
// executable that starts the slower the larger it is. Only addresses and dates are needed of a feed, which
// takes the walker of sitemaps three more names.
package discover
