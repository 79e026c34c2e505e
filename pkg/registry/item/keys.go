package item

import (
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	// DuePrefix is that of due rows, HostPrefix that of the rows of hosts.
	DuePrefix  = "due|"
	HostPrefix = "host|"
	// AfterBar closes the range of a prefix that ends in '|': the next character.
	AfterBar = "}"
)

// DueRow is the RowKey of the due row of an item that is due at a time.
func DueRow(at time.Time, hash string) string { return DuePrefix + storage.FormatTime(at) + "|" + hash }

// ParseDueRow splits a due row's key.
func ParseDueRow(row string) (at time.Time, hash string, ok bool) {
	rest, found := strings.CutPrefix(row, DuePrefix)
	if !found {
		return time.Time{}, "", false
	}
	text, hash, found := strings.Cut(rest, "|")
	at = storage.ParseTime(text)
	return at, hash, found && !at.IsZero()
}

// IndexKey is where the row is that leads to an item.
func IndexKey(hash string) storage.Key {
	return storage.Key{Partition: hash[:2], Row: hash}
}

// IsItemRow tells items from the rows that stand beside them: a hash has none of '|'.
func IsItemRow(row string) bool { return !strings.Contains(row, "|") }

// HostRow is the RowKey of a host's row.
func HostRow(host string) string { return HostPrefix + host }
