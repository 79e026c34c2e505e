package source

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Type is the kind of place a source names. It is stored, and it begins every [ID].
type Type string

// The types of spec 003 §3.
const (
	URL  Type = "url"
	File Type = "file"
)

// ID is the stable name of a source: its type, an underscore and its [Source.Hash], such as
// "url_" followed by 26 characters of a-z and 2-7. The same source has the same ID for ever.
type ID string

// Source is what a user named, reduced to its identity. Sources are values and may be compared
// with ==. Make them with [Rules.ParseURL] and [Rules.Resolve].
type Source struct {
	Type Type
	// Normalized is the identity: printable ASCII of at most [MaxNormalized] bytes, without
	// secrets. Two sources are the same exactly if it is the same.
	Normalized string
	// Display is Normalized as people write it, with Unicode in host, path and query. It parses
	// to the same Source.
	Display string
	// Host is the ASCII host as in Normalized, with ":port" when the port is not the scheme's
	// own. It follows the rules for keys of Azure Tables.
	Host string
	// Scheme is "http" or "https".
	Scheme string
}

// hashLen keeps 130 bits of the SHA-256: a collision among 10^12 sources has odds of 10^-15.
const hashLen = 26

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// shortHash is the hash of spec 003 §3: lower-case base32 of SHA-256, cut to [hashLen].
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return encoding.EncodeToString(sum[:])[:hashLen]
}

// ID is the stable id of the source (A4).
func (s Source) ID() ID { return ID(string(s.Type) + "_" + s.Hash()) }

// Hash is the short hash of Normalized, 26 characters of a-z and 2-7. It is the RowKey of the
// source's item (A4).
func (s Source) Hash() string { return shortHash(s.Normalized) }

// ContentGroupID is the short hash of host and path without query (A4; spec 003 §10). Sources
// that differ in http against https or in their query share it, so it groups likely duplicates.
// It proves nothing: pages of one path may well differ by query.
func (s Source) ContentGroupID() string {
	_, rest, isURL := strings.Cut(s.Normalized, "://")
	if !isURL {
		rest = s.Normalized // a path
	}
	hostAndPath, _, _ := strings.Cut(rest, "?")
	return shortHash(hostAndPath)
}

// Strategy is how sources are spread over partitions, REGISTRY_PARTITION_STRATEGY.
type Strategy string

// The strategies of A5.
const (
	ByHost   Strategy = "host"
	ByScheme Strategy = "scheme"
)

// ParseStrategy reads a [Strategy]; the error is Invalid and lists what is allowed.
func ParseStrategy(s string) (Strategy, error) {
	switch st := Strategy(s); st {
	case ByHost, ByScheme:
		return st, nil
	}
	return "", fault.Field("REGISTRY_PARTITION_STRATEGY", "partition strategy is %q; allowed are host and scheme", s)
}

// Partition is the key of the partition that holds the source's item (A5): the scheme under
// [ByScheme], otherwise the host. It is a valid Azure Tables key of at most [maxHost] + 6 bytes.
func (s Source) Partition(by Strategy) string {
	if by == ByScheme {
		return s.Scheme
	}
	return s.Host
}

// ParseID takes an [ID] apart, which is all that is needed to find its item (A5). The error is
// Invalid.
func ParseID(id string) (t Type, hash string, err error) {
	name, hash, _ := strings.Cut(id, "_")
	if t = Type(name); t != URL && t != File {
		return "", "", fault.Field("id", "id begins with neither url_ nor file_")
	}
	if len(hash) != hashLen || strings.Trim(hash, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		return "", "", fault.Field("id", "id is not %s_ and %d characters of a-z and 2-7", t, hashLen)
	}
	return t, hash, nil
}
