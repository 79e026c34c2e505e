package registry

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// DuePrefix is the prefix of the keys of due rows. HostPrefix is the prefix of the keys of host rows.
	DuePrefix  = "due|"
	HostPrefix = "host|"
	// The prefixes of the keys of rows of other kinds.
	AliasPrefix  = "alias|"
	FormerPrefix = "former|"
	RobotsPrefix = "robots|"
	// AfterBar is the character that sorts directly after '|'. A prefix whose final '|' is replaced by AfterBar is
	// the end of the prefix's key range.
	AfterBar = "}"
)

// OtherPrefixes are the prefixes of all rows of the items table that are no items.
var OtherPrefixes = []string{AliasPrefix, DuePrefix, FormerPrefix, HostPrefix, RobotsPrefix}

// DueRow returns the RowKey of the due row of an item that is due at a time.
func DueRow(at time.Time, hash string) string { return DuePrefix + storage.FormatTime(at) + "|" + hash }

// ParseDueRow splits the RowKey of a due row into its time and hash.
func ParseDueRow(row string) (at time.Time, hash string, ok bool) {
	rest, found := strings.CutPrefix(row, DuePrefix)
	if !found {
		return time.Time{}, "", false
	}
	text, hash, found := strings.Cut(rest, "|")
	at = storage.ParseTime(text)
	return at, hash, found && !at.IsZero()
}

// IndexKey returns the key of the index row that leads to an item.
func IndexKey(hash string) storage.Key {
	return storage.Key{Partition: hash[:2], Row: hash}
}

// IsItemRow reports whether a row of the items table is an item. Only the RowKeys of items contain no '|'.
func IsItemRow(row string) bool { return !strings.Contains(row, "|") }

// HostRow returns the RowKey of a host's row.
func HostRow(host string) string { return HostPrefix + host }
