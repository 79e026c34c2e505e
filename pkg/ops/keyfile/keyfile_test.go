package keyfile

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
)

const key = "tm_abcdefghijklmnopqrstuvwxyz"

type env map[string]string

func (e env) get(name string) string { return e[name] }

// offer writes a key into a new data folder, and offers it for a server at an address.
func offer(t *testing.T, e env, address string) (data string, withdraw func()) {
	t.Helper()
	data = t.TempDir()
	if err := Write(data, key); err != nil {
		t.Fatal(err)
	}
	withdraw, found, err := Offer(e.get, data, address)
	if err != nil || found != (reached(address) != "" && len(e) > 0) {
		t.Fatalf("offered: %v %v", found, err)
	}
	return data, withdraw
}

// finds reports whether the key of a server is found.
func finds(e env, server string) bool {
	found := find(e.get, server)
	return found != nil && found.Key == key
}

// TestL9KeyIsFound checks for which servers a command finds the key of a server that listens at an address (L9).
func TestL9KeyIsFound(t *testing.T) {
	for _, tt := range []struct {
		listens string
		yes, no []string
	}{
		{"127.0.0.1:7071", []string{"http://localhost:7071", "http://127.0.0.1:7071/", "localhost:7071",
			"https://LOCALHOST:7071/api"}, []string{"http://localhost:7072", "http://[::1]:7071", "http://127.0.0.2:7071",
			"http://tide.example:7071", "http://localhost.example:7071", "http://localhost", "::", "http://10.0.0.7:7071"}},
		{"[::1]:7071", []string{"http://localhost:7071", "http://[::1]:7071"}, []string{"http://127.0.0.1:7071"}},
		{"0.0.0.0:80", []string{"http://localhost", "http://127.0.0.1"}, []string{"https://localhost"}},
		{"[::]:443", []string{"https://localhost"}, nil},
		{":7071", []string{"http://localhost:7071"}, nil},
		{"localhost:7071", []string{"http://localhost:7071"}, nil},
		{"10.0.0.7:7071", nil, []string{"http://10.0.0.7:7071", "http://localhost:7071"}},
		{"tide.example:7071", nil, []string{"http://tide.example:7071", "http://localhost:7071"}},
	} {
		e := env{"HOME": t.TempDir()}
		_, withdraw := offer(t, e, tt.listens)
		for _, server := range tt.yes {
			if !finds(e, server) {
				t.Errorf("at %s: %s is not found", tt.listens, server)
			}
		}
		for _, server := range tt.no {
			if finds(e, server) {
				t.Errorf("at %s: %s is found", tt.listens, server)
			}
		}
		withdraw()
		for _, server := range tt.yes {
			if find(e.get, server) != nil {
				t.Errorf("at %s: %s is found after the end", tt.listens, server)
			}
		}
	}
}

// TestL9KeysOfTwoServers checks that two servers of one user each have their own key, whichever ends first (L9).
func TestL9KeysOfTwoServers(t *testing.T) {
	e := env{"XDG_STATE_HOME": t.TempDir()}
	one, withdraw := offer(t, e, "127.0.0.1:7071")
	other, _ := offer(t, e, "127.0.0.1:7072")
	for server, data := range map[string]string{"http://localhost:7071": one, "http://localhost:7072": other} {
		if found := find(e.get, server); found == nil || found.File != Path(data) {
			t.Errorf("%s: %+v", server, found)
		}
	}
	if withdraw(); finds(e, "http://localhost:7071") || !finds(e, "http://localhost:7072") {
		t.Error("one ended both, or none")
	}
}

// TestL9KeyOfACrash checks that the link that a crash leaves leads to no key, and that the next start removes it (L9).
func TestL9KeyOfACrash(t *testing.T) {
	e := env{"HOME": t.TempDir()}
	data, withdraw := offer(t, e, "127.0.0.1:7071")
	withdraw()
	link := filepath.Join(userFolder(e.get), "127.0.0.1:7071")
	gone := filepath.Join(userFolder(e.get), "127.0.0.1:9")
	if err := errors.Join(os.Symlink(Path(data), link), os.Symlink(filepath.Join(data, "gone"), gone)); err != nil {
		t.Fatal(err)
	}
	if find(e.get, "http://localhost:7071") != nil {
		t.Error("the key of a server that does not run is found")
	}
	if _, _, err := Offer(e.get, data, "127.0.0.1:7072"); err != nil {
		t.Fatal(err)
	}
	if finds(e, "http://localhost:7071") || !finds(e, "http://localhost:7072") {
		t.Error("after a start at another port, the first is found, or the second is not")
	}
	if left, err := os.ReadDir(filepath.Dir(link)); err != nil || len(left) != 1 {
		t.Errorf("left: %v %v", left, err)
	}
}

// TestL9OtherPlaces checks where the packaged service and containers leave links, and that nothing is offered where
// none can be left (L9).
func TestL9OtherPlaces(t *testing.T) {
	run, data := t.TempDir(), t.TempDir()
	offer(t, env{"RUNTIME_DIRECTORY": run}, "127.0.0.1:7071")
	if _, err := os.Readlink(filepath.Join(run, "127.0.0.1:7071")); err != nil {
		t.Error(err)
	}
	offer(t, env{"TIDEMARK_DATA": data}, "127.0.0.1:7071")
	if !finds(env{"TIDEMARK_DATA": data}, "http://localhost:7071") {
		t.Error("not found by TIDEMARK_DATA")
	}
	offer(t, env{}, "127.0.0.1:7071")
	relative := env{"TIDEMARK_DATA": ".", "XDG_STATE_HOME": "."}
	if userFolder(relative.get)+dataFolder(relative.get) != "" {
		t.Error("a folder that depends on the working folder")
	}
}

// TestL9NothingElseIsSent checks that a file that holds no key is not sent, whatever a link leads to (L9).
func TestL9NothingElseIsSent(t *testing.T) {
	for _, text := range []string{"", "root:x:0:0", "tm_short", key + "x", strings.ToUpper(key), "x" + key,
		key + "\n" + key} {
		e := env{"HOME": t.TempDir()}
		data, _ := offer(t, e, "127.0.0.1:7071")
		if err := os.WriteFile(Path(data), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if found := find(e.get, "http://localhost:7071"); found != nil {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

// TestL9KeyGoesToOneAddress checks that the client of a server on this machine connects to the address that the server
// listens on, whatever its name means, and that a refusal says what to do (L9).
func TestL9KeyGoesToOneAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sent := ""
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = r.Header.Get("X-Functions-Key")
		w.Header().Set("Content-Type", api.ProblemType)
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"title":"Unauthorized"}`))
	})}
	go server.Serve(l)
	defer server.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	e := env{"HOME": t.TempDir()}
	data, _ := offer(t, e, l.Addr().String())
	_, err = api.GetHealth.Call(t.Context(), Client(e.get, "http://localhost:"+port), api.None{})
	if sent != key || err == nil || !strings.Contains(err.Error(), Path(data)+" is not valid any more") {
		t.Errorf("sent %q, %v", sent, err)
	}
	_, err = api.GetHealth.Call(t.Context(), At("http://nowhere.invalid:"+port, l.Addr().String(), key), api.None{})
	if _, answered := errors.AsType[*api.Problem](err); !answered {
		t.Errorf("another name: %v", err)
	}
}

// TestL9KeyOfAnotherUser checks that a user who may not read the key learns where it is, and that root, who may read
// every file, follows no link of another user (L9).
func TestL9KeyOfAnotherUser(t *testing.T) {
	e := env{"HOME": t.TempDir()}
	data, _ := offer(t, e, "127.0.0.1:7071")
	if os.Getuid() == 0 {
		if err := os.Lchown(filepath.Join(userFolder(e.get), "127.0.0.1:7071"), 12345, -1); err != nil {
			t.Fatal(err)
		}
		if found := find(e.get, "http://localhost:7071"); found != nil {
			t.Errorf("a link of another user has root send a key: %+v", found)
		}
		return
	}
	if err := os.Chmod(data, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(data, 0o700)
	if found := find(e.get, "http://localhost:7071"); found == nil || found.Key != "" || found.File != Path(data) {
		t.Errorf("%+v", found)
	}
}
