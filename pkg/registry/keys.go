package registry

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// duePrefix is the prefix of the keys of due rows. HostPrefix is the prefix of the keys of host rows.
	duePrefix  = "due|"
	hostPrefix = "host|"
	// The prefixes of the keys of rows of other kinds.
	aliasPrefix  = "alias|"
	formerPrefix = "former|"
	robotsPrefix = "robots|"
	// afterBar is the character that sorts directly after '|'. A prefix whose final '|' is replaced by AfterBar is
	// the end of the prefix's key range.
	afterBar = "}"
)

// otherPrefixes are the prefixes of all rows of the items table that are no items.
var otherPrefixes = []string{aliasPrefix, duePrefix, formerPrefix, hostPrefix, robotsPrefix}

// dueRow returns the RowKey of the due row of an item that is due at a time.
func dueRow(at time.Time, hash string) string { return duePrefix + storage.FormatTime(at) + "|" + hash }

// parseDueRow splits the RowKey of a due row into its time and hash.
func parseDueRow(row string) (at time.Time, hash string, ok bool) {
	rest, found := strings.CutPrefix(row, duePrefix)
	if !found {
		return time.Time{}, "", false
	}
	text, hash, found := strings.Cut(rest, "|")
	at = storage.ParseTime(text)
	return at, hash, found && !at.IsZero()
}

// indexKey returns the key of the index row that leads to an item.
func indexKey(hash string) storage.Key {
	return storage.Key{Partition: hash[:2], Row: hash}
}

// isItemRow reports whether a row of the items table is an item. Only the RowKeys of items contain no '|'.
func isItemRow(row string) bool { return !strings.Contains(row, "|") }

// hostRow returns the RowKey of a host's row.
func hostRow(host string) string { return hostPrefix + host }
