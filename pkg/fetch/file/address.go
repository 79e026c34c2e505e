package file

import (
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/fetch/file/credential"
)

// clouds are the domains of storage services. The last one is for accounts with DNS zone endpoints.
var clouds = []string{"core.windows.net", "core.usgovcloudapi.net", "core.chinacloudapi.cn", "storage.azure.net"}

// serviceOf has the labels of the services in the domain of a cloud.
var serviceOf = map[Kind]string{Blob: "blob", Share: "file"}

// These expressions match the names that the services allow. Such names cannot be mistaken for another part of an
// address.
var (
	accountName   = regexp.MustCompile(`^[a-z0-9]{3,24}(-secondary)?(\.z[0-9]{1,2})?$`)
	containerName = regexp.MustCompile(`^(\$root|\$web|\$logs|[a-z0-9](-?[a-z0-9]){2,62})$`)
)

// The lengths of the longest names, in characters (Naming and Referencing Containers, Blobs, and Metadata; the same
// page for shares).
const (
	maxBlobName  = 1024
	maxSharePath = 2048
	maxContainer = 63
)

// parseAddress reads the address of a blob or of a file in a share. It refuses a query that selects another version
// or operation. It drops any other query, such as a SAS.
func parseAddress(raw string) (Location, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return Location{}, invalid("the address cannot be read") // the parser's own error would repeat the address
	}
	if u.User != nil {
		return Location{}, invalid("the address has userinfo: give the name of a credential instead")
	}
	for name := range u.Query() {
		switch strings.ToLower(name) {
		case "snapshot", "versionid", "sharesnapshot", "comp", "restype":
			return Location{}, invalid("the address has a parameter %q: name the file itself", strings.ToLower(name))
		}
	}
	p, path, err := parseService(u)
	if err != nil {
		return Location{}, err
	}
	return p.within(path)
}

// parseService reads the part before the container and returns the path after it.
func parseService(u *url.URL) (p Location, path string, err error) {
	path = strings.TrimLeft(u.Path, "/")
	for _, cloud := range clouds {
		service, ok := strings.CutSuffix(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), "."+cloud)
		if !ok {
			continue
		}
		return parseCloud(service, cloud, u.Port(), path)
	}
	if !isEmulator(u.Hostname()) {
		return Location{}, "", invalid("want the address of an Azure blob or share; other addresses are pages")
	}
	account, rest, _ := strings.Cut(path, "/")
	if !accountName.MatchString(account) {
		return Location{}, "", invalid("the address lacks an account: want http://host:port/account/container/name")
	}
	service := u.Scheme + "://" + credential.Host(u) + "/" + account
	return Location{kind: Blob, service: service, account: account}, rest, nil
}

// parseCloud reads "acct.blob" or "acct.file" before the domain of a cloud. The result always has the scheme https,
// because the services answer on https.
func parseCloud(service, cloud, port, path string) (Location, string, error) {
	kind := Blob
	account, ok := strings.CutSuffix(service, ".blob")
	if !ok {
		account, ok = strings.CutSuffix(service, ".file")
		kind = Share
	}
	switch {
	case !ok || !accountName.MatchString(account):
		return Location{}, "", invalid("the host is not that of a blob or file service")
	case port != "" && port != "443" && port != "80":
		return Location{}, "", invalid("the service has no port %s", port)
	}
	address := "https://" + service + "." + cloud
	account, _, _ = strings.Cut(account, ".")
	return Location{kind: kind, service: address, account: strings.TrimSuffix(account, "-secondary")}, path, nil
}

// isEmulator reports whether a host is that of an emulator. The host of an emulator does not contain the name of the
// account: it is a literal address, this machine, or a name without dots, such as that of a container.
func isEmulator(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil || host != "" && !strings.Contains(host, ".")
}

// within returns the location with the given decoded path below the account.
func (p Location) within(path string) (Location, error) {
	container, name, _ := strings.Cut(path, "/")
	p.container = container
	if !containerName.MatchString(container) || len(container) > maxContainer {
		return Location{}, invalid("the address lacks a container or share: 3 to 63 of a-z, 0-9 and single hyphens")
	}
	return p.named(strings.TrimRight(name, "/"))
}

// named returns the location of another name in the same container. For blobs, repeated slashes in the name are kept,
// because they may distinguish two blobs. For files in a share they are not kept.
func (p Location) named(name string) (Location, error) {
	// Some servers read an address as browsers do and treat a backslash as a slash.
	_, err := segments(strings.ReplaceAll(name, `\`, "/"))
	parts, _ := segments(name)
	if p.kind == Share {
		name = strings.Join(parts, "/")
	}
	p.name = name
	length := utf8.RuneCountInString(name)
	switch {
	case err != nil:
		return Location{}, err
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return Location{}, invalid("the name is not UTF-8, or holds control characters")
	case p.kind == Share && name == "":
		return Location{}, invalid("the address names a share, not a file in it")
	case p.kind == Blob && length > maxBlobName, length > maxSharePath:
		return Location{}, invalid("the name is too long")
	}
	return p, nil
}
