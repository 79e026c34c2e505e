package funchost

import (
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
)

// A child is one run of the handler process.
type child struct {
	port    int
	secret  string
	pid     int
	stderr  *tail
	dropped atomic.Bool   // whether the host has killed the process, so that its exit is not a crash
	exited  chan struct{} // closed once code is known
	code    int
	cmd     *exec.Cmd
}

// startChild runs the handler on a free loopback port.
func startChild(c command, log *slog.Logger) (*child, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p := &child{port: port, secret: c.secret, stderr: &tail{}, exited: make(chan struct{})}
	stdout := &lineWriter{emit: func(line string) { logLine(log, false, line) }}
	stderr := &lineWriter{emit: func(line string) {
		p.stderr.add(line)
		logLine(log, true, line)
	}}
	p.cmd = exec.Command(c.path, c.args...)
	p.cmd.Dir = c.root
	p.cmd.Env = c.childEnv(port).list()
	p.cmd.Stdout, p.cmd.Stderr = stdout, stderr
	p.cmd.SysProcAttr = ownGroup()
	// A grandchild that holds the pipes open must not block the host.
	p.cmd.WaitDelay = time.Second
	return p, p.start(func() { stdout.flush(); stderr.flush() })
}

// start runs the process from a goroutine that keeps its thread until the process ends, because Linux sends the
// parent-death signal when the forking thread dies.
func (p *child) start(flush func()) error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		if err == nil {
			p.pid = p.cmd.Process.Pid
		}
		started <- err
		if err != nil {
			return
		}
		p.code = exitCode(p.cmd.Wait())
		flush()
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return fault.New(fault.Unavailable, "start handler: %w", err)
	}
	return nil
}

// exitCode returns the code as .NET shows it: 128 + n for a signal, -1 when unknown.
func exitCode(err error) int {
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return 0
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		if n := signalOf(e.ProcessState); n > 0 {
			return 128 + n
		}
		return e.ExitCode()
	}
	return -1
}

// drop kills the process without counting a crash.
func (p *child) drop() {
	p.dropped.Store(true)
	killGroup(p.cmd.Process)
}

func (p *child) url() string { return "http://127.0.0.1:" + strconv.Itoa(p.port) }

// childEnv adds the five variables that give the handler its addresses and ids. The port and the worker's id are each
// given under two names.
func (c command) childEnv(port int) environ {
	id, portText := uuid.NewString(), strconv.Itoa(port)
	env := environ{}
	maps.Copy(env, c.env)
	env["FUNCTIONS_CUSTOMHANDLER_PORT"] = portText
	env["FUNCTIONS_HTTPWORKER_PORT"] = portText
	env["FUNCTIONS_CUSTOMHANDLER_WORKER_ID"] = id
	env["FUNCTIONS_HTTPWORKER_ID"] = id
	env["FUNCTIONS_APP_ROOT_PATH"] = c.root
	env[api.HostSecretVar] = c.secret
	return env
}

// Ports for the handler are below the ports that Linux, macOS and Windows assign to programs that ask for any port.
// Another program could bind such an assigned port between the check here and the handler's bind, and its answer
// would be mistaken for the handler's.
const (
	firstPort = 20_000
	endPort   = 32_768
)

// freePort returns a port of that range on which nothing listens.
func freePort() (port int, err error) {
	for range 20 {
		port = firstPort + rand.IntN(endPort-firstPort)
		var ln net.Listener
		if ln, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, ln.Close()
		}
	}
	return 0, fault.New(fault.Unavailable, "no port for the handler: %w", err)
}
