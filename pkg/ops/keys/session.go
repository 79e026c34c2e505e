package keys

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	// SessionLife is how long a session lasts, whether or not it is used.
	SessionLife = 12 * time.Hour

	sessionRows = "session"
	tokenLength = 26  // the length of a [rand.Text]
	mostSwept   = 100 // most rows of ended sessions that one sweep removes
)

// session is the row of a session.
type session struct {
	Key     string    `col:"key"`
	Hash    string    `col:"hash,must"` // the key's hash, because another key may later get the same name
	Created time.Time `col:"created"`
	Expires time.Time `col:"expires,must"`
}

var sessions = row.Of[session]()

func sessionKey(token string) storage.Key {
	return storage.Key{Partition: sessionRows, Row: hashOf(token)}
}

// SignIn begins a session for the holder of a key, which [Ring.Find] has returned, and returns the session's token. It
// also removes rows of ended sessions.
func (r *Ring) SignIn(ctx context.Context, k Key) (token string, err error) {
	r.sweep(ctx)
	token = strings.ToLower(rand.Text())
	now := r.o.Clock().UTC()
	s := session{Key: k.Name, Hash: k.hash, Created: now, Expires: now.Add(SessionLife)}
	_, err = r.rows.Transact(ctx, sessions.Put(sessionKey(token), "", &s))
	return token, err
}

// Session returns the key with which a session was begun. It returns false when the session has ended or the key was
// removed.
func (r *Ring) Session(ctx context.Context, token string) (Key, bool, error) {
	if len(token) != tokenLength {
		return Key{}, false, nil
	}
	s, etag, err := sessions.Load(ctx, r.rows, sessionKey(token))
	if err != nil || etag == "" || !r.o.Clock().Before(s.Expires) {
		return Key{}, false, err
	}
	return r.find(ctx, s.Hash)
}

// SignOut ends a session.
func (r *Ring) SignOut(ctx context.Context, token string) error {
	return storage.DeleteRow(ctx, r.rows, sessionKey(token))
}

// sweep removes at most [mostSwept] rows of ended sessions. The next sweep removes the remaining ones.
func (r *Ring) sweep(ctx context.Context) {
	now, n := r.o.Clock(), 0
	for found, err := range r.rows.Query(ctx, storage.Query{Partition: sessionRows}) {
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

// FormToken returns a token for the forms of a session, so that no other site can submit a form. The form token
// reveals nothing about the session's token.
func FormToken(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("forms"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
