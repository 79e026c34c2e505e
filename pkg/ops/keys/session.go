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
	// SessionLife is how long a session lasts, whether it is used or not.
	SessionLife = 12 * time.Hour

	sessionRows = "session"
	tokenLength = 26  // of [rand.Text]
	mostSwept   = 100 // rows of sessions that are over, removed when another begins
)

// session is the row of one.
type session struct {
	Key     string    `col:"key"`
	Hash    string    `col:"hash,must"` // of the key: another one of the same name is another key
	Created time.Time `col:"created"`
	Expires time.Time `col:"expires,must"`
}

var sessions = row.Of[session]()

func sessionKey(token string) storage.Key {
	return storage.Key{Partition: sessionRows, Row: hashOf(token)}
}

// SignIn begins a session for the holder of a key, and returns its token. Rows of sessions that are over are removed.
func (r *Ring) SignIn(ctx context.Context, secret string) (k Key, token string, ok bool, err error) {
	if k, ok, err = r.Find(ctx, secret); err != nil || !ok {
		return k, "", false, err
	}
	r.sweep(ctx)
	token = strings.ToLower(rand.Text())
	now := r.o.Clock().UTC()
	s := session{Key: k.Name, Hash: k.hash, Created: now, Expires: now.Add(SessionLife)}
	_, err = r.rows.Transact(ctx, storage.Op{Kind: storage.Insert, Entity: storage.Entity{
		Key: sessionKey(token), Props: sessions.Encode(&s),
	}})
	return k, token, err == nil, err
}

// Session gives the key that a session was begun with, while both last.
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
	_, err := r.rows.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: storage.Entity{
		Key: sessionKey(token), ETag: storage.AnyETag,
	}})
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

// sweep removes rows of sessions that are over. What it leaves, the next one removes.
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
		_, _ = r.rows.Transact(ctx, storage.Op{Kind: storage.Delete, Entity: found}) // the next one tries again
	}
}

// FormToken is what the forms of a session carry, so that no other site can send one. It tells nothing of the token.
func FormToken(token string) string {
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte("forms"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
