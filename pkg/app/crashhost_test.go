package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/local/funchost"
)

// crashHostEnv makes this test's executable a host of the app in the folder that it names.
const crashHostEnv = "APP_TEST_HOST_OF"

// runCrashHost runs the app as `tidemark start` does, with the settings of the environment, until it is killed. It
// logs to stdout, including the handler's lines.
func runCrashHost(dir string) {
	go func() { // if the test dies, nothing else would end this process
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	log := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	if err := serveCrashHost(dir, log); err != nil {
		log.Error("host", "err", err)
		os.Exit(1)
	}
}

func serveCrashHost(dir string, log *slog.Logger) error {
	store, err := OpenStore(os.Getenv, log)
	if err != nil {
		return err
	}
	h, err := funchost.New(funchost.Options{
		AppDir: dir, Addr: "127.0.0.1:0", Store: store, Log: log, MaxPoll: 100 * time.Millisecond,
		Visibility: 5 * time.Second, // so that messages of killed handlers reappear during the test
	})
	if err != nil {
		return err
	}
	go func() {
		<-h.Ready()
		log.Info("ready", "addr", h.Addr())
	}()
	return h.Run(context.Background())
}

// crashTree is a running host with its handler, as processes.
type crashTree struct {
	cmd   *exec.Cmd
	stdin io.Closer
	ready chan string // the host's address
	ended chan struct{}

	mu       sync.Mutex
	handlers []handlerProcess
	lines    bytes.Buffer
}

type handlerProcess struct{ pid, port int }

func startTree(t *testing.T, dir string, environ []string) *crashTree {
	t.Helper()
	p := &crashTree{cmd: exec.Command(os.Args[0]), ready: make(chan string, 1), ended: make(chan struct{})}
	p.cmd.Env = append(environ, crashHostEnv+"="+dir)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdin = stdin
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = p.cmd.Stdout
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go p.listen(out)
	t.Cleanup(func() {
		p.kill(t)
		if t.Failed() {
			all := p.lines.Bytes()
			t.Logf("host's log:\n%s", all[max(0, len(all)-10_000):])
		}
	})
	return p
}

// listen reads the output of the host until the host ends.
func (p *crashTree) listen(out io.Reader) {
	defer close(p.ended)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var said struct {
			Msg, Addr string
			Pid, Port int
		}
		_ = json.Unmarshal(lines.Bytes(), &said) // the lines of a panic are only collected
		p.mu.Lock()
		p.lines.Write(append(lines.Bytes(), '\n'))
		switch said.Msg {
		case "handler started":
			p.handlers = append(p.handlers, handlerProcess{said.Pid, said.Port})
		case "ready":
			p.ready <- said.Addr
		}
		p.mu.Unlock()
	}
}

// kill kills the host and its handler without notice, and returns when both have ended.
func (p *crashTree) kill(t *testing.T) {
	t.Helper()
	if p.cmd.ProcessState != nil {
		return
	}
	p.mu.Lock()
	handlers := p.handlers
	p.mu.Unlock()
	for _, pid := range append([]int{p.cmd.Process.Pid}, pids(handlers)...) {
		_ = syscall.Kill(-pid, syscall.SIGKILL) // an error means that it has ended
	}
	<-p.ended
	_ = p.cmd.Wait() // always an error: it was killed
	_ = p.stdin.Close()
	for _, h := range p.handlers { // the output may have named one more
		awaitSilence(t, h.port)
	}
}

func pids(handlers []handlerProcess) (out []int) {
	for _, h := range handlers {
		out = append(out, h.pid)
	}
	return out
}

// awaitSilence returns when nothing listens on a port. The process has ended then, though its exit code may not have
// been collected.
func awaitSilence(t *testing.T, port int) {
	t.Helper()
	for range 6000 {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return
		}
		_ = conn.Close()
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the handler outlives its host")
}
