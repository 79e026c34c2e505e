package keys

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	// SessionLife is how long a session lasts, whether or not it is used.
	SessionLife = 12 * time.Hour
	// LinkLife is how long a link can begin a session.
	LinkLife = 10 * time.Minute

	sessionRows = "session"
	linkRows    = "link"
	tokenLength = 26  // the length of a [rand.Text]
	mostSwept   = 100 // most rows of ended sessions that one sweep removes
)

// session is the row of a session or of a link.
type session struct {
	Key     string    `col:"key"`
	Hash    string    `col:"hash,must"` // the key's hash, because another key may later get the same name
	Created time.Time `col:"created"`
	Expires time.Time `col:"expires,must"`
}

var sessions = row.Of[session]()

// SignIn begins a session for the holder of a key, which [Ring.Find] has returned, and returns the session's token. It
// also removes rows of ended sessions and links.
func (r *Ring) SignIn(ctx context.Context, k Key) (token string, err error) {
	return r.begin(ctx, sessionRows, k, SessionLife)
}

// begin writes the row of a session or of a link.
func (r *Ring) begin(ctx context.Context, rows string, k Key, life time.Duration) (token string, err error) {
	r.sweep(ctx, rows)
	token = strings.ToLower(rand.Text())
	now := r.o.Clock().UTC()
	s := session{Key: k.Name, Hash: k.hash, Created: now, Expires: now.Add(life)}
	_, err = r.rows.Transact(ctx, sessions.Put(storage.Key{Partition: rows, Row: hashOf(token)}, "", &s))
	return token, err
}

// Session returns the key with which a session was begun. It returns false when the session has ended or the key was
// removed.
func (r *Ring) Session(ctx context.Context, token string) (Key, bool, error) {
	k, _, found, err := r.holder(ctx, sessionRows, token)
	return k, found, err
}

// holder returns the key of a session or of a link, and the row's tag.
func (r *Ring) holder(ctx context.Context, rows, token string) (k Key, etag storage.ETag, found bool, err error) {
	if len(token) != tokenLength {
		return Key{}, "", false, nil
	}
	s, etag, err := sessions.Load(ctx, r.rows, storage.Key{Partition: rows, Row: hashOf(token)})
	if err != nil || etag == "" || !r.o.Clock().Before(s.Expires) {
		return Key{}, "", false, err
	}
	k, found, err = r.find(ctx, s.Hash)
	return k, etag, found, err
}

// SignOut ends a session.
func (r *Ring) SignOut(ctx context.Context, token string) error {
	return storage.DeleteRow(ctx, r.rows, storage.Key{Partition: sessionRows, Row: hashOf(token)})
}

// sweep removes at most [mostSwept] rows of ended sessions or links. The next sweep removes the remaining ones.
func (r *Ring) sweep(ctx context.Context, rows string) {
	now, n := r.o.Clock(), 0
	for found, err := range r.rows.Query(ctx, storage.Query{Partition: rows}) {
		if err != nil || n == mostSwept {
			return
		}
		if s, err := sessions.Decode(found.Props); err == nil && now.Before(s.Expires) {
			continue
		}
		n++
		_, _ = r.rows.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: found}) // the next sweep tries again
	}
}

// Link makes a link that begins a session for the holder of a key, once and within [LinkLife], and returns its token.
func (r *Ring) Link(ctx context.Context, k Key) (token string, err error) {
	return r.begin(ctx, linkRows, k, LinkLife)
}

// Linked returns the key for which a link can begin a session. It returns false when the link was used or is too old,
// or when its key was removed.
func (r *Ring) Linked(ctx context.Context, token string) (Key, bool, error) {
	k, _, found, err := r.holder(ctx, linkRows, token)
	return k, found, err
}

// UseLink begins a session by a link. Of several who use a link at once, one begins a session.
func (r *Ring) UseLink(ctx context.Context, token string) (k Key, session string, found bool, err error) {
	k, etag, found, err := r.holder(ctx, linkRows, token)
	if err != nil || !found {
		return Key{}, "", false, err
	}
	_, err = r.rows.Transact(ctx, storage.DeleteOp(storage.Key{Partition: linkRows, Row: hashOf(token)}, etag))
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return Key{}, "", false, nil
	}
	if err == nil {
		session, err = r.SignIn(ctx, k)
	}
	return k, session, err == nil, err
}

// FormToken returns a token for the forms of a session, so that no other site can submit a form. The form token
// reveals nothing about the session's token.
func FormToken(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("forms"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
