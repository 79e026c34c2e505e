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
	"github.com/tidemark/tidemark/pkg/fetch"
)

// Defaults and limits.
const (
	defaultMaxBytes = 20 << 20
	defaultTimeout  = 30 * time.Second

	// MaxHashed is the length, in bytes, of the longest file that is hashed. For a longer file, only the properties
	// are known.
	MaxHashed = 16 << 30

	maxMaxBytes = 1 << 30
	// tries limits the number of reads of a file that changes during each read. After that, the error is returned.
	tries = 3
)

// Config configures a [Client]. Setting and Transport are required.
type Config struct {
	// Root is the absolute path of the folder with the files of this machine. If Root is empty, files of this machine
	// are Blocked.
	Root string
	// RootName is the name of the setting that supplies Root, for error messages. Empty means FILE_ROOT.
	RootName string
	// Setting returns the value of a setting, or "" if it is not set. It is called whenever a credential is needed.
	Setting func(name string) string
	// Transport sends the requests to storage services, for example the one of fetch.Client.Transport. Because users
	// choose the services, Transport must check addresses and must not follow redirects.
	Transport http.RoundTripper
	// Identity returns the identity with a client id, or the app's own for "". It is called once for each id. If
	// Identity is nil, the managed identity with the client id is used, and for "" the result of
	// azidentity.DefaultAzureCredential.
	Identity func(clientID string) (azcore.TokenCredential, error)
	// MaxBytes bounds the size of a body, up to 1 GiB. Zero means DefaultMaxBytes.
	MaxBytes int64
	// Timeout limits the time of a Get, and of each page of a List. Zero means defaultTimeout.
	Timeout time.Duration
	// Retry defines how requests to storage services are retried. Zero means the SDK's default.
	Retry policy.RetryOptions
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// Client reads files. It is safe for concurrent use and has nothing to close.
type Client struct {
	cfg  Config
	root root
	page int32 // number of blobs that a listing requests per page

	mu         sync.Mutex
	identities map[string]azcore.TokenCredential // identities by client id; kept because they cache their tokens
}

// New checks the configuration and returns a client. Errors: Invalid, with the name of the field. New opens nothing:
// if the root is missing, Get returns an error.
func New(cfg Config) (*Client, error) {
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, defaultMaxBytes)
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
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

// Info is the properties of a file, as its store reports them.
type Info struct {
	// ETag has no quotes. Files of this machine have none.
	ETag string
	// LastModified is in UTC. If Recent is set, a file of this machine was written so recently that another write might
	// leave the time unchanged. An equal time then proves nothing.
	LastModified time.Time
	Recent       bool
	Length       int64  // length in bytes; -1 if the store does not report it
	ContentType  string // the declared type; empty for files of this machine
}

// Same reports whether the file still has the content that it had when it had the known properties. It compares the
// ETags or, if there is no ETag, time and length (A9).
func (i Info) Same(known Info) bool {
	if i.ETag != "" || known.ETag != "" {
		return i.ETag == known.ETag
	}
	proves := !i.Recent && !known.Recent && !i.LastModified.IsZero()
	return proves && i.LastModified.Equal(known.LastModified) && i.Length == known.Length
}

// Request describes a Get.
type Request struct {
	Location Location
	// Credential is the name of a credential, or empty for public files. Files of this machine use none.
	Credential string
	// Folder is the folder of this machine whose listing has named the file (see [Client.Walk]); zero if none has. The
	// file is then read only as long as it is a regular file in that folder.
	Folder Location
	// Known is the properties that the last Get returned. If the file still has them, no bytes are read. If Known is
	// zero, the file is always read.
	Known Info
}

// Response is the result of a Get.
type Response struct {
	Info
	Unchanged bool   // the file still has the Known properties, so there is no body and no hash
	Body      []byte // the content, without its coding (see [fetch.Unpack]); nil if Unchanged or TooLarge is set
	// TooLarge means that the file is longer than MaxBytes, or is so without its coding. In that case only its hash was
	// computed, within MaxHashed and the timeout.
	TooLarge bool
	// WireBytes is the length of the body as it was read, with its coding. It is set also when the coding cannot be
	// removed. It is 0 if the bytes were only hashed.
	WireBytes int64
	RawHash   string // hash of all bytes: "sha256:" and 64 hex digits, or ""
	Encoding  string // the Content-Encoding of Body, if it could not be decoded
}

// errChanged means that the file changed while it was read, so that its bytes do not belong to its properties.
var errChanged = errors.New("the file keeps changing while it is read")

// Get reads a file unless it is unchanged. See the package comment for errors.
func (c *Client) Get(ctx context.Context, r Request) (resp Response, err error) {
	defer fault.Wrap(&err, "read %s", r.Location)
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	for range tries {
		if resp, err = c.once(ctx, r); !errors.Is(err, errChanged) {
			return resp, err
		}
	}
	return Response{}, fault.New(fault.Conflict, "%w", errChanged)
}

// Admit returns the errors of [Client.Get] and [Client.List] that depend only on the settings: for a path outside
// FILE_ROOT, or for a credential that is not set or does not cover the location. It sends no request to the location.
// The error is Invalid, with the field "path" or "credential".
func (c *Client) Admit(p Location, name string) error {
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

// once reads a file once. It returns errChanged when the file changed during the read.
func (c *Client) once(ctx context.Context, r Request) (Response, error) {
	s, err := c.open(ctx, r)
	if err != nil {
		return Response{}, err
	}
	if s.body == nil {
		return Response{Info: s.Info, Unchanged: true}, nil
	}
	defer s.body.Close()
	resp, err := s.read(ctx, c.cfg.MaxBytes)
	if err != nil || resp.Body == nil {
		return resp, err
	}
	resp.WireBytes = int64(len(resp.Body))
	resp.Body, resp.Encoding, err = fetch.Unpack(resp.Body, resp.Encoding, r.Location.typeOf(resp.Info), c.cfg.MaxBytes)
	if fault.Is(err, fault.TooLarge) {
		resp.Body, resp.TooLarge, err = nil, true, nil
	}
	return resp, err
}

// open requests the properties, and the bytes unless the file is unchanged.
func (c *Client) open(ctx context.Context, r Request) (stream, error) {
	switch {
	case r.Location.kind == Local && r.Credential != "":
		return stream{}, errNoCredential()
	case r.Location.kind == Local:
		return c.openLocal(r)
	case r.Location.Whole():
		return stream{}, invalid("the address names a container, not a blob in it")
	case r.Location.kind == Blob:
		return c.openBlob(ctx, r)
	case r.Location.kind == Share:
		return c.openShare(ctx, r)
	}
	return stream{}, invalid("no place is named")
}

// Entry is one blob of a listing, or one file of a walk.
type Entry struct {
	Location Location
	Info
	// Refused is the reason why [Parse] refuses the blob's name, or why a walk passes over a name. If it is not nil,
	// Location and Info are zero.
	Refused error
	// Name is the path of a file below the walked folder. Folder says that a folder was passed over.
	Name   string
	Folder bool
}

// List yields the blobs of a container, or of a folder in it, in the order of their names. The argument folder is the
// location of the container or folder. Each entry has the properties that [Client.Get] would return. By comparing
// these with the known properties, callers find new, changed and deleted blobs with one request per 1,000 blobs. List
// stops at the first error; the blobs after it are then unknown. It skips folders. Blobs that are written during the
// listing may be missing from it.
func (c *Client) List(ctx context.Context, folder Location, credential string) iter.Seq2[Entry, error] {
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
