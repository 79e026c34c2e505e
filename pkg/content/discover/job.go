package discover

import (
	"crypto/sha1"
	"encoding/hex"
)

// JobID returns the id of the job for a page that a site's backfill found (E2, spec 004 INV-2):
// backfill:{slug}:{sha1(canonicalURL)[:12]}. Parameter canonicalURL is [source.Source.Normalized], so every spelling
// of an address has the same id. The digest is a name, not a protection.
func JobID(slug, canonicalURL string) string {
	sum := sha1.Sum([]byte(canonicalURL))
	return "backfill:" + slug + ":" + hex.EncodeToString(sum[:])[:12]
}
