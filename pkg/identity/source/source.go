package source

import (
	"crypto/sha256"
	"encoding/base32"
	"net/netip"
	"slices"
	"strings"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Type is the type of a source. It is stored, and is the beginning of every [ID].
type Type string

// The types of spec 003 §3.
const (
	URL  Type = "url"
	File Type = "file"
)

// ID is the stable name of a source: its type, an underscore and its [Source.Hash]. An example is "url_" followed by
// 26 characters of a-z and 2-7. The ID of a source never changes.
type ID string

// Source is a user's URL or file reduced to its identity. Callers must make Sources with [Rules.ParseURL] and
// [Rules.Resolve], and may compare them with ==.
type Source struct {
	Type Type
	// Normalized is the identity: printable ASCII of at most [MaxNormalized] bytes, without secrets. Two sources are
	// the same exactly if their Normalized is equal.
	Normalized string
	// Display is Normalized in readable form, with Unicode in host, path and query. Parsing it gives the same Source.
	Display string
	// Host is the ASCII host as in Normalized, with ":port" unless the port is the scheme's default. It is a valid
	// key of Azure Tables.
	Host string
	// Scheme is "http" or "https".
	Scheme string
}

// hashLen is the number of base32 characters of the SHA-256 that are kept. They have 130 bits: the probability of a
// collision among 10^12 sources is 10^-15.
const hashLen = 26

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// shortHash returns the hash of spec 003 §3: lower-case base32 of SHA-256, cut to [hashLen].
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return encoding.EncodeToString(sum[:])[:hashLen]
}

// ID returns the stable id of the source (A4).
func (s Source) ID() ID { return ID(string(s.Type) + "_" + s.Hash()) }

// Hash returns the short hash of Normalized, 26 characters of a-z and 2-7. It is the RowKey of the source's item
// (A4).
func (s Source) Hash() string { return shortHash(s.Normalized) }

// ContentGroupID returns the short hash of host and path without query (A4; spec 003 §10). Sources that differ only
// in http or https, or in their query, have the same id, so the id groups likely duplicates. It does not prove that
// they are duplicates: pages with the same path may well differ by query.
func (s Source) ContentGroupID() string {
	_, rest, isURL := strings.Cut(s.Normalized, "://")
	if !isURL {
		rest = s.Normalized // a local path has no scheme
	}
	hostAndPath, _, _ := strings.Cut(rest, "?")
	return shortHash(hostAndPath)
}

// Strategy decides how sources are spread over partitions. It is the setting REGISTRY_PARTITION_STRATEGY.
type Strategy string

// The strategies of A5.
const (
	ByHost   Strategy = "host"
	ByScheme Strategy = "scheme"
)

// ParseStrategy parses a [Strategy]. The error is Invalid and lists the allowed values.
func ParseStrategy(s string) (Strategy, error) {
	switch st := Strategy(s); st {
	case ByHost, ByScheme:
		return st, nil
	}
	return "", fault.Field("REGISTRY_PARTITION_STRATEGY", "partition strategy is %q; allowed are host and scheme", s)
}

// Partition returns the key of the partition that contains the source's item (A5): the scheme under [ByScheme],
// otherwise the host. It is a valid key of Azure Tables of at most [maxHost] + 6 bytes.
func (s Source) Partition(by Strategy) string {
	if by == ByScheme {
		return s.Scheme
	}
	return s.Host
}

// ParseID splits an [ID] into its parts, which are enough to find the item of the source (A5). The error is Invalid.
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

// OtherName returns a host without its "www.", or with one if it has none. It returns "" for a host that cannot have
// such a name: an IP address, or a name without a dot.
func OtherName(host string) string {
	if apex, www := strings.CutPrefix(host, "www."); www {
		return apex
	}
	name, _, _ := strings.Cut(host, ":")
	if _, err := netip.ParseAddr(name); err == nil || !strings.Contains(name, ".") {
		return ""
	}
	return "www." + host
}

// SameSite reports whether two hosts differ at most in a leading "www.".
func SameSite(a, b string) bool {
	return strings.TrimPrefix(a, "www.") == strings.TrimPrefix(b, "www.")
}

// Form is how a page is requested. Servers may distinguish addresses that are one source: by a slash at the end, by the
// order of the query, by escapes.
type Form struct {
	// Requested is the address that was given, without trackers; "" if that is the normalized one.
	Requested string
	// Tracked is the address with its trackers; "" if it has none. Few pages need them.
	Tracked string
}

// Forms are the forms in which sources were given. The nil map has none.
type Forms map[ID]Form

// Note remembers the address that was given for a source. The first one counts.
func (f Forms) Note(s Source, raw string, rules Rules) {
	if s.Type != URL {
		return
	}
	id := s.ID()
	if _, known := f[id]; !known {
		f[id] = rules.FormOf(s, raw)
	}
}

// FormOf returns the form of an address that was given for a source. Of an address that is too long to be kept, it
// returns the zero Form, which is the normalized address.
func (r Rules) FormOf(s Source, raw string) (out Form) {
	tracked, err := FetchForm(raw)
	if err != nil || len(tracked) > MaxNormalized {
		return Form{}
	}
	u, err := parse("", tracked)
	if err != nil {
		return Form{} // Unreachable: the form of an address is an address.
	}
	query := u.query
	ps := params(query)
	kept := slices.DeleteFunc(slices.Clone(ps), func(p param) bool { return r.tracks(p.name) })
	if len(kept) < len(ps) {
		query, out.Tracked = join(kept), tracked
	}
	if form := assemble(u.scheme, u.host(), fixStray(u.path), query); form != s.Normalized {
		out.Requested = form
	}
	return out
}
