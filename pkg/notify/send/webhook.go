package send

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// keyPrefix is the beginning of a secret in the form of Standard Webhooks (https://www.standardwebhooks.com).
const keyPrefix = "whsec_"

// NewSecret makes a secret for signing webhooks.
func NewSecret() string {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return keyPrefix + base64.StdEncoding.EncodeToString(key)
}

// Key decodes a secret and returns the signing key. The error does not repeat the secret.
func Key(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, keyPrefix))
	if err != nil || len(key) < 24 || len(key) > 64 {
		return nil, fault.New(fault.Invalid, "want %s and 24 to 64 bytes in base64", keyPrefix)
	}
	return key, nil
}

// sign returns the signature of a message with the given id and body, for the given time of sending.
func sign(key []byte, id string, at time.Time, body []byte) string {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.", id, at.Unix())
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func (s *Sender) webhook(ctx context.Context, to Target, m Message) Result {
	now := s.now()
	return s.post(ctx, request{url: to.Webhook, body: m.Body, header: http.Header{
		"Content-Type":      {"application/cloudevents+json; charset=utf-8"},
		"Webhook-Id":        {m.ID},
		"Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {sign(to.Key, m.ID, now, m.Body)},
	}}, nil)
}
