package file

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
)

// maxAnswer bounds the bytes that the SDK reads into memory: errors, and pages of a listing. A page of 1,000 blobs
// with names of 1,024 characters takes 4 MB.
const maxAnswer = 8 << 20

// clientOptions returns the options for all clients of the SDK.
func (c *Client) clientOptions() policy.ClientOptions {
	return policy.ClientOptions{
		Transport: sender{c.cfg.Transport},
		Retry:     c.cfg.Retry,
		Telemetry: policy.TelemetryOptions{ApplicationID: "tidemark"},
	}
}

// sender is a transport in the form that the SDK requires.
type sender struct{ way http.RoundTripper }

// Do sends a request. If the guard refuses it, the error is final, and the SDK does not retry. Do also bounds the
// answers that the SDK reads as a whole.
func (s sender) Do(r *http.Request) (*http.Response, error) {
	resp, err := s.way.RoundTrip(r)
	if err != nil {
		if fault.Is(err, fault.Blocked) || fault.Is(err, fault.Invalid) {
			err = final{err}
		}
		return nil, err
	}
	if resp.StatusCode/100 != 2 || r.URL.Query().Get("comp") == "list" {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, nil
}

// final is an error that the SDK must not retry.
type final struct{ error }

// NonRetriable tells the SDK not to retry.
func (final) NonRetriable() {}

// Unwrap returns the cause.
func (f final) Unwrap() error { return f.error }

// door is the access to a location: the address, which may be signed, and a key or an identity if one is needed.
type door struct {
	address  string
	account  string
	key      string
	identity azcore.TokenCredential
}

// door returns the access to a location with the credential of the given name. If the name is empty, there is no
// credential.
func (c *Client) door(p Location, name string) (door, error) {
	d := door{address: p.String(), account: p.account}
	if name == "" {
		return d, nil
	}
	cred, err := c.credential(p, name)
	if err != nil {
		return door{}, err
	}
	switch cred.Kind() {
	case credential.SAS:
		d.address += "?" + cred.Reveal()
	case credential.Key:
		d.key = cred.Reveal()
	case credential.Identity:
		d.identity, err = c.identity(cred.Reveal())
	}
	return d, err
}

// credential returns the credential with the given name, if it may be sent to the location.
func (c *Client) credential(p Location, name string) (credential.Credential, error) {
	cred, err := credential.Find(c.cfg.Setting, name)
	switch {
	case err != nil:
		return credential.Credential{}, err
	case !cred.ForStorage():
		return credential.Credential{}, fault.New(fault.Blocked,
			"credential %s is a %s: want a sas, key, connection or identity for files", name, cred.Kind())
	case !cred.Covers(p.url()):
		return credential.Credential{}, fault.New(fault.Blocked, "credential %s is not for this place, but a %s", name, cred)
	}
	return cred, nil
}

// identity returns the identity for a client id. Identities are reused, because they cache their tokens.
func (c *Client) identity(clientID string) (azcore.TokenCredential, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.identities[clientID]; ok {
		return known, nil
	}
	made, err := c.cfg.Identity(clientID)
	if err != nil {
		return nil, fault.New(fault.Unavailable, "no identity: %w", err)
	}
	c.identities[clientID] = made
	return made, nil
}

func azureIdentity(clientID string) (azcore.TokenCredential, error) {
	if clientID == "" {
		return azidentity.NewDefaultAzureCredential(nil)
	}
	return azidentity.NewManagedIdentityCredential(
		&azidentity.ManagedIdentityCredentialOptions{ID: azidentity.ClientID(clientID)})
}

// connect makes a client of the SDK for a door. Its parameters are the four constructors that every package of the
// SDK has.
func connect[Client, Key, Options any](
	d door, o *Options,
	byIdentity func(string, azcore.TokenCredential, *Options) (*Client, error),
	newKey func(account, key string) (*Key, error),
	byKey func(string, *Key, *Options) (*Client, error),
	byAddress func(string, *Options) (*Client, error),
) (client *Client, err error) {
	switch {
	case d.identity != nil:
		client, err = byIdentity(d.address, d.identity, o)
	case d.key != "":
		var key *Key
		if key, err = newKey(d.account, d.key); err == nil {
			client, err = byKey(d.address, key, o)
		}
	default:
		client, err = byAddress(d.address, o)
	}
	if err != nil {
		return nil, errClient
	}
	return client, nil
}

// errClient replaces the SDK's error, which may contain the address or the key.
var errClient = fault.New(fault.Invalid, "the storage client refuses the address or the credential")

// missing reports whether a code means that a file does not exist. Any other 404 proves nothing: a container that is
// not public answers ResourceNotFound to unauthorized requests, and proxies answer anything.
func missing(p Location, code string) bool {
	switch code {
	case "BlobNotFound", "ContainerNotFound", "ShareNotFound", "ParentNotFound":
		return true
	case "ResourceNotFound":
		return p.kind == Share
	}
	return false
}

// refused replaces an error of the SDK by one with a kind of package fault. It drops the SDK's text, because that
// contains the address, which may be signed.
func refused(p Location, err error) error {
	var answer *azcore.ResponseError
	var guard *fault.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer):
		return answered(p, answer)
	case errors.As(err, &guard):
		return guard // the error of the guard, without the SDK's wrapping
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.Unavailable, "no complete answer in time")
	}
	return fault.New(fault.Unavailable, "the answer cannot be read")
}

// answered returns the error for an answer whose status is not a success.
func answered(p Location, answer *azcore.ResponseError) error {
	status, code := answer.StatusCode, answer.ErrorCode
	what := strconv.Itoa(status) + " " + code
	if !isWord(code) {
		what = strconv.Itoa(status) + " " + http.StatusText(status)
	}
	switch {
	case status == http.StatusPreconditionFailed:
		return errChanged
	case status == http.StatusNotFound && missing(p, code):
		return fault.New(fault.NotFound, "%s", what)
	case status == http.StatusNotFound:
		return fault.New(fault.Blocked, "%s: it is not there, or it is not public and needs a credential", what)
	case status == http.StatusUnauthorized, status == http.StatusForbidden, code == "PublicAccessNotPermitted":
		return fault.New(fault.Blocked, "%s: the service denies access", what)
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return fault.After(retryAfter(answer.RawResponse), "%s", what)
	}
	return fault.New(fault.Unavailable, "%s", what)
}

// isWord reports whether a code has the form of the services' codes. Any other code may be arbitrary text from an
// unknown host.
func isWord(code string) bool {
	return code != "" && len(code) <= 64 &&
		strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") == ""
}

func retryAfter(resp *http.Response) time.Duration {
	if resp != nil {
		if n, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && n > 0 {
			return time.Duration(min(n, 24*3600)) * time.Second
		}
	}
	return 0
}

// maxText bounds the size of each text property, in bytes, because the texts are stored.
const maxText = 256

// text returns the value of a property, or "" if the value is not plausible.
func text[T ~string](value *T) string {
	if value == nil || len(*value) > maxText || !utf8.ValidString(string(*value)) {
		return ""
	}
	return string(*value)
}

// unquoted returns an ETag in the form that listings use, without the quotes of headers.
func unquoted(etag *azcore.ETag) string {
	s := text(etag)
	if len(s) >= 2 && strings.HasPrefix(s, `"`) && strings.HasSuffix(s, `"`) {
		s = s[1 : len(s)-1]
	}
	return s
}

// quoted returns an ETag in the form of headers (RFC 9110 §8.8.3).
func quoted(etag string) *azcore.ETag {
	q := azcore.ETag(`"` + etag + `"`)
	return &q
}

// properties makes an Info from the values that the SDK has read.
func properties(etag *azcore.ETag, modified *time.Time, length *int64, contentType *string) Info {
	info := Info{ETag: unquoted(etag), Length: -1, ContentType: text(contentType)}
	if modified != nil {
		info.LastModified = modified.UTC()
	}
	if length != nil {
		info.Length = max(*length, 0)
	}
	return info
}
