package azure

import (
	"cmp"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azqueue"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// setting is the name of the connection setting, which the Functions host uses as well.
const setting = "AzureWebJobsStorage"

// account holds the addresses of the three services and the credential: a key, an identity, or a shared access
// signature, which is part of the addresses.
type account struct {
	blob, queue, table string
	name, key          string
	sas                string
	credential         azcore.TokenCredential
	identity           bool
	local              bool // the services run on this machine
}

func readAccount(get func(string) string) (account, error) {
	connection := strings.TrimSpace(get(setting))
	if strings.EqualFold(strings.TrimRight(connection, "; "), "UseDevelopmentStorage=true") {
		return developmentAccount(get("AZURITE_PORT_BASE"))
	}
	if connection != "" {
		return parseConnection(connection)
	}
	return identityAccount(get)
}

// developmentKey is the same in every emulator and is no secret.
const developmentKey = "AccountName=devstoreaccount1;" +
	"AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;"

// developmentAccount expands UseDevelopmentStorage=true, which the SDK does not support.
func developmentAccount(portBase string) (account, error) {
	base := 10000
	if portBase != "" {
		n, err := strconv.Atoi(portBase)
		if err != nil || n < 1 || n > 65533 {
			return account{}, fault.Field("AZURITE_PORT_BASE", "setting AZURITE_PORT_BASE is not a port of 1 to 65533")
		}
		base = n
	}
	at := func(service string, offset int) string {
		return service + "Endpoint=http://127.0.0.1:" + strconv.Itoa(base+offset) + "/devstoreaccount1;"
	}
	return parseConnection(developmentKey + at("Blob", 0) + at("Queue", 1) + at("Table", 2))
}

// parseConnection parses "Name=value;…". The SDK's parsers are not used, because those of the three services treat
// endpoints and signatures differently.
func parseConnection(connection string) (account, error) {
	parts := map[string]string{}
	for part := range strings.SplitSeq(connection, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return account{}, invalid("is not a connection string of Name=value; parts")
		}
		parts[strings.ToLower(name)] = value
	}
	a := account{name: parts["accountname"], key: parts["accountkey"],
		sas: strings.TrimPrefix(parts["sharedaccesssignature"], "?")}
	if (a.name == "" || a.key == "") && a.sas == "" {
		return account{}, invalid("has neither AccountName and AccountKey nor SharedAccessSignature")
	}
	scheme, suffix := parts["defaultendpointsprotocol"], parts["endpointsuffix"]
	scheme = cmp.Or(scheme, "https")
	suffix = cmp.Or(suffix, "core.windows.net")
	for service, endpoint := range map[string]*string{"blob": &a.blob, "queue": &a.queue, "table": &a.table} {
		*endpoint = parts[service+"endpoint"]
		if *endpoint == "" {
			if a.name == "" {
				return account{}, invalid("has neither AccountName nor %sEndpoint", service)
			}
			*endpoint = scheme + "://" + a.name + "." + service + "." + suffix
		}
	}
	return a, a.clean()
}

func invalid(format string, args ...any) error {
	return fault.Field(setting, "setting "+setting+" "+format, args...)
}

// clean checks the addresses and determines whether the services run on this machine.
func (a *account) clean() error {
	for _, endpoint := range []*string{&a.blob, &a.queue, &a.table} {
		u, err := url.Parse(strings.TrimSpace(*endpoint))
		// The parser's error is not returned, because it would contain the address.
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" ||
			u.Fragment != "" {
			return invalid("has an endpoint that is not the plain URL of a service")
		}
		*endpoint = strings.TrimRight(u.String(), "/")
		ip := net.ParseIP(u.Hostname())
		a.local = a.local || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	}
	return nil
}

func identityAccount(get func(string) string) (account, error) {
	a := account{identity: true}
	name := get(setting + "__accountName")
	for service, endpoint := range map[string]*string{"blob": &a.blob, "queue": &a.queue, "table": &a.table} {
		*endpoint = get(setting + "__" + service + "ServiceUri")
		if *endpoint == "" {
			if name == "" {
				return account{}, invalid("is empty, and there is neither %[1]s__accountName nor %[1]s__%[2]sServiceUri; locally "+
					"use UseDevelopmentStorage=true", setting, service)
			}
			*endpoint = "https://" + name + "." + service + ".core.windows.net"
		}
	}
	if err := a.clean(); err != nil {
		return account{}, err
	}
	var err error
	a.credential, err = credential(get(setting+"__credential"), get(setting+"__clientId"))
	return a, err
}

func credential(kind, clientID string) (azcore.TokenCredential, error) {
	var c azcore.TokenCredential
	var err error
	switch {
	case strings.EqualFold(kind, "managedidentity"):
		o := azidentity.ManagedIdentityCredentialOptions{}
		if clientID != "" {
			o.ID = azidentity.ClientID(clientID)
		}
		c, err = azidentity.NewManagedIdentityCredential(&o)
	case kind == "":
		c, err = azidentity.NewDefaultAzureCredential(nil)
	default:
		return nil, fault.Field(setting+"__credential",
			"setting %s__credential is neither empty nor managedidentity", setting)
	}
	if err != nil {
		return nil, invalid("cannot use an identity: %w", err)
	}
	return c, nil
}

// signed returns an address together with the shared access signature, if the account uses one.
func (a account) signed(endpoint string) string {
	if a.sas == "" {
		return endpoint
	}
	return endpoint + "/?" + a.sas
}

// errKey gives no details, because they could reveal the key.
var errKey = invalid("has an AccountKey that is not base64")

func (a account) tableClient(o *aztables.ClientOptions) (*aztables.ServiceClient, error) {
	return connect(a, a.table, o, aztables.NewServiceClient, aztables.NewSharedKeyCredential,
		aztables.NewServiceClientWithSharedKey, aztables.NewServiceClientWithNoCredential)
}

func (a account) queueClient(o *azqueue.ClientOptions) (*azqueue.ServiceClient, error) {
	return connect(a, a.queue, o, azqueue.NewServiceClient, azqueue.NewSharedKeyCredential,
		azqueue.NewServiceClientWithSharedKeyCredential, azqueue.NewServiceClientWithNoCredential)
}

func (a account) blobClient(o *service.ClientOptions) (*service.Client, error) {
	return connect(a, a.blob, o, service.NewClient, service.NewSharedKeyCredential,
		service.NewClientWithSharedKeyCredential, service.NewClientWithNoCredential)
}

// connect makes the client of a service at an address, by one of three functions of the SDK: for an identity, for a
// key, or for an address that needs neither.
func connect[O, K, C any](a account, address string, o O, byIdentity func(string, azcore.TokenCredential, O) (C, error),
	keyOf func(name, key string) (K, error), byKey func(string, K, O) (C, error),
	plain func(string, O) (C, error)) (client C, err error) {
	switch {
	case a.identity:
		client, err = byIdentity(address, a.credential, o)
	case a.key != "" && a.name != "":
		key, failed := keyOf(a.name, a.key)
		if failed != nil {
			return client, errKey
		}
		client, err = byKey(address, key, o)
	default:
		client, err = plain(a.signed(address), o)
	}
	if err != nil { // the SDK's error may contain an address with its signature
		err = invalid("is refused by the SDK")
	}
	return client, err
}
