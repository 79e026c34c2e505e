package funchost

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/storage"
	"github.com/tidemark/tidemark/pkg/storage/storagetest/mem"
)

// files is a script root: path to content.
type files map[string]string

// with adds or replaces files; an empty content removes one.
func (f files) with(more files) files {
	out := maps.Clone(f)
	maps.Copy(out, more)
	return out
}

const (
	hostPlain = `{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"handler"},` +
		`"enableProxyingHttpRequest":true}}`

	hostBare = `{"version":"2.0","extensions":{"http":{"routePrefix":""}},` +
		`"customHandler":{"description":{"defaultExecutablePath":"handler"},"enableProxyingHttpRequest":true}}`

	helloJSON = `{"bindings":[{"name":"req","type":"httpTrigger","direction":"in","authLevel":"function",` +
		`"methods":["get","post"],"route":"hello/{*name}"},{"name":"res","type":"http","direction":"out"}]}`
	queueJSON = `{"bindings":[{"name":"msg","type":"queueTrigger","direction":"in","queueName":"jobs",` +
		`"dataType":"binary"}]}`
)

var (
	queueApp = files{"host.json": hostPlain, "Q/function.json": queueJSON}
	helloApp = files{"host.json": hostPlain, "Hello/function.json": helloJSON}
)

func timerApp(schedule, more string) files {
	return files{"host.json": hostPlain,
		"T/function.json": `{"bindings":[{"name":"timer","type":"timerTrigger","direction":"in","schedule":"` + schedule +
			`"` + more + `}]}`}
}

// queues returns a plain host.json with that extensions.queues section.
func queues(section string) files {
	return files{"host.json": `{"version":"2.0","customHandler":{"description":{"defaultExecutablePath":"handler"},` +
		`"enableProxyingHttpRequest":true},"extensions":{"queues":` + section + `}}`}
}

func writeRoot(t *testing.T, f files) string {
	t.Helper()
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(exe, filepath.Join(dir, "handler")); err != nil {
		t.Fatal(err)
	}
	for name, content := range f {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rig is a running host, its store and its handler.
type rig struct {
	t     *testing.T
	host  *Host
	store storage.Store
	*control
	log    *logBook
	loaded func(*Host)  // called before the host runs
	stop   func() error // ends Run and returns its error
	done   chan struct{}
	err    error
}

type knob func(*rig, *Options)

func withCall(f func(n int, c call) reply) knob {
	return func(r *rig, _ *Options) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.onCall = f
	}
}

func withStart(f func(n int) startOrder) knob {
	return func(r *rig, _ *Options) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.onStart = f
	}
}

func with(f func(*Options)) knob { return func(_ *rig, o *Options) { f(o) } }

// newRig starts a host over f without waiting for it.
func newRig(t *testing.T, f files, knobs ...knob) *rig {
	t.Helper()
	r := &rig{
		t:       t,
		store:   mem.New(time.Now),
		control: newControl(t),
		log:     &logBook{},
		loaded:  func(*Host) {},
		done:    make(chan struct{}),
	}
	o := Options{
		AppDir: writeRoot(t, f), Addr: "127.0.0.1:0", Store: r.store, Log: slog.New(slog.NewJSONHandler(r.log,
			&slog.HandlerOptions{Level: slog.LevelDebug})),
		Env:     []string{controlVar + "=" + r.server.URL, "PATH=" + os.Getenv("PATH")},
		MaxPoll: 50 * time.Millisecond,
	}
	for _, k := range knobs {
		k(r, &o)
	}
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	r.host = h
	r.loaded(h)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(r.done)
		r.err = h.Run(ctx)
	}()
	r.stop = func() error {
		cancel()
		<-r.done
		return r.err
	}
	t.Cleanup(func() {
		r.stop()
		if t.Failed() {
			t.Log(r.log.String())
		}
	})
	return r
}

// started is newRig, and then waits until the host is ready.
func started(t *testing.T, f files, knobs ...knob) *rig {
	t.Helper()
	r := newRig(t, f, knobs...)
	r.waitReady()
	return r
}

func (r *rig) waitReady() {
	r.t.Helper()
	select {
	case <-r.host.Ready():
	case <-r.done:
		r.t.Fatalf("host stopped: %v\n%s", r.err, r.log)
	case <-time.After(2 * time.Minute):
		r.t.Fatal("host never became ready")
	}
}

func (r *rig) url(path string) string { return "http://" + r.host.Addr() + path }

// request sends an HTTP request to the host.
func (r *rig) request(method, path, body string, header ...string) (*http.Response, string) {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url(path), strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp, string(b)
}

// send sends texts to a queue, which it creates.
func (r *rig) send(queue string, texts ...string) {
	r.t.Helper()
	q := r.store.Queue(queue)
	if err := q.Create(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	for _, text := range texts {
		if err := q.Send(r.t.Context(), []byte(text), 0); err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *rig) length(queue string) int {
	n, err := r.store.Queue(queue).Length(context.Background())
	if err != nil {
		return -1
	}
	return n
}

func (r *rig) waitLength(queue string, want int) {
	r.t.Helper()
	eventually(r.t, queue+" has the wanted length", func() bool { return r.length(queue) == want })
}

// bodies receives everything on a queue, in order of text.
func (r *rig) bodies(queue string) []string {
	r.t.Helper()
	got, err := r.store.Queue(queue).Receive(r.t.Context(), 32, time.Minute)
	if err != nil {
		r.t.Fatal(err)
	}
	var out []string
	for _, m := range got {
		out = append(out, string(m.Body))
	}
	slices.Sort(out)
	return out
}

// posted is an envelope as it was received.
type posted struct {
	Data     map[string]json.RawMessage
	Metadata map[string]json.RawMessage
}

func (c call) envelope(t *testing.T) posted {
	t.Helper()
	var e posted
	if err := json.Unmarshal(c.Body, &e); err != nil {
		t.Fatalf("envelope %s: %v", c.Body, err)
	}
	return e
}

// logBook collects what the host logs.
type logBook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBook) has(parts ...string) bool {
	for line := range strings.Lines(l.String()) {
		all := true
		for _, p := range parts {
			all = all && strings.Contains(line, p)
		}
		if all {
			return true
		}
	}
	return false
}
