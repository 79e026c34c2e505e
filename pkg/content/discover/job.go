package discover

import (
	"crypto/sha1"
	"encoding/hex"
)

// JobID returns the id of the job for a page that a site's backfill found (E2, spec 004 INV-2):
// backfill:{slug}:{sha1(canonicalURL)[:12]}. The canonicalURL is the [source.Source.Normalized] of the page, so all
// spellings of an address give the same id. The digest only makes the id short and of fixed length; it protects
// nothing.
func JobID(slug, canonicalURL string) string {
	sum := sha1.Sum([]byte(canonicalURL))
	return "backfill:" + slug + ":" + hex.EncodeToString(sum[:])[:12]
}
