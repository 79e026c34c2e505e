// Package azure keeps the storage port in Azure Tables, Queues and Blobs, or in their local
// double Azurite.
//
// The SDK makes the requests: addresses, authorization, retries, API versions. Table bodies are
// written and read here, because the SDK passes them through untyped maps, in which 3.0 becomes
// an int32, and because its batches neither escape quotes in keys nor return revisions. See
// [call] for how.
//
// A retry makes an answer ambiguous: an insert whose answer was lost looks like one of
// another client. So every row carries a token of the write that made it (storage.TokenProperty, hidden
// from readers), and after a retry a refusal is believed only when the row bears another token.
package azure

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue"

	"github.com/tidemark/tidemark/pkg/storage"
)

var _ storage.Store = (*store)(nil)

// callTimeout bounds a call whose context has no deadline, retries included. Azure gives up on
// its own side after 30 s.
const callTimeout = 30 * time.Second

// Options tune a store. The zero value is right for production.
type Options struct {
	// Policies see every call once, retries not counted, with the body that is sent: counting,
	// fault injection.
	Policies []policy.Policy
	// Transport replaces the shared HTTP client.
	Transport policy.Transporter
	// Retry is how the SDK retries: by default 3 times, from 0.8 s on, or from 20 ms on when the
	// services are on this machine. TryTimeout bounds the time until an answer begins: by default 8 s,
	// and more for a large body.
	Retry policy.RetryOptions
	// Credential replaces the one that identity settings ask for.
	Credential azcore.TokenCredential
	// RawQueues sends and reads message texts as they are, as with the host setting
	// "messageEncoding": "none". Bodies must then be text without control characters.
	RawQueues bool
	// MaxBlobBytes bounds blobs both ways; storage.MaxBlobBytes when zero.
	MaxBlobBytes int64
}

type store struct {
	tables    *aztables.ServiceClient
	queues    *azqueue.ServiceClient
	blobs     *service.Client
	transport *http.Client // to be closed here, or nil
	raw       bool
	maxBlob   int64
}

// Open returns the account that the settings name. get reads one setting, "" for none:
//
//   - AzureWebJobsStorage: a connection string, or UseDevelopmentStorage=true for an Azurite on
//     the ports from AZURITE_PORT_BASE on (10000);
//   - or AzureWebJobsStorage__accountName, or __blobServiceUri, __queueServiceUri and
//     __tableServiceUri, for an identity: the managed one with __credential=managedidentity
//     (__clientId chooses a user-assigned one), else whatever DefaultAzureCredential finds.
//
// Settings that cannot work are Invalid with their name; their values are never in an error.
// Nothing is sent before the first call.
func Open(get func(string) string, o Options) (storage.Store, error) {
	a, err := readAccount(get)
	if err != nil {
		return nil, err
	}
	if o.Credential != nil {
		a.credential = o.Credential
	}
	if o.MaxBlobBytes == 0 {
		o.MaxBlobBytes = storage.MaxBlobBytes
	}
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

// connect makes the three clients.
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
	o.Retry.TryTimeout = 0 // not the SDK's
	return policy.ClientOptions{
		Transport: o.Transport,
		Retry:     o.Retry,
		// This policy comes first, so that the others see the request as it is sent and the answer as it arrived.
		PerCallPolicies:  append([]policy.Policy{callPolicy{}}, o.Policies...),
		PerRetryPolicies: []policy.Policy{attempt},
		Telemetry:        policy.TelemetryOptions{ApplicationID: "tidemark"},
	}
}

// newClient is one HTTP client for all three services. Connections are kept for as many workers
// as run, but not as long as the server keeps them (Azurite by pkg/local/azurite 300 s, Azure some
// minutes), and bodies are never unpacked: their bytes are hashed.
func newClient() *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           dialer.DialContext,
		ForceAttemptHTTP2:     false, // the services speak HTTP/1.1
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

// Ping asks each service for one name, which every role that can use it may do.
func (s *store) Ping(ctx context.Context) error {
	one := int32(1)
	err := send(ctx, Table, func(ctx context.Context) error {
		_, err := s.tables.NewListTablesPager(&aztables.ListTablesOptions{Top: &one}).NextPage(ctx)
		return err
	})
	if err != nil {
		return failure("table service", err)
	}
	err = send(ctx, Queue, func(ctx context.Context) error {
		_, err := s.queues.NewListQueuesPager(&azqueue.ListQueuesOptions{MaxResults: &one}).NextPage(ctx)
		return err
	})
	if err != nil {
		return failure("queue service", err)
	}
	err = send(ctx, Blob, func(ctx context.Context) error {
		_, err := s.blobs.NewListContainersPager(&service.ListContainersOptions{MaxResults: &one}).NextPage(ctx)
		return err
	})
	if err != nil {
		return failure("blob service", err)
	}
	return nil
}

// Close lets go of idle connections.
func (s *store) Close() error {
	if s.transport != nil {
		s.transport.CloseIdleConnections()
	}
	return nil
}
