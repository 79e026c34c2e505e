// Package keyfile keeps the key with which commands of this machine call the server on it, and finds it for them.
//
// The key is a file in the server's data folder, for the server's user alone. While the server runs, it holds a lock on
// that file, and a folder of its user has a symbolic link to it, named for the address that the server listens on:
//
//	~/.local/state/tidemark/keys/127.0.0.1:7071 -> /home/anna/.tidemark/admin.key
//
// A command sends the key to that very address, and only while the file is locked: a program that has taken the port of
// a server that crashed gets no key, and neither does one that listens on the same port of another loopback address.
package keyfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// fileName is the name of the key file in a data folder.
const fileName = "admin.key"

// Path returns the path of the key file in a data folder.
func Path(data string) string { return filepath.Join(data, fileName) }

var form = regexp.MustCompile(`^` + keys.Prefix + `[a-z2-7]{26}$`)

// Read returns the key in a data folder. It returns "" if there is none, if the file has no whole key, or if others
// than its owner may read it.
func Read(data string) (string, error) {
	f, err := os.Open(Path(data))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !isPrivate(info) {
		return "", err
	}
	return keyIn(f), nil
}

// keyIn returns the key in a file, or "" if it has another content.
func keyIn(f io.Reader) string {
	text, _ := io.ReadAll(io.LimitReader(f, 256)) // what cannot be read is no key
	if key := strings.TrimSpace(string(text)); form.MatchString(key) {
		return key
	}
	return ""
}

// Write puts a key into a data folder. The file appears as a whole.
func Write(data, key string) error {
	f, err := os.CreateTemp(data, fileName+".*") // for its owner alone
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails if all went well, because the file was renamed
	_, err = f.WriteString(key + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), Path(data))
}

// userFolder returns the folder in which the servers of a user leave their links, or "" if the user has no home.
func userFolder(getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if home := getenv("HOME"); state == "" && home != "" {
		state = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(state) {
		return ""
	}
	return filepath.Join(state, "tidemark", "keys")
}

// runtimeFolder is the folder in which the packaged service leaves its link.
const runtimeFolder = "/run/tidemark"

// dataFolder returns the folder for links in the data folder that is set, for containers without a home; else "".
func dataFolder(getenv func(string) string) string {
	if data := getenv("TIDEMARK_DATA"); filepath.IsAbs(data) {
		return filepath.Join(data, "keys")
	}
	return ""
}

// Offer locks the key file of a data folder, and leaves links to it for a server that listens at address, until
// withdraw is called. It reports whether commands find the key by a link.
func Offer(getenv func(string) string, data, address string) (withdraw func(), found bool, err error) {
	file := Path(data)
	held, err := lock(file)
	if err != nil {
		return nil, false, err
	}
	var links []string
	at := reached(address)
	for _, folder := range []string{userFolder(getenv), getenv("RUNTIME_DIRECTORY"), dataFolder(getenv)} {
		if !canLock || at == "" || folder == "" || os.MkdirAll(folder, 0o700) != nil {
			continue
		}
		tidy(folder, file)
		link := filepath.Join(folder, at)
		_ = os.Remove(link) // of another server that listened there
		if os.Symlink(file, link) == nil {
			links = append(links, link)
		}
	}
	return func() {
		for _, link := range links {
			if to, err := os.Readlink(link); err == nil && to == file {
				_ = os.Remove(link)
			}
		}
		_ = held.Close()
	}, len(links) > 0, nil
}

// tidy removes the links that a crash left: those to this key file, and those to none.
func tidy(folder, file string) {
	all, _ := os.ReadDir(folder)
	for _, e := range all {
		link := filepath.Join(folder, e.Name())
		to, err := os.Readlink(link)
		if err != nil {
			continue
		}
		if _, err := os.Lstat(to); to == file || errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(link)
		}
	}
}

// reached returns the loopback address at which commands of this machine reach a server, by the address that it
// listens on, or "" if there is none.
func reached(address string) string {
	host, port, err := net.SplitHostPort(address)
	ip, ipErr := netip.ParseAddr(host)
	switch {
	case err != nil:
		return ""
	case host == "", strings.EqualFold(host, "localhost"), ip.IsUnspecified():
		host = "127.0.0.1"
	case ipErr != nil || !ip.IsLoopback():
		return ""
	}
	return net.JoinHostPort(host, port)
}

// lock locks a file, and waits for the moment for which a command may have locked it.
func lock(file string) (*os.File, error) {
	for range 20 {
		f, err := tryLock(file)
		if f != nil || err != nil {
			return f, err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil, fmt.Errorf("%s is locked by another process", file)
}

// A Found is the key of a server on this machine.
type Found struct {
	Key     string // "" if this user may not read it
	File    string
	Address string // where the server listens
}

// find looks for the key of the server at a URL, which must be on this machine. It returns nil if there is none.
func find(getenv func(string) string, server string) *Found {
	for _, address := range addresses(server) {
		for _, folder := range []string{userFolder(getenv), runtimeFolder, dataFolder(getenv)} {
			if folder == "" {
				continue
			}
			link := filepath.Join(folder, address)
			file, err := os.Readlink(link)
			if err != nil {
				continue
			}
			key, err := offered(link, file)
			if key != "" || errors.Is(err, fs.ErrPermission) {
				return &Found{Key: key, File: file, Address: address}
			}
		}
	}
	return nil
}

// addresses returns the loopback addresses that the URL of a server may mean.
func addresses(server string) []string {
	if !strings.Contains(server, "://") {
		server = "http://" + server
	}
	u, err := url.Parse(server)
	if err != nil {
		return nil
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	ip, err := netip.ParseAddr(u.Hostname())
	switch {
	case strings.EqualFold(u.Hostname(), "localhost"):
		return []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("::1", port)}
	case err == nil && ip.IsLoopback():
		return []string{net.JoinHostPort(ip.String(), port)}
	}
	return nil
}

// offered returns the key in the file of a link, while a server holds that file. The link and the file must have one
// owner: otherwise, the owner of the link could have another user send what only that user may read.
func offered(link, file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	from, err := os.Lstat(link)
	if err != nil {
		return "", err
	}
	to, err := f.Stat()
	if err != nil || !to.Mode().IsRegular() || !sameOwner(from, to) || !isLocked(f) {
		return "", err
	}
	return keyIn(f), nil
}

// Client returns a client of the server at a URL, with the key of that server if it is on this machine and its key can
// be found. Otherwise the client sends no key.
func Client(getenv func(string) string, server string) *api.Client {
	found := find(getenv, server)
	switch {
	case found == nil:
		return api.NewClient(server, "", nil)
	case found.Key == "":
		return api.NewClient(server, "", nil).Advise("only the user who runs this server may read its key, " + found.File +
			": run the command as that user, for the packaged service as `sudo -u tidemark tidemark …`, or give a key of " +
			"yours with --key or TIDEMARK_KEY")
	}
	return At(server, found.Address, found.Key).Advise("the key in " + found.File + " is not valid any more: the next " +
		"`tidemark start` makes another; until then, give one with --key or TIDEMARK_KEY")
}

// At returns a client of a server that connects to one address only, whatever the names in the URL mean.
func At(server, address, key string) *api.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	return api.NewClient(server, key, &http.Client{Transport: transport, Timeout: 2 * time.Minute})
}
