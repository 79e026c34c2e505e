package file

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Defaults and bounds.
const (
	DefaultMaxBytes = 20 << 20
	DefaultTimeout  = 30 * time.Second

	// MaxHashed is the longest file that is read through for its hash. Of longer ones only the
	// properties are known.
	MaxHashed = 16 << 30

	maxMaxBytes = 1 << 30
	// tries is how often a file that changes while it is read is read.
	tries = 3
)

// Config is how a [Client] behaves. Setting and Transport are needed.
type Config struct {
	// Root is the folder that files of this machine lie under, an absolute path. When it is empty,
	// they are Blocked.
	Root string
	// RootName is the setting that Root comes from, for messages; FILE_ROOT when empty.
	RootName string
	// Setting reads one setting, "" for none: credentials are found through it when they are needed.
	Setting func(name string) string
	// Transport is the way to storage services, such as fetch.Client.Transport. Users choose the
	// services, so it has to check addresses, and must not follow redirects.
	Transport http.RoundTripper
	// Identity gives the identity that a credential of that kind asks for: the one with a client id, or
	// with "" the app's own. It is called once for each. Nil is the managed identity, or for "" whatever
	// azidentity.DefaultAzureCredential finds.
	Identity func(clientID string) (azcore.TokenCredential, error)
	// MaxBytes bounds a body, up to 1 GiB. DefaultMaxBytes when zero.
	MaxBytes int64
	// Timeout bounds a Get, and each page of a List. DefaultTimeout when zero.
	Timeout time.Duration
	// Retry is how requests to storage services are repeated; the SDK's way when zero.
	Retry policy.RetryOptions
	// Now reads the clock; nil is time.Now.
	Now func() time.Time
}

// Client reads files. It is safe for concurrent use and has nothing to close.
type Client struct {
	cfg  Config
	root root
	page int32 // blobs of a listing that are asked for at once

	mu         sync.Mutex
	identities map[string]azcore.TokenCredential // by client id; they keep their tokens
}

// New checks the configuration and makes a client. Errors are Invalid and name the field. Nothing is
// opened: a root that is missing is an error of Get.
func New(cfg Config) (*Client, error) {
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, DefaultMaxBytes)
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	defaults.Clock(&cfg.Now)
	if cfg.Identity == nil {
		cfg.Identity = azureIdentity
	}
	r, err := newRoot(cmp.Or(cfg.RootName, "FILE_ROOT"), cfg.Root)
	switch {
	case err != nil:
		return nil, err
	case cfg.Setting == nil || cfg.Transport == nil:
		return nil, fault.Field("Transport", "want a reader of settings and a transport")
	case cfg.MaxBytes < 0 || cfg.MaxBytes > maxMaxBytes:
		return nil, fault.Field("MaxBytes", "%d: want 1 to %d", cfg.MaxBytes, maxMaxBytes)
	case cfg.Timeout < 0:
		return nil, fault.Field("Timeout", "%v: want more than nothing", cfg.Timeout)
	}
	return &Client{cfg: cfg, root: r, page: 1000, identities: map[string]azcore.TokenCredential{}}, nil
}

// Info is what a store says about a file.
type Info struct {
	// ETag is without quotes. Files of this machine have none.
	ETag string
	// LastModified is in UTC. It is zero when it proves nothing, because a file of this machine was
	// written so recently that it may be written again without it changing.
	LastModified time.Time
	Length       int64  // bytes; -1 when the store does not say
	ContentType  string // as declared; empty for files of this machine
}

// Same reports whether a file with these properties is the one that had the known ones: by the ETag,
// or by time and length where there is none (A9).
func (i Info) Same(known Info) bool {
	if i.ETag != "" || known.ETag != "" {
		return i.ETag == known.ETag
	}
	return !i.LastModified.IsZero() && i.LastModified.Equal(known.LastModified) && i.Length == known.Length
}

// Request is what to get.
type Request struct {
	Place Place
	// Credential is the name of one, or empty for what is public. Files of this machine take none.
	Credential string
	// Known are the properties that the last Get gave. While they hold, nothing is read. The zero
	// Info reads in any case.
	Known Info
}

// Response is what was found.
type Response struct {
	Info
	Unchanged bool   // Known still holds; there is no body and no hash
	Body      []byte // nil when Unchanged or TooLarge
	// TooLarge is a file longer than MaxBytes: only its hash was taken, if MaxHashed and the time allowed.
	TooLarge bool
	RawHash  string // "sha256:" and 64 hex digits of all bytes, or ""
	Encoding string // the Content-Encoding that Body is still in
}

// errChanged tells that the bytes do not belong to the properties.
var errChanged = errors.New("the file keeps changing while it is read")

// Get reads a file unless it is known. See the package comment for errors.
func (c *Client) Get(ctx context.Context, r Request) (resp Response, err error) {
	defer fault.Wrap(&err, "read %s", r.Place)
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	for range tries {
		if resp, err = c.once(ctx, r); !errors.Is(err, errChanged) {
			return resp, err
		}
	}
	return Response{}, fault.New(fault.Conflict, "%w", errChanged)
}

// Admit tells, without asking the place, what [Client.Get] and [Client.List] would refuse by the settings
// alone: a path that FILE_ROOT does not open, or a credential that is not set or not for the place. The
// error is Invalid and blames the field "path" or "credential".
func (c *Client) Admit(p Place, name string) error {
	if p.kind == Local {
		if name != "" {
			return errNoCredential()
		}
		if _, err := c.root.relative(p); err != nil {
			return invalid("%w", err)
		}
		return nil
	}
	if name == "" {
		return nil
	}
	if _, err := c.credential(p, name); err != nil {
		return fault.Field("credential", "%w", err)
	}
	return nil
}

func errNoCredential() error {
	return fault.Field("credential", "a file of this machine takes no credential")
}

// once reads a file, or fails with errChanged.
func (c *Client) once(ctx context.Context, r Request) (Response, error) {
	s, err := c.open(ctx, r)
	if err != nil {
		return Response{}, err
	}
	if s.body == nil {
		return Response{Info: s.Info, Unchanged: true}, nil
	}
	defer s.body.Close()
	return s.read(ctx, c.cfg.MaxBytes)
}

// open asks for the properties, and for the bytes unless the file is known.
func (c *Client) open(ctx context.Context, r Request) (stream, error) {
	switch {
	case r.Place.kind == Local && r.Credential != "":
		return stream{}, errNoCredential()
	case r.Place.kind == Local:
		return c.openLocal(r)
	case r.Place.Whole():
		return stream{}, invalid("the address names a container, not a blob in it")
	case r.Place.kind == Blob:
		return c.openBlob(ctx, r)
	case r.Place.kind == Share:
		return c.openShare(ctx, r)
	}
	return stream{}, invalid("no place is named")
}

// Entry is one blob of a listing.
type Entry struct {
	Place Place
	Info
	// Refused is why [Parse] refuses the blob's name, of which nothing else is told then.
	Refused error
}

// List yields the blobs of a container, or those of the folder in it that folder names, in the order of
// their names and with the properties that [Client.Get] would give: who compares them with what is known
// learns of new, changed and deleted blobs at one request for each 1,000. It stops at the first error; a
// listing that stopped says nothing about blobs it did not come to. Folders are
// passed over. Blobs that are written meanwhile may or may not be seen.
func (c *Client) List(ctx context.Context, folder Place, credential string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if folder.kind != Blob {
			yield(Entry{}, invalid("want the address of a blob container"))
			return
		}
		err := c.list(ctx, folder, credential, func(e Entry) bool { return yield(e, nil) })
		if err != nil {
			fault.Wrap(&err, "list %s", folder)
			yield(Entry{}, err)
		}
	}
}
