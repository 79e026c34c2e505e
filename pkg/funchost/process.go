package funchost

import (
	"errors"
	"log/slog"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/tidemark/tidemark/pkg/fault"
)

// child is one run of the handler process.
type child struct {
	port    int
	pid     int
	stderr  *tail
	dropped atomic.Bool   // killed by us, so its exit is no crash
	exited  chan struct{} // closed once code is known
	code    int
	cmd     *exec.Cmd
}

// startChild runs the handler on a free loopback port, or on a fixed one.
func startChild(c command, fixedPort int, console func(slog.Level, string)) (*child, error) {
	port, err := handlerPort(fixedPort)
	if err != nil {
		return nil, err
	}
	p := &child{port: port, stderr: &tail{}, exited: make(chan struct{})}
	stdout := &lineWriter{emit: func(line string) { console(consoleLevel(false, line), line) }}
	stderr := &lineWriter{emit: func(line string) {
		p.stderr.add(line)
		console(consoleLevel(true, line), line)
	}}
	p.cmd = exec.Command(c.path, c.args...)
	p.cmd.Dir = c.dir
	p.cmd.Env = c.childEnv(port).list()
	p.cmd.Stdout, p.cmd.Stderr = stdout, stderr
	p.cmd.SysProcAttr = ownGroup()
	// A grandchild that holds the pipes open must not keep the host waiting.
	p.cmd.WaitDelay = time.Second
	return p, p.start(func() { stdout.flush(); stderr.flush() })
}

// start runs the process from a goroutine that keeps its thread until the process ends: Linux
// sends the parent-death signal when the thread dies that forked.
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

// exitCode gives the code as .NET shows it; 128 + n for a signal, -1 when unknown.
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

// drop kills the process without that counting as a crash.
func (p *child) drop() {
	p.dropped.Store(true)
	killGroup(p.cmd.Process)
}

func (p *child) url() string { return "http://127.0.0.1:" + strconv.Itoa(p.port) }

// childEnv adds the five variables that tell the handler where it is, both spellings of the port
// and of the worker's id included.
func (c command) childEnv(port int) environ {
	id, portText := uuid.NewString(), strconv.Itoa(port)
	env := environ{}
	for k, v := range c.env {
		env[k] = v
	}
	env["FUNCTIONS_CUSTOMHANDLER_PORT"] = portText
	env["FUNCTIONS_HTTPWORKER_PORT"] = portText
	env["FUNCTIONS_CUSTOMHANDLER_WORKER_ID"] = id
	env["FUNCTIONS_HTTPWORKER_ID"] = id
	env["FUNCTIONS_APP_ROOT_PATH"] = c.root
	return env
}

// handlerPort finds a free loopback port, or checks that the fixed one is free.
func handlerPort(fixed int) (int, error) {
	ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(fixed)))
	if err != nil {
		return 0, fault.Field("customHandler.port", "unable to bind to port %d: %w", fixed, err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}
