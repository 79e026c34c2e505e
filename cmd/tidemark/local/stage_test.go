package local

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/foldertest"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/local/funchost"
	"github.com/tidemark/tidemark/pkg/storage"
)

// stage is a fake local run: the services of the folder, the preparation of the store, and the host.
type stage struct {
	foldertest.Stage
	prepareErr, hostErr, runErr error

	loadErrs  []error
	interrupt func() // called when the app is ready
	env       []string
	bare      bool // paths may omit the prefix
}

func (s *stage) parts() parts {
	return parts{
		Services: s.Services(),
		prepare: func(_ context.Context, _ app.Config, _ storage.Store) error {
			s.Event("prepared")
			return s.prepareErr
		},
		host: func(o funchost.Options) (host, error) {
			s.env, s.bare = o.Env, o.BarePaths
			return &fakeHost{s: s, ready: make(chan struct{})}, s.hostErr
		},
	}
}

type fakeHost struct {
	s     *stage
	ready chan struct{}
}

func (h *fakeHost) LoadErrors() []error { return h.s.loadErrs }

func (h *fakeHost) Ready() <-chan struct{} { return h.ready }

func (h *fakeHost) Run(ctx context.Context) error {
	h.s.Event("host runs")
	defer h.s.Event("host ended")
	if h.s.runErr != nil {
		return h.s.runErr
	}
	if h.s.interrupt != nil {
		close(h.ready)
	}
	<-ctx.Done()
	return nil
}

// appFolder makes a folder that start accepts as an assembled app.
func appFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "host.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// watchfulBuffer sends an interrupt when the welcome is complete.
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

// sees checks the environment of the app.
func (s *stage) sees(t *testing.T, settings ...string) {
	t.Helper()
	for _, want := range settings {
		if !slices.Contains(s.env, want) {
			t.Errorf("the app does not see %s", want)
		}
	}
}

// quietTerminal returns a terminal that keeps its outputs.
func quietTerminal(in io.Reader) (p *terminal.Terminal, out, errOut *bytes.Buffer) {
	out, errOut = &bytes.Buffer{}, &bytes.Buffer{}
	return &terminal.Terminal{In: in, Out: out, Err: errOut, Name: "tidemark"}, out, errOut
}

func noEnv(string) string { return "" }

// startAt returns the options for a start on a free port.
func startAt(t *testing.T, o folder.Options) startOptions {
	t.Helper()
	return startOptions{app: appFolder(t), listening: listening{Port: foldertest.FreePort(t)}, Options: o}
}
