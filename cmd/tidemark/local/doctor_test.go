package local

import (
	"bytes"
	"context"
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// patient returns a doctor of a fake machine: plenty of disk space, a free port, no server, and no name resolution.
func patient(t *testing.T, env map[string]string) *doctor {
	t.Helper()
	getenv := func(n string) string { return env[n] }
	p := &terminal.Terminal{In: strings.NewReader(""), Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, JSON: true,
		Now:   time.Now,
		Sleep: defaults.Pause}
	s := command.NewServer(p, getenv, command.DefaultServer)
	s.Address = "http://127.0.0.1:" + strconv.Itoa(foldertest.FreePort(t))
	d := &doctor{t: p, s: s, getenv: getenv, room: func(string) (sqlitefile.Room, error) {
		return sqlitefile.Room{Bytes: 1 << 40,
			Files: -1}, nil
	}}
	d.resolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no name server")
	}}
	d.o = doctorOptions{data: t.TempDir(), port: foldertest.FreePort(t)}
	for name, value := range env {
		d.environ = append(d.environ, name+"="+value)
	}
	return d
}

// examined runs all checks, and checks that the exit code agrees with the findings.
func examined(t *testing.T, d *doctor) {
	t.Helper()
	err := d.run(t.Context())
	bad := false
	for _, f := range d.reported {
		bad = bad || f.Result == problem
		if (f.Result == problem || f.Result == warning) && f.Do == "" {
			t.Errorf("nothing to do about %+v", f)
		}
	}
	if errors.Is(err, command.ErrReported) != bad || err != nil && !bad {
		t.Errorf("%v after %+v", err, d.reported)
	}
}

// wants checks that there is a finding with this result whose text contains words.
func wants(t *testing.T, d *doctor, check, result, words string) {
	t.Helper()
	for _, f := range d.reported {
		if f.Check == check && f.Result == result && strings.Contains(f.Says+" "+f.Do, words) {
			return
		}
	}
	t.Errorf("no %s of %s that says %q among %+v", result, check, words, d.reported)
}

// answering starts a site whose Date header is off by a duration.
func answering(t *testing.T, off time.Duration) *httptest.Server {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(off).UTC().Format(http.TimeFormat))
		if r.URL.Path == "/robots.txt" {
			_, _ = io.WriteString(w, "User-agent: *\nDisallow: /private/")
		}
		if r.URL.Path == "/private/" {
			t.Error("a page that robots.txt forbids was asked for")
		}
	}))
	t.Cleanup(site.Close)
	return site
}

var loopbackAllowed = map[string]string{"CRAWL_ALLOW_HOSTS": "127.0.0.1"}

func TestL5DoctorFindsNothing(t *testing.T) {
	d := patient(t, loopbackAllowed)
	d.o.data, d.o.deep = foldertest.Marked(t, "well"), true
	if err := os.Remove(d.indexFile()); err != nil { // it is not an index
		t.Fatal(err)
	}
	d.o.url = answering(t, 0).URL + "/"
	examined(t, d)
	for _, f := range d.reported {
		if f.Result == problem || f.Result == warning {
			t.Errorf("of a machine that is well: %+v", f)
		}
	}
	wants(t, d, "storage", fine, "can be read and written")
	wants(t, d, "storage", fine, "nothing is damaged")
	wants(t, d, "web", fine, "answers 200")
	wants(t, d, "clock", fine, "agrees")
	wants(t, d, "dns", skipped, "give --url a name")
	wants(t, d, "server", skipped, "could not be checked")
	if mark := foldertest.ContentOf(t, d.storeFolder()); mark != "well" {
		t.Errorf("what was tried is still there: %q", mark)
	}
	for line := range strings.Lines(d.t.Out.(*bytes.Buffer).String()) {
		if err := json.Unmarshal([]byte(line), &finding{}); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}

func TestL5DoctorSettings(t *testing.T) {
	d := patient(t, map[string]string{"CRAWL_GONE_AFTER": "x", "CRAWL_MIN_DELAY_MS": "-1", "CRAWL_MIN_DELAY": "3",
		"STORAGE": "floppy", "LISTEN": "my host"})
	examined(t, d)
	for _, name := range []string{"CRAWL_GONE_AFTER", "CRAWL_MIN_DELAY_MS", "STORAGE", "LISTEN"} {
		wants(t, d, "settings", problem, name)
	}
	wants(t, d, "settings", warning, "did you mean CRAWL_MIN_DELAY_MS")
	for _, check := range []string{"storage", "index", "web", "memory"} {
		wants(t, d, check, skipped, "settings are not right")
	}
}

// TestL5DoctorWeb breaks the connection to the web in each possible way.
func TestL5DoctorWeb(t *testing.T) {
	closed := "http://127.0.0.1:" + strconv.Itoa(foldertest.FreePort(t)) + "/"
	for _, c := range []struct {
		name, url, check, result, words string
	}{
		{"nobody listens", closed, "web", problem, "does not answer"},
		{"inside", "http://10.0.0.1/", "web", problem, "CRAWL_ALLOW_HOSTS"},
		{"robots", answering(t, 0).URL + "/private/", "web", fine, "robots.txt forbids it"},
		{"an hour behind", answering(t, time.Hour).URL + "/", "clock", problem, "59 minutes apart"},
		{"a minute ahead", answering(t, -time.Minute).URL + "/", "clock", warning, "minute"},
		{"no names", "https://site.example/", "dns", problem, "no name server"},
		{"no names, and nobody asked", "", "dns", warning, "example.com has no address"},
		{"no address", "https//", "web", problem, "--url"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := patient(t, loopbackAllowed)
			d.o.url = c.url
			examined(t, d)
			wants(t, d, c.check, c.result, c.words)
		})
	}
	d := patient(t, nil)
	d.o.data = foldertest.WithItem(t, time.Now())
	examined(t, d)
	wants(t, d, "dns", warning, "a.example has no address") // the host of a registered source
}

// TestR1DoctorBrowser checks that a browser that cannot be reached is a problem, and that none is no check.
func TestR1DoctorBrowser(t *testing.T) {
	at := "http://127.0.0.1:" + strconv.Itoa(foldertest.FreePort(t))
	d := patient(t, map[string]string{"RENDER_ENDPOINT": at})
	examined(t, d)
	wants(t, d, "browser", problem, at+" (RENDER_ENDPOINT)")
	d = patient(t, nil)
	examined(t, d)
	for _, f := range d.reported {
		if f.Check == "browser" {
			t.Errorf("without a browser: %+v", f)
		}
	}
}

// TestL5DoctorIndexes checks that an index of an earlier version is announced before the next start replaces it, and
// that files that were set aside are named.
func TestL5DoctorIndexes(t *testing.T) {
	d := patient(t, nil)
	d.o.data = t.TempDir()
	index, err := sqlitesearch.Open(d.indexFile(), sqlitesearch.Options{})
	if err == nil {
		err = errors.Join(index.Create(t.Context()), index.Close())
	}
	db, openErr := sql.Open("sqlite", d.indexFile())
	if err != nil || openErr != nil {
		t.Fatal(err, openErr)
	}
	if _, err := db.ExecContext(t.Context(), "PRAGMA user_version(1)"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	foldertest.Write(t, d.indexFile()+".corrupt-1", "x")
	examined(t, d)
	wants(t, d, "index", warning, "the next start sets it aside")
	wants(t, d, "index", fine, d.indexFile()+".corrupt-1 was set aside")
}

// TestL5DoctorDamage checks that flipped bytes in the pages of a store and in a body are found.
func TestL5DoctorDamage(t *testing.T) {
	d := patient(t, nil)
	d.o.data, d.o.deep = foldertest.Marked(t, "ill"), true
	bodies, err := filepath.Glob(filepath.Join(d.storeFolder(), "blobs", "marks", "*", "*"))
	if err != nil || len(bodies) != 11 {
		t.Fatal(bodies, err)
	}
	foldertest.Write(t, bodies[0], "damaged")
	examined(t, d)
	wants(t, d, "storage", problem, bodies[0])
	wants(t, d, "index", problem, "move the file away") // the file has the name of an index, and is not one
	wants(t, d, "storage", fine, "can be read and written")

	state := filepath.Join(d.storeFolder(), "state.db")
	page, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(page); i += 16 {
		page[i] ^= 0xff
	}
	foldertest.Write(t, state, string(page))
	d.reported = nil
	examined(t, d)
	wants(t, d, "storage", problem, "damaged")
}

// TestL5DoctorFullDisk checks a full file system, a real one when the test may mount it and a simulated one when not.
func TestL5DoctorFullDisk(t *testing.T) {
	d := patient(t, nil)
	d.o.data = t.TempDir()
	if exec.Command("mount", "-t", "tmpfs", "-o", "size=2m,nr_inodes=60", "tmpfs", d.o.data).Run() == nil {
		defer func() { _ = exec.Command("umount", "-l", d.o.data).Run() }()
		s := d.storeFolder()
		d.room = sqlitefile.RoomOf
		if out, err := exec.Command("cp", "-r", app.StoreFolder(foldertest.Empty(t)), s).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		_ = os.WriteFile(filepath.Join(d.o.data, "fill"), make([]byte, 4<<20), 0o600)
		examined(t, d)
		wants(t, d, "folder", problem, "no space left")
		wants(t, d, "storage", problem, "the disk is full")
	} else {
		d.room = func(string) (sqlitefile.Room, error) { return sqlitefile.Room{Bytes: 0, Files: 10}, nil }
		examined(t, d)
	}
	wants(t, d, "disk", problem, "0 MB free")
	for _, c := range []struct {
		room   sqlitefile.Room
		result string
	}{
		{sqlitefile.Room{Bytes: 1 << 40, Files: 20}, problem},
		{sqlitefile.Room{Bytes: 500 << 20, Files: -1}, warning},
		{sqlitefile.Room{Bytes: 1 << 40, Files: 5000}, warning},
		{sqlitefile.Room{Bytes: 1 << 40, Files: -1, Network: "NFS"}, warning},
		{sqlitefile.Room{Bytes: 1 << 40, Files: 1 << 20}, fine},
	} {
		d := patient(t, nil)
		d.kind = folder.Embedded
		d.room = func(string) (sqlitefile.Room, error) { return c.room, nil }
		d.disk(t.Context())
		wants(t, d, "disk", c.result, "")
	}
}

// TestL5DoctorKnowsItsCertificate checks that the doctor recognizes a Tidemark whose certificate this machine does not
// trust, and says what to do. Another program with such a certificate is not Tidemark (L5).
func TestL5DoctorKnowsItsCertificate(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	pair := server.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	chain, key := filepath.Join(t.TempDir(), "chain.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, block := range map[string]*pem.Block{
		chain: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at, _ := url.Parse(server.URL)
	port, _ := strconv.Atoi(at.Port())
	d := patient(t, map[string]string{"TLS_CERT_FILE": chain, "TLS_KEY_FILE": key})
	d.o.port = port
	examined(t, d)
	wants(t, d, "port", warning, "with the certificate of TLS_CERT_FILE")
	d = patient(t, nil)
	d.o.port = port
	examined(t, d)
	wants(t, d, "port", problem, "it is no Tidemark")
}

// TestL5DoctorPortAndServer checks that the doctor recognizes Tidemark on its port among other programs, and an older
// version of Tidemark.
func TestL5DoctorPortAndServer(t *testing.T) {
	status, body := http.StatusOK, `{"status":"ok","storage":"ok","index":"ok","version":"0.0.9","migration":"needed"}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	d := patient(t, nil)
	d.s.Address = server.URL
	d.o.port, _ = strconv.Atoi(at.Port())
	examined(t, d)
	wants(t, d, "port", fine, "Tidemark 0.0.9 listens")
	wants(t, d, "server", warning, `the server is version "0.0.9" and this command is "`+app.Version)
	wants(t, d, "server", warning, "migrate")

	d.reported, status, body = nil, http.StatusNotFound, "hello"
	examined(t, d)
	wants(t, d, "port", problem, "it is no Tidemark")

	d.reported = nil
	release, err := folder.Hold(d.o.data, folder.AppLock)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	examined(t, d)
	wants(t, d, "folder", fine, "a Tidemark runs on it")
}

// TestY13DoctorNamesProxies checks that doctor says which connections use a proxy, and only where one is set (Y13).
func TestY13DoctorNamesProxies(t *testing.T) {
	d := patient(t, map[string]string{"HTTPS_PROXY": "http://proxy:3128"})
	d.settings(t.Context())
	wants(t, d, "proxy", fine, "do not use HTTPS_PROXY")
	d = patient(t, nil)
	d.settings(t.Context())
	if len(d.reported) != 1 {
		t.Errorf("%+v", d.reported)
	}
}
