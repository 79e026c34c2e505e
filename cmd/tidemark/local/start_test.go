package local

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
)

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
		err    string // part of the message; empty means no error
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
		{name: "azurite does not start",
			stage: &stage{Stage: foldertest.Stage{AzuriteErr: errors.New("port 10000 is in use")}}, env: azurite,
			events: []string{"azurite azurite 10000"}, err: "port 10000 is in use"},
		{name: "azurite ends by itself", stage: &stage{Stage: foldertest.Stage{AzuriteDies: true}}, env: azurite,
			events: onAzurite, err: "azurite ended by itself"},
		{name: "the account does not answer", stage: &stage{Stage: foldertest.Stage{PingErr: errors.New("refused")}},
			env:    map[string]string{"AzureWebJobsStorage": "given"},
			events: []string{"open given", "store closed"}, err: "storage does not answer; check AzureWebJobsStorage"},
		{name: "the folder does not answer", stage: &stage{Stage: foldertest.Stage{PingErr: errors.New("disk I/O error")}},
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
			p := &terminal.Terminal{Out: out, Err: &bytes.Buffer{}, Name: "tidemark"}
			getenv := func(n string) string { return tt.env[n] }
			o := startAt(t, folder.Options{PortBase: 10000,
				Data: t.TempDir()})
			err := runStart(ctx, p, getenv, o, tt.stage.parts())
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("have %v, want %q", err, tt.err)
			}
			if diff := cmp.Diff(tt.events, tt.stage.Events()); diff != "" {
				t.Errorf("events (-want +have):\n%s", diff)
			}
		})
	}
}

// TestStartWelcome checks the first screen of a new user, and that the app gets the data folder as an absolute path.
func TestStartWelcome(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, errOut := &watchfulBuffer{interrupt: cancel}, &bytes.Buffer{}
	s := &stage{interrupt: func() {}, loadErrs: []error{errors.New("functions/X: no such binding")}}
	p := &terminal.Terminal{Out: out, Err: errOut, Name: "tidemark"}
	getenv := settings{"HOME": t.TempDir()}.get
	o := startAt(t, folder.Options{PortBase: 20000,
		Data: t.TempDir()})
	t.Chdir(filepath.Dir(o.Data))
	data := o.Data
	o.Data = filepath.Base(data)
	profile := filepath.Join(data, "browser", "chromium-1") // of a browser that ended with its app
	if err := os.MkdirAll(profile, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := runStart(ctx, p, getenv, o, s.parts()); err != nil {
		t.Fatal(err)
	}
	want := `
Tidemark runs at AT
  dashboard  AT/api/ui
  sign in    ` + "`tidemark link --server AT`" + ` prints a link that works once, within ten minutes
  API        AT/api (its documentation: AT/api/docs)
  key        DATA/admin.key (your commands on this machine find it; for other programs see ` + "`tidemark keys`" + `)
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
	have := strings.NewReplacer("http://localhost:"+strconv.Itoa(o.Port), "AT", data, "DATA").Replace(out.String())
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	if have := errOut.String(); have != "tidemark: left out: functions/X: no such binding\n" {
		t.Errorf("stderr: %s", have)
	}
	if _, err := os.Stat(profile); err == nil {
		t.Error("R1: the files of the browser are left")
	}
	s.sees(t, "TIDEMARK_DATA="+data, "STORAGE=embedded", "RENDER_BROWSER=asked")
	if !s.bare {
		t.Error("D1: routes do not answer without /api")
	}
}

// TestStartTells checks how the kind of storage changes the messages to the user and the settings of the app.
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
			p := &terminal.Terminal{Out: out, Err: &bytes.Buffer{}, Name: "tidemark"}
			getenv := func(n string) string { return tt.env[n] }
			o := startAt(t, folder.Options{PortBase: 20000,
				Data: t.TempDir()})
			if err := runStart(ctx, p, getenv, o, s.parts()); err != nil {
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

// TestS13StartNamesMisspeltSettings checks that a misspelt setting does not stop the start, and is reported with the
// setting that was probably meant (S13).
func TestS13StartNamesMisspeltSettings(t *testing.T) {
	t.Setenv("CRAWL_MIN_DELAY", "5")
	var said bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, getenv := &terminal.Terminal{Out: &watchfulBuffer{interrupt: cancel}, Err: &said, Name: "tidemark"}, os.Getenv
	o := startAt(t, folder.Options{PortBase: 20000,
		Data: t.TempDir()})
	if err := runStart(ctx, p, getenv, o, (&stage{interrupt: func() {}}).parts()); err != nil {
		t.Fatal(err)
	}
	const want = "tidemark: CRAWL_MIN_DELAY is set, but there is no such setting; did you mean CRAWL_MIN_DELAY_MS?\n"
	if !strings.Contains(said.String(), want) {
		t.Errorf("no line %q in %q", want, said.String())
	}
}

// runOn runs Tidemark, or only Azurite, with fake parts on a folder, and stops it after during.
func runOn(t *testing.T, what, data string, s *stage, during func()) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	env := map[string]string{}
	switch what {
	case "start on a given account":
		env["AzureWebJobsStorage"] = "given"
	case "start on Azurite":
		env["STORAGE"] = "azurite"
	}
	p := &terminal.Terminal{Out: &watchfulBuffer{interrupt: func() { during(); cancel() }},
		Err: &bytes.Buffer{}, Name: "tidemark"}
	getenv := func(n string) string { return env[n] }
	o := folder.Options{PortBase: 10000, Data: data}
	if what == "azurite" {
		return runAzurite(ctx, p, getenv, o, nil, s.Services())
	}
	return runStart(ctx, p, getenv, startAt(t, o), s.parts())
}

// TestOneTidemarkPerFolder runs every pair of commands that use a folder. Two Azurites or two apps are refused, but
// an app may run beside the Azurite that it was configured to use.
func TestOneTidemarkPerFolder(t *testing.T) {
	const files, start, given, azurite = "start", "start on Azurite", "start on a given account", "azurite"
	for _, tt := range []struct {
		first, second string
		refused       bool
	}{
		{start, start, true}, {start, azurite, true}, {start, given, true},
		{azurite, start, true}, {azurite, azurite, true}, {azurite, given, false},
		{given, start, true}, {given, azurite, false}, {given, given, true},
		{files, start, true}, {files, azurite, false}, {files, files, true}, {azurite, files, false},
	} {
		t.Run(tt.second+" beside "+tt.first, func(t *testing.T) {
			data := t.TempDir()
			inner := &stage{interrupt: func() {}}
			var second error
			first := runOn(t, tt.first, data, &stage{interrupt: func() {}}, func() {
				second = runOn(t, tt.second, data, inner, func() {})
			})
			if first != nil {
				t.Fatal(first)
			}
			if !tt.refused {
				if second != nil {
					t.Errorf("refused: %v", second)
				}
				return
			}
			want := "the data folder " + data + " is in use by another Tidemark; stop it, or set TIDEMARK_DATA to another folder"
			if second == nil || second.Error() != want {
				t.Errorf("have %v\nwant %s", second, want)
			}
			if diff := cmp.Diff([]string(nil), inner.Events()); diff != "" {
				t.Errorf("something was started (-want +have):\n%s", diff)
			}
			if err := runOn(t, tt.second, data, &stage{interrupt: func() {}}, func() {}); err != nil {
				t.Errorf("the folder was not given back: %v", err)
			}
		})
	}
}
