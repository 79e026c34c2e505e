// Package walk follows the links of a site, from page to page, as part of the polls of the site (package sitepoll) and
// of backfills. It finds pages in the order of the links between them and a start, within the site's limits, and has
// them registered.
//
// A step takes what the crawl of this process has kept of pages that the walk waits for, or reads their stored bodies:
// both have the same links. It adds the pages that these link to, and registers the next ones. At most 256 pages are
// registered ahead of the crawl, and of a group of addresses that is not known yet 8 ([discover.Bulk]): an endless
// space is recognized by its first pages. A later poll compares the digest of each page's body with that of the body
// whose links were read, and reads the links of those that differ. A dry run takes the same steps, but fetches pages by
// itself and registers nothing.
//
// The rows of a walk are written in the transaction that ends the step:
//
//	walk|<slug>|<walk>|<n>     128 pages, in the order in which they were found
//	walked|<slug>|<walk>|<n>   digests of 6,000 addresses that were examined
package walk
