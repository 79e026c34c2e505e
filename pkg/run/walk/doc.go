// Package walk follows the links of a site, from page to page, as part of the polls of the site (package sitepoll) and
// of backfills. It finds pages breadth first, in the order of their distance from a start, and registers them within
// the site's limits.
//
// A step reads the links of the pages that the walk waits for. The crawl of this process has kept them, or else they
// are read from the stored bodies, which gives the same links. The step adds the pages to which these links lead, and
// registers the next ones: at most 256 pages ahead of the crawl, and at most 8 of a new group of addresses
// ([discover.Bulk]), because an endless space is recognized by its first pages. A later poll compares the digest of
// each page's body with the digest of the body whose links were read, and reads the links again where they differ. A
// dry run takes the same steps, but fetches pages by itself and registers nothing.
//
// The rows of a walk are written in the transaction that ends the step:
//
//	walk|<slug>|<walk>|<n>     128 pages, in the order in which they were found
//	walked|<slug>|<walk>|<n>   digests of 6,000 addresses that were examined
package walk
