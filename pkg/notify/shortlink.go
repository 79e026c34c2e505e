package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/feed"
	"github.com/tidemark/tidemark/pkg/identity/source"
)

// This file reads and writes the short links of messages. All that a link means is in its token, so that no row is
// stored for it:
//
//	what it opens, and the form of the page's id   1 byte
//	of a change: its place in the feed             3 numbers, 3 to 9 bytes
//	of a mute: its last day                        2 bytes, days since 1970
//	           the rule                            6 bytes of the SHA-256 of its id
//	           the page                            17 bytes for the 130 bits of its id, or an id of another form
//	signature                                      10 bytes, 80 bits of an HMAC-SHA-256
//
// In base64url a link that mutes a page has 48 letters, and one to a change about 20. Who guesses 80 bits has to ask
// here for each guess, and requests for links that nobody has signed are counted.

// Opens is what a link of a message opens.
type Opens byte

// What links open.
const (
	OpensDifference Opens = 1 + iota
	OpensWhy
	OpensMute
	OpensStop
)

const (
	linkPurpose  = "short links" // the purpose of the key that signs them
	shortMAC     = 10            // bytes of a signature
	ruleSumSize  = 6
	maxShort     = 400                  // letters of a token: those of a page whose id has another form are longer
	stopLinkLife = 365 * 24 * time.Hour // a mail may be stopped long after it came
	day          = 24 * time.Hour
)

// The forms of a page's id, in the upper half of the first byte.
const (
	noPage byte = iota << 4
	urlPage
	filePage
	otherPage
)

// ruleSum names a rule in few bytes. Links name a rule among those of one page, or those for many pages.
type ruleSum [ruleSumSize]byte

func sumOf(rule string) ruleSum {
	sum := sha256.Sum256([]byte(rule))
	return ruleSum(sum[:ruleSumSize])
}

// shortLink is what the token of a short link says.
type shortLink struct {
	Opens  Opens
	Change feed.Position // of a difference and of a reason

	Item  string // of a mute; "" for all pages of the rule
	Rule  ruleSum
	Until time.Time // when the link stops working: the beginning of a day
}

// sign returns the token of a link, which only the holders of a key can make.
func (l shortLink) sign(key []byte) string {
	body := []byte{byte(l.Opens)}
	if l.Opens < OpensMute {
		for _, n := range []int{l.Change.Segment, l.Change.Group, l.Change.Index} {
			body = binary.AppendUvarint(body, uint64(max(n, 0)))
		}
	} else {
		form, id := packedID(l.Item)
		body[0] |= form
		body = binary.BigEndian.AppendUint16(body, uint16(l.Until.Add(day-1).Unix()/int64(day.Seconds())))
		body = append(append(body, l.Rule[:]...), id...)
	}
	return base64.RawURLEncoding.EncodeToString(append(body, shortSignature(key, body)...))
}

func shortSignature(key, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(body)
	return mac.Sum(nil)[:shortMAC]
}

// parseShort checks the token of a short link. Errors: NotFound for one that the key has not signed, or no key;
// Expired for one that has expired, which is returned all the same.
func parseShort(key []byte, token string, now time.Time) (l shortLink, err error) {
	wrong := fault.New(fault.NotFound, "this link is not valid")
	if len(key) == 0 || len(token) > maxShort {
		return l, wrong
	}
	all, err := base64.RawURLEncoding.Strict().DecodeString(token)
	at := len(all) - shortMAC
	if err != nil || at < 1 || !hmac.Equal(all[at:], shortSignature(key, all[:at])) {
		return l, wrong
	}
	l, ok := unpacked(all[:at])
	switch {
	case !ok:
		return shortLink{}, wrong // Unreachable: no such bytes are ever signed.
	case !l.Until.IsZero() && !now.Before(l.Until):
		return l, errExpired
	}
	return l, nil
}

var errExpired = fault.New(fault.Expired, "this link has expired: those of newer messages work")

// unpacked reads what a signed token says.
func unpacked(body []byte) (l shortLink, ok bool) {
	const low = 0x0f
	l.Opens = Opens(body[0] & low)
	form, rest := body[0]&^low, body[1:]
	switch {
	case l.Opens == OpensDifference || l.Opens == OpensWhy:
		for _, n := range []*int{&l.Change.Segment, &l.Change.Group, &l.Change.Index} {
			value, size := binary.Uvarint(rest)
			if size <= 0 {
				return l, false
			}
			*n, rest = int(value), rest[size:]
		}
		return l, len(rest) == 0
	case l.Opens != OpensMute && l.Opens != OpensStop || len(rest) < 2+ruleSumSize:
		return l, false
	}
	l.Until = time.Unix(int64(binary.BigEndian.Uint16(rest))*int64(day.Seconds()), 0).UTC()
	l.Rule = ruleSum(rest[2:])
	l.Item, ok = unpackedID(form, rest[2+ruleSumSize:])
	return l, ok
}

var idBits = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const (
	idLetters  = 26   // of the hash in an id: 130 bits
	idFill     = "aa" // fills them up to whole bytes
	packedSize = 17
)

// packedID returns an id as bytes, and their form.
func packedID(id string) (form byte, packed []byte) {
	if id == "" {
		return noPage, nil
	}
	kind, hash, err := source.ParseID(id)
	if packed, bad := idBits.DecodeString(hash + idFill); err == nil && bad == nil && len(packed) == packedSize {
		return map[source.Type]byte{source.URL: urlPage, source.File: filePage}[kind], packed
	}
	return otherPage, []byte(id)
}

func unpackedID(form byte, packed []byte) (id string, ok bool) {
	kind := map[byte]source.Type{urlPage: source.URL, filePage: source.File}[form]
	switch {
	case form == noPage:
		return "", len(packed) == 0
	case form == otherPage:
		return string(packed), len(packed) > 0
	case kind == "" || len(packed) != packedSize:
		return "", false
	}
	text := idBits.EncodeToString(packed)
	return string(kind) + "_" + text[:idLetters], strings.HasSuffix(text, idFill)
}
