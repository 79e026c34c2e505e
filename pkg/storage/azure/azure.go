// Package azure implements the storage port with Azure Tables, Queues and Blobs, or with their local emulator
// Azurite.
//
// The SDK handles addresses, authorization, retries and API versions. The bodies of table requests are encoded and
// decoded by this package. The SDK passes them through untyped maps, in which 3.0 becomes an int32. The SDK's batches
// neither escape quotes in keys nor return revisions. [call] describes how the bodies bypass the SDK.
//
// A retry makes an answer ambiguous: when the answer to an insert is lost, the retry finds the row and cannot know
// who wrote it. So every row carries a token of the write that made it (storage.TokenProperty, hidden from readers).
// A refusal after a retry is real only if the row has another token.
package azure

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue"

	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Store = (*store)(nil)

// callTimeout limits the time of a call, including retries, if its context has no deadline. Azure itself gives up
// after 30 s.
const callTimeout = 30 * time.Second

// Options configure a store. The zero value is right for production.
type Options struct {
	// Policies see each call once, without its retries, and with the body that is sent. They are for counting calls
	// and for injecting faults.
	Policies []policy.Policy
	// Transport replaces the shared HTTP client.
	Transport policy.Transporter
	// Retry configures the SDK's retries. The default is 3 retries, the first after 0.8 s, or after 20 ms when the
	// services run on this machine. TryTimeout limits the time until an answer begins. Its default is 8 s, and longer
	// for a large body.
	Retry policy.RetryOptions
	// Credential replaces the credential from the identity settings.
	Credential azcore.TokenCredential
	// RawQueues makes the store send and read message texts unchanged, as with the host setting "messageEncoding":
	// "none". Bodies must then be text without control characters.
	RawQueues bool
	// MaxBlobBytes limits the size of blobs that are written or read. Zero means storage.MaxBlobBytes.
	MaxBlobBytes int64
}

type store struct {
	tables    *aztables.ServiceClient
	queues    *azqueue.ServiceClient
	blobs     *service.Client
	transport *http.Client // closed by Close, or nil
	raw       bool
	maxBlob   int64
}

// Open returns a store for the account in the settings. The function get returns the value of a setting, or "" if the
// setting is missing. The settings are
//
//   - AzureWebJobsStorage: a connection string, or UseDevelopmentStorage=true for an Azurite with
//     ports starting at AZURITE_PORT_BASE (10000);
//   - or, for an identity, AzureWebJobsStorage__accountName, or __blobServiceUri, __queueServiceUri
//     and __tableServiceUri. The identity is the managed one with __credential=managedidentity
//     (__clientId selects a user-assigned one), otherwise the one that DefaultAzureCredential finds.
//
// Errors: Invalid, with the name of a setting that cannot work. Errors never contain values of settings. Open sends
// no request.
func Open(get func(string) string, o Options) (storage.Store, error) {
	a, err := readAccount(get)
	if err != nil {
		return nil, err
	}
	if o.Credential != nil {
		a.credential = o.Credential
	}
	o.MaxBlobBytes = cmp.Or(o.MaxBlobBytes, storage.MaxBlobBytes)
	s := &store{raw: o.RawQueues, maxBlob: o.MaxBlobBytes}
	if o.Transport == nil {
		s.transport = newClient()
		o.Transport = s.transport
	}
	if err := s.connect(a, clientOptions(a, o)); err != nil {
		return nil, err
	}
	return s, nil
}

// connect creates the three clients.
func (s *store) connect(a account, o policy.ClientOptions) (err error) {
	if s.tables, err = a.tableClient(&aztables.ClientOptions{ClientOptions: o}); err != nil {
		return err
	}
	if s.queues, err = a.queueClient(&azqueue.ClientOptions{ClientOptions: o}); err != nil {
		return err
	}
	s.blobs, err = a.blobClient(&service.ClientOptions{ClientOptions: o})
	return err
}

func clientOptions(a account, o Options) policy.ClientOptions {
	if a.local && o.Retry.RetryDelay == 0 {
		o.Retry.RetryDelay, o.Retry.MaxRetryDelay = 20*time.Millisecond, time.Second
	}
	attempt := attemptPolicy{cmp.Or(o.Retry.TryTimeout, tryTimeout)}
	o.Retry.TryTimeout = 0 // a policy of this package limits the tries instead
	return policy.ClientOptions{
		Transport: o.Transport,
		Retry:     o.Retry,
		// callPolicy comes first, so that the other policies see the request that is sent and the answer that is
		// received.
		PerCallPolicies:  append([]policy.Policy{callPolicy{}}, o.Policies...),
		PerRetryPolicies: []policy.Policy{attempt},
		Telemetry:        policy.TelemetryOptions{ApplicationID: "tidemark"},
	}
}

// newClient returns one HTTP client for all three services. The client keeps as many idle connections as there are
// workers. It closes them before the server does (Azurite in pkg/local/azurite after 300 s, Azure after some
// minutes). It never decompresses bodies, because hashes are computed from the stored bytes.
func newClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     false, // the services use HTTP/1.1
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   64,
		IdleConnTimeout:       60 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true,
	}}
}

// Table opens a table.
func (s *store) Table(name string) storage.Table {
	return &table{name: name, bad: storage.CheckTableName(name), client: s.tables.NewClient(name)}
}

// Queue opens a queue.
func (s *store) Queue(name string) storage.Queue {
	return &queue{name: name, bad: storage.CheckQueueName(name), client: s.queues.NewQueueClient(name), raw: s.raw}
}

// Container opens a container.
func (s *store) Container(name string) storage.Container {
	return &blobs{name: name, bad: storage.CheckContainerName(name), client: s.blobs.NewContainerClient(name),
		maxBlob: s.maxBlob}
}

// Flush does nothing, because the services know no deferred writes.
func (s *store) Flush(context.Context) error { return nil }

// Ping requests one name from each service. Every role with access to a service is allowed to do so.
func (s *store) Ping(ctx context.Context) error {
	one := int32(1)
	if err := first(ctx, Table, s.tables.NewListTablesPager(&aztables.ListTablesOptions{Top: &one})); err != nil {
		return failure("table service", err)
	}
	err := first(ctx, Queue, s.queues.NewListQueuesPager(&azqueue.ListQueuesOptions{MaxResults: &one}))
	if err != nil {
		return failure("queue service", err)
	}
	err = first(ctx, Blob, s.blobs.NewListContainersPager(&service.ListContainersOptions{MaxResults: &one}))
	return failure("blob service", err)
}

// first requests the first page of a list.
func first[T any](ctx context.Context, of Service, list *runtime.Pager[T]) error {
	return send(ctx, of, func(ctx context.Context) error {
		_, err := list.NextPage(ctx)
		return err
	})
}

// Close closes idle connections.
func (s *store) Close() error {
	if s.transport != nil {
		s.transport.CloseIdleConnections()
	}
	return nil
}
