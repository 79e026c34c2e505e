package sitepoll

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/crawl/politeness"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/storage/row"
)

const (
	// keyTime is how long a verified key is accepted before it is verified again.
	keyTime = 24 * time.Hour
	// maxKeys limits the number of verified keys of a site that are remembered.
	maxKeys = 8
	// maxKeyFile bounds the file that proves a key, in bytes.
	maxKeyFile = 8 << 10
)

// keyForm is the form that the protocol allows for a key.
var keyForm = regexp.MustCompile(`^[A-Za-z0-9-]{8,128}$`)

// keyLocation checks the key and the keyLocation of a push. It returns the address at which the site publishes the
// key.
func keyLocation(p api.IndexNowRequest, found *site.Site) (keyFile, error) {
	if !keyForm.MatchString(p.Key) {
		return keyFile{}, &MismatchError{fault.Field("key", "a key is 8 to 128 letters, digits and hyphens")}
	}
	if p.KeyLocation == "" {
		base := found.Root()
		return keyFile{base + p.Key + ".txt", base}, nil
	}
	form, err := source.FetchForm(p.KeyLocation)
	if err != nil {
		return keyFile{}, &MismatchError{fault.Field("keyLocation", "%.200q is no address: %w", p.KeyLocation, err)}
	}
	path, _, _ := strings.Cut(form, "?")
	at := keyFile{form, path[:strings.LastIndex(path, "/")+1]}
	if !onHost(form, found) {
		return keyFile{}, &MismatchError{fault.Field("keyLocation", "%.200q is not on %s", p.KeyLocation, found.Domain)}
	}
	return at, nil
}

func onHost(address string, found *site.Site) bool {
	src, err := source.Rules{}.ParseURL(address)
	return err == nil && src.Host == found.Domain
}

// pushes is the row of the pushes for a site.
type pushes struct {
	RowVersion int      `col:"rowVersion"`
	State      pushData `col:"state,bytes,must"`
}

// pushData is the part of the row that is stored as JSON.
type pushData struct {
	Keys []verified `json:"keys,omitempty"`
	Day  pushDay    `json:"day"`
}

var pushRow = row.Of[pushes]()

// verified is a key that its site has published.
type verified struct {
	Digest string    `json:"digest"` // digest of the key and its location
	Until  time.Time `json:"until"`
}

// pushDay counts the work of one day for pushes.
type pushDay struct {
	Date      string `json:"date,omitempty"` // the day, in UTC
	Asked     int    `json:"asked"`          // number of requests for keys
	Looked    int    `json:"looked"`         // number of addresses that were processed
	New       int    `json:"new"`
	Forwarded int    `json:"forwarded"`
}

func (d *pushDay) add(n pushDay, sign int) {
	d.Looked += sign * n.Looked
	d.New += sign * n.New
	d.Forwarded += sign * n.Forwarded
}

// verify checks that a site publishes a key.
func (s *Service) verify(ctx context.Context, found *site.Site, key string, at keyFile) error {
	sum := sha256.Sum256([]byte(key + " " + at.url))
	digest := hex.EncodeToString(sum[:])
	known := false
	err := s.changePushes(ctx, found.Slug, func(st *pushData) error {
		known = slices.ContainsFunc(st.Keys, func(k verified) bool {
			return k.Digest == digest &&
				k.Until.After(s.polls.Now())
		})
		switch {
		case known:
			return errUnchanged
		case st.Day.Asked >= MaxVerifications:
			return fault.After(untilTomorrow(s.polls.Now()), "%s was asked for keys as often today as may be", found.Domain)
		}
		st.Day.Asked++
		return nil
	})
	if known || err != nil {
		return err
	}
	if err := s.askForKey(ctx, found, key, at); err != nil {
		return err
	}
	return s.changePushes(ctx, found.Slug, func(st *pushData) error {
		st.Keys = append(slices.DeleteFunc(st.Keys, func(k verified) bool {
			return k.Digest == digest ||
				!k.Until.After(s.polls.Now())
		}),
			verified{digest, s.polls.Now().Add(keyTime)})
		st.Keys = st.Keys[max(0, len(st.Keys)-maxKeys):]
		return nil
	})
}

// askForKey requests the file at the key's location.
func (s *Service) askForKey(ctx context.Context, found *site.Site, key string, at keyFile) error {
	page, err := s.web.FetchResource(ctx, politeness.ResourceRequest{URL: at.url, MaxBytes: maxKeyFile})
	var refused *politeness.SiteError
	switch {
	case errors.As(err, &refused) && fault.Is(err, fault.Unavailable):
		return fault.After(5*time.Minute, "%s cannot be read now: %v", at.url, err)
	case errors.As(err, &refused):
		return fault.New(fault.Blocked, "%s cannot be read: %v", at.url, err)
	case err != nil:
		return err
	case page.Status != http.StatusOK || !onHost(page.FinalURL, found):
		return fault.New(fault.Blocked, "%s does not show the key: HTTP %d from %.200s", at.url, page.Status, page.FinalURL)
	}
	text := strings.TrimPrefix(string(page.Body), "\ufeff")
	if !slices.Contains(strings.Fields(text), key) {
		return fault.New(fault.Blocked, "%s does not hold the key", at.url)
	}
	return nil
}

// errUnchanged ends a change that has nothing to write.
var errUnchanged = errors.New("nothing to write")

// changePushes changes the row of the pushes for a site, and tries again if another process wrote the row first.
func (s *Service) changePushes(ctx context.Context, slug string, change func(st *pushData) error) error {
	for range 20 {
		p, etag, err := pushRow.Load(ctx, s.polls.Table, key(pushRows+slug))
		if err != nil {
			return err
		}
		st := &p.State
		if today := s.polls.Now().Format(time.DateOnly); st.Day.Date != today {
			st.Day = pushDay{Date: today}
		}
		if err := change(st); errors.Is(err, errUnchanged) {
			return nil
		} else if err != nil {
			return err
		}
		p.RowVersion = 1
		if _, err := s.polls.Table.Transact(ctx, pushRow.Put(key(pushRows+slug), etag, &p)); !fault.Is(err, fault.Conflict) {
			return err
		}
	}
	return fault.After(2*time.Second, "too many pushes to one site at once")
}
