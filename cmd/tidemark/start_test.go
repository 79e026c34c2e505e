package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/local/azurite"
	"github.com/tidemark/tidemark/pkg/local/funchost"
	"github.com/tidemark/tidemark/pkg/storage"
)

// stage is a play of a local run: it writes down what happens, in order.
type stage struct {
	mu     sync.Mutex
	events []string

	azuriteErr, pingErr, prepareErr, hostErr, runErr error

	loadErrs    []error
	azuriteDies bool
	interrupt   func() // called when the app is ready
	env         []string
	bare        bool // whether paths may leave out the prefix
}

func (s *stage) event(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, what)
}

func (s *stage) parts() parts {
	return parts{
		azurite: func(_ context.Context, o azurite.Options) (emulator, error) {
			s.event("azurite " + filepath.Base(o.DataDir) + " " + strconv.Itoa(o.PortBase))
			return fakeEmulator{s, make(chan struct{})}, s.azuriteErr
		},
		open: func(get func(string) string, _ *slog.Logger) (storage.Store, error) {
			if get("STORAGE") == "embedded" {
				s.event("open the folder")
				return fakeStore{nil, s}, nil
			}
			s.event("open " + get("AzureWebJobsStorage"))
			return fakeStore{nil, s}, nil
		},
		prepare: func(_ context.Context, _ app.Config, _ storage.Store) error {
			s.event("prepared")
			return s.prepareErr
		},
		host: func(o funchost.Options) (host, error) {
			s.env, s.bare = o.Env, o.BarePaths
			return &fakeHost{s: s, ready: make(chan struct{})}, s.hostErr
		},
	}
}

type fakeEmulator struct {
	s    *stage
	done chan struct{}
}

func (fakeEmulator) ConnectionString() string { return "azurite!" }
func (f fakeEmulator) Stop()                  { f.s.event("azurite stopped") }
func (f fakeEmulator) Done() <-chan struct{} {
	if f.s.azuriteDies {
		close(f.done)
	}
	return f.done
}

type fakeStore struct {
	storage.Store
	s *stage
}

func (f fakeStore) Ping(context.Context) error { return f.s.pingErr }
func (f fakeStore) Close() error               { f.s.event("store closed"); return nil }

type fakeHost struct {
	s     *stage
	ready chan struct{}
}

func (h *fakeHost) LoadErrors() []error    { return h.s.loadErrs }
func (h *fakeHost) Ready() <-chan struct{} { return h.ready }
func (h *fakeHost) Run(ctx context.Context) error {
	h.s.event("host runs")
	defer h.s.event("host ended")
	if h.s.runErr != nil {
		return h.s.runErr
	}
	if h.s.interrupt != nil {
		close(h.ready)
	}
	<-ctx.Done()
	return nil
}

// appFolder is what start takes for an assembled app.
func appFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "host.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// idOf is the id that a server gives a URL.
func idOf(t *testing.T, url string) string {
	t.Helper()
	src, err := source.DefaultRules().ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	return string(src.ID())
}

// freePort is one that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// freePortBase is the first of three ports that nobody listens on.
func freePortBase(t *testing.T) string {
	t.Helper()
	for range 100 {
		base, free := freePort(t), true
		for port := base; port < base+3; port++ {
			l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if free = free && err == nil; err == nil {
				l.Close()
			}
		}
		if free {
			return strconv.Itoa(base)
		}
	}
	t.Fatal("no three free ports in a row")
	return ""
}

// watchfulBuffer interrupts when the welcome is complete.
type watchfulBuffer struct {
	bytes.Buffer
	interrupt func()
}

func (b *watchfulBuffer) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("Ctrl-C stops it.")) && b.interrupt != nil {
		b.interrupt()
	}
	return b.Buffer.Write(p)
}

func TestStart(t *testing.T) {
	usual := []string{"open the folder", "prepared", "host runs", "host ended", "store closed"}
	azurite := map[string]string{"STORAGE": "azurite"}
	onAzurite := []string{"azurite azurite 10000", "open azurite!", "prepared", "host runs", "host ended", "store closed",
		"azurite stopped"}
	for _, tt := range []struct {
		name   string
		stage  *stage
		env    map[string]string
		events []string
		err    string // part of it; none when empty
	}{
		{name: "an interrupt stops everything in order", stage: &stage{interrupt: func() {}}, events: usual},
		{name: "on Azurite too", stage: &stage{interrupt: func() {}}, env: azurite, events: onAzurite},
		{name: "a given account is used", stage: &stage{interrupt: func() {}},
			env:    map[string]string{"AzureWebJobsStorage": "given"},
			events: []string{"open given", "prepared", "host runs", "host ended", "store closed"}},
		{name: "an identity is a given account", stage: &stage{interrupt: func() {}},
			env:    map[string]string{"AzureWebJobsStorage__accountName": "a"},
			events: []string{"open ", "prepared", "host runs", "host ended", "store closed"}},
		{name: "a given account by name", stage: &stage{interrupt: func() {}},
			env:    map[string]string{"STORAGE": "account", "AzureWebJobsStorage": "given"},
			events: []string{"open given", "prepared", "host runs", "host ended", "store closed"}},
		{name: "who asks for Azurite gets one, whatever account is named", stage: &stage{interrupt: func() {}},
			env: map[string]string{"STORAGE": "azurite", "AzureWebJobsStorage": "given"}, events: onAzurite},
		{name: "another storage is refused before anything starts", stage: &stage{},
			env: map[string]string{"STORAGE": "floppy"},
			err: `STORAGE is "floppy": allowed are embedded (the default), azurite, and account`},
		{name: "who asks for the embedded store gets it, likewise", stage: &stage{interrupt: func() {}},
			env: map[string]string{"STORAGE": "embedded", "AzureWebJobsStorage": "given"}, events: usual},
		{name: "azurite does not start", stage: &stage{azuriteErr: errors.New("port 10000 is in use")}, env: azurite,
			events: []string{"azurite azurite 10000"}, err: "port 10000 is in use"},
		{name: "azurite ends by itself", stage: &stage{azuriteDies: true}, env: azurite,
			events: onAzurite, err: "azurite ended by itself"},
		{name: "the account does not answer", stage: &stage{pingErr: errors.New("refused")},
			env:    map[string]string{"AzureWebJobsStorage": "given"},
			events: []string{"open given", "store closed"}, err: "storage does not answer; check AzureWebJobsStorage"},
		{name: "the folder does not answer", stage: &stage{pingErr: errors.New("disk I/O error")},
			events: []string{"open the folder", "store closed"}, err: "storage does not answer: disk I/O error"},
		{name: "the account takes no writes", stage: &stage{prepareErr: errors.New("403")},
			env:    map[string]string{"AzureWebJobsStorage": "given"},
			events: []string{"open given", "prepared", "store closed"}, err: "403"},
		{name: "the app cannot be loaded", stage: &stage{hostErr: errors.New("host.json: bad version")}, env: azurite,
			events: []string{"azurite azurite 10000", "open azurite!", "prepared", "store closed", "azurite stopped"},
			err:    "host.json: bad version"},
		{name: "the app crashes", stage: &stage{runErr: errors.New("the handler crashed three times")}, events: usual,
			err: "crashed three times"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := &watchfulBuffer{interrupt: cancel}
			p := &program{out: out, err: &bytes.Buffer{}, getenv: func(n string) string { return tt.env[n] }}
			o := startOptions{app: appFolder(t), port: freePort(t), emulatorOptions: emulatorOptions{portBase: 10000,
				data: t.TempDir()}}
			err := runStart(ctx, p, o, tt.stage.parts())
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("have %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.events, tt.stage.events); diff != "" {
				t.Errorf("events (-want +have):\n%s", diff)
			}
		})
	}
}

// TestStartWelcome holds the first screen a newcomer sees, and that the data folder reaches the
// app as an absolute path.
func TestStartWelcome(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, errOut := &watchfulBuffer{interrupt: cancel}, &bytes.Buffer{}
	s := &stage{interrupt: func() {}, loadErrs: []error{errors.New("functions/X: no such binding")}}
	p := &program{out: out, err: errOut, getenv: func(string) string { return "" }}
	o := startOptions{app: appFolder(t), port: freePort(t), emulatorOptions: emulatorOptions{portBase: 20000,
		data: t.TempDir()}}
	t.Chdir(filepath.Dir(o.data))
	data := o.data
	o.data = filepath.Base(data)
	if err := runStart(ctx, p, o, s.parts()); err != nil {
		t.Fatal(err)
	}
	want := `
Tidemark runs at AT
  dashboard  AT/api/ui
  API        AT/api (its documentation: AT/api/docs)
  storage    embedded: the files in DATA/store
  data       DATA
  log        DATA/tidemark.log

Next, in another terminal:
  tidemark add https://example.com/ --server AT
  tidemark status --watch --server AT
  tidemark search 'example domain' --server AT

Ctrl-C stops it.

stopping the host and the app; what is in work has 10s to finish (Ctrl-C again does not wait)
stopped; the data is in DATA
`
	have := strings.NewReplacer("http://localhost:"+strconv.Itoa(o.port), "AT", data, "DATA").Replace(out.String())
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if have := errOut.String(); have != "tidemark: left out: functions/X: no such binding\n" {
		t.Errorf("stderr: %s", have)
	}
	s.sees(t, "TIDEMARK_DATA="+data, "STORAGE=embedded")
	if !s.bare {
		t.Error("D1: routes do not answer without /api")
	}
}

// sees checks the environment of the app.
func (s *stage) sees(t *testing.T, settings ...string) {
	t.Helper()
	for _, want := range settings {
		if !slices.Contains(s.env, want) {
			t.Errorf("the app does not see %s", want)
		}
	}
}

// TestStartTells holds what other storage changes in what the user and the app are told.
func TestStartTells(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		out  []string
		app  []string
	}{
		{"Azurite", map[string]string{"STORAGE": "azurite"},
			[]string{"  storage    Azurite, at the ports 20000 to 20002\n",
				"stopping Azurite, which saves its data\nstopped; the data is in "},
			[]string{"STORAGE=account", "AzureWebJobsStorage=azurite!", "AZURITE_PORT_BASE=20000"}},
		{"an account", map[string]string{"AzureWebJobsStorage": "given"},
			[]string{"  storage    the account that AzureWebJobsStorage names\n", "stopped; the data is in "}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			out := &watchfulBuffer{interrupt: cancel}
			s := &stage{interrupt: func() {}}
			p := &program{out: out, err: &bytes.Buffer{}, getenv: func(n string) string { return tt.env[n] }}
			o := startOptions{app: appFolder(t), port: freePort(t), emulatorOptions: emulatorOptions{portBase: 20000,
				data: t.TempDir()}}
			if err := runStart(ctx, p, o, s.parts()); err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.out {
				if n := strings.Count(out.String(), want); n != 1 {
					t.Errorf("%q stands %d times in:\n%s", want, n, out)
				}
			}
			s.sees(t, tt.app...)
		})
	}
}

// A setting that is misspelt does not stop the start, but is named with the one that was meant.
func TestS13StartNamesMisspeltSettings(t *testing.T) {
	t.Setenv("CRAWL_MIN_DELAY", "5")
	var said bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := &program{out: &watchfulBuffer{interrupt: cancel}, err: &said, getenv: os.Getenv}
	o := startOptions{app: appFolder(t), port: freePort(t), emulatorOptions: emulatorOptions{portBase: 20000,
		data: t.TempDir()}}
	if err := runStart(ctx, p, o, (&stage{interrupt: func() {}}).parts()); err != nil {
		t.Fatal(err)
	}
	const want = "tidemark: CRAWL_MIN_DELAY is set, but there is no such setting; did you mean CRAWL_MIN_DELAY_MS?\n"
	if !strings.Contains(said.String(), want) {
		t.Errorf("no line %q in %q", want, said.String())
	}
}

func TestStartRefuses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	performAll(t, []script{
		{name: "a port in use", args: []string{"start", "--app", appFolder(t), "--port", taken, "--data", t.TempDir()},
			code: 1,
			err: "tidemark: port " + taken + " is in use: stop what uses it, or choose another with --port or PORT; " +
				"a second Tidemark needs TIDEMARK_DATA of its own too\n"},
		{name: "a port in use, for Azurite", args: []string{"start", "--app", appFolder(t), "--port", taken, "--data",
			t.TempDir()},
			env: map[string]string{"STORAGE": "azurite"}, code: 1,
			err: "tidemark: port " + taken + " is in use: stop what uses it, or choose another with --port or PORT; " +
				"a second Tidemark needs TIDEMARK_DATA and AZURITE_PORT_BASE of its own too\n"},
		{name: "a port that is none", args: []string{"start"}, env: map[string]string{"PORT": "http"}, code: 2,
			err: "tidemark: --port (PORT) is \"http\": give a port of 1 to 65535\nsee `tidemark start --help`\n"},
		{name: "no room for three ports", args: []string{"start", "--azurite-port-base", "65534"}, code: 2,
			err: "tidemark: --azurite-port-base (AZURITE_PORT_BASE) is \"65534\": give a port of 1 to 65533\nsee `tidemark " +
				"start --help`\n"},
		{name: "no app", args: []string{"start", "--app", "/nowhere"}, code: 1,
			err: "tidemark: /nowhere has no host.json: write it with `tidemark app /nowhere`, or leave --app out\n"},
		{name: "FILE_ROOT", args: []string{"start", "--app", appFolder(t), "--port", strconv.Itoa(freePort(t)), "--data",
			t.TempDir()},
			env: map[string]string{"FILE_ROOT": "/nowhere"}, code: 1,
			err: "tidemark: settings: FILE_ROOT=\"/nowhere\": allowed is the absolute path of a folder that exists\n"},
		{name: "STORAGE", args: []string{"start"}, env: map[string]string{"STORAGE": "floppy"}, code: 2,
			err: "tidemark: STORAGE is \"floppy\": allowed are embedded (the default), azurite, and account for what " +
				"AzureWebJobsStorage names\nsee `tidemark start --help`\n"},
	})
}
