// Package azurite installs and runs the pinned version of Azurite, the emulator of Azure Storage for local runs and
// tests, so that nobody has to install or start it by hand.
//
// Azurite holds acknowledged writes in memory for seconds and loses them when it is killed, so it is stopped
// gracefully. It does not receive Ctrl-C of the terminal, because it has its own process group; [Server.Stop] sends
// it SIGTERM. As a last resort, it is killed when its parent dies.
package azurite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Version is the version of Azurite that works with the pinned SDK versions. Newer versions need a newer Node; older
// versions answer batches incorrectly.
const Version = "3.35.0"

// DefaultPortBase is the port that Azurite uses for blobs by default. Queues and tables have the next two ports.
const DefaultPortBase = 10000

// The well-known development account. It is the same in every emulator and not secret.
const (
	Account = "devstoreaccount1"
	key     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// startTimeout is the time limit for Azurite's first answer. A large data directory takes seconds to open.
const startTimeout = 60 * time.Second

// stopTimeout is the time that Azurite has to save its data before it is killed.
const stopTimeout = 30 * time.Second

// Options say how to run a server.
type Options struct {
	ToolDir  string    // where Azurite is or will be installed
	DataDir  string    // where Azurite keeps its data; in memory if empty
	PortBase int       // first of the ports of blobs, queues and tables; 0 for any free ports
	Log      io.Writer // output of Azurite and its installer; discarded if nil
}

// Server is a running Azurite.
type Server struct {
	Ports Ports
	cmd   *exec.Cmd
	done  chan struct{} // closed when the process has ended
	err   error         // result of the process; read after done
	stop  sync.Once
}

// Ports are the ports of the three services on 127.0.0.1.
type Ports struct{ Blob, Queue, Table int }

// Start runs Azurite, and installs it first if it is missing. It returns when all three services answer. If ctx ends
// before that, Start gives up; later, ctx has no effect on the server. Errors: Invalid, naming the setting to change,
// when a port is in use.
func Start(ctx context.Context, o Options) (*Server, error) {
	exe, err := Install(ctx, o.ToolDir, o.Log)
	if err != nil {
		return nil, err
	}
	if o.PortBase != 0 {
		return start(ctx, exe, o, Ports{o.PortBase, o.PortBase + 1, o.PortBase + 2})
	}
	// Another process may bind a port before Azurite does, so the start is retried a few times.
	for try := 0; ; try++ {
		ports, err := freePorts()
		if err != nil {
			return nil, err
		}
		s, err := start(ctx, exe, o, ports)
		if err == nil || try == 3 || !errors.Is(err, errPortTaken) {
			return s, err
		}
	}
}

var errPortTaken = errors.New("in use")

func start(ctx context.Context, exe string, o Options, ports Ports) (*Server, error) {
	for _, port := range []int{ports.Blob, ports.Queue, ports.Table} {
		if err := checkPort(port); err != nil {
			return nil, err
		}
	}
	cmd := exec.Command(exe, arguments(o.DataDir, ports)...)
	cmd.Stdout, cmd.Stderr = o.Log, o.Log
	cmd.SysProcAttr = ownGroup()
	s := &Server{Ports: ports, cmd: cmd, done: make(chan struct{})}
	if err := s.run(); err != nil {
		return nil, fault.New(fault.Unavailable, "starting azurite: %w", err)
	}
	if err := s.wait(ctx); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// arguments returns Azurite's arguments. By default Azurite closes an idle connection after 5 s. Clients keep idle
// connections for longer, and such a connection would break when it is used again.
func arguments(dataDir string, p Ports) []string {
	args := []string{"--silent", "--disableTelemetry",
		"--blobPort", strconv.Itoa(p.Blob), "--queuePort", strconv.Itoa(p.Queue), "--tablePort", strconv.Itoa(p.Table),
		"--blobKeepAliveTimeout", "300", "--queueKeepAliveTimeout", "300", "--tableKeepAliveTimeout", "300"}
	if dataDir == "" {
		return append(args, "--inMemoryPersistence")
	}
	return append(args, "--location", dataDir)
}

// run starts the process, and keeps the starting thread alive: on Linux the process is killed when the thread that
// started it ends.
func (s *Server) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := s.cmd.Start()
		started <- err
		if err == nil {
			s.err = s.cmd.Wait()
			close(s.done)
		}
	}()
	return <-started
}

// wait returns when all ports answer.
func (s *Server) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for _, port := range []int{s.Ports.Blob, s.Ports.Queue, s.Ports.Table} {
		for !answers(ctx, port) {
			select {
			case <-s.done:
				return fault.New(fault.Unavailable, "azurite ended before it answered: %v", s.err)
			case <-ctx.Done():
				return fault.New(fault.Unavailable, "azurite does not answer on port %d: %w", port, ctx.Err())
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	return nil
}

func answers(ctx context.Context, port int) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address(port))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// checkPort checks that a port is free by binding it for a moment.
func checkPort(port int) error {
	if port < 1 || port > 65535 {
		return fault.Field("AZURITE_PORT_BASE", "port %d is not 1 to 65535; set AZURITE_PORT_BASE to 1 to 65533", port)
	}
	l, err := net.Listen("tcp", address(port))
	if err != nil {
		return fault.Field("AZURITE_PORT_BASE",
			"port %d is %w; stop what uses it or set AZURITE_PORT_BASE to the first of three free ports", port, errPortTaken)
	}
	return l.Close()
}

func freePorts() (p Ports, err error) {
	for _, port := range []*int{&p.Blob, &p.Queue, &p.Table} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return p, fault.New(fault.Unavailable, "finding a free port: %w", err)
		}
		// The port stays bound until all three are found, so that they differ.
		defer l.Close()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return p, nil
}

// ConnectionString returns the connection string of the server's three services, for AzureWebJobsStorage.
func (s *Server) ConnectionString() string { return s.Ports.ConnectionString() }

// ConnectionString returns the connection string of an Azurite on these ports.
func (p Ports) ConnectionString() string {
	endpoint := func(port int) string { return "http://" + address(port) + "/" + Account }
	return fmt.Sprintf("DefaultEndpointsProtocol=http;AccountName=%s;AccountKey=%s;"+
		"BlobEndpoint=%s;QueueEndpoint=%s;TableEndpoint=%s;",
		Account, key, endpoint(p.Blob), endpoint(p.Queue), endpoint(p.Table))
}

// Done returns a channel that is closed when the process has ended, after [Server.Stop] or by itself.
func (s *Server) Done() <-chan struct{} { return s.done }

// Stop asks the server to save its data and end. If the server has not ended after 30 s, Stop kills it. Stop may be
// called repeatedly.
func (s *Server) Stop() {
	s.stop.Do(func() {
		terminate(s.cmd.Process)
		select {
		case <-s.done:
		case <-time.After(stopTimeout):
			s.cmd.Process.Kill()
			<-s.done
		}
	})
}

// Install ensures that Azurite is in toolDir, and returns the path of its executable. If Azurite is missing, Install
// downloads it with npm; concurrent processes wait for the first one. The output of npm goes to log, which may be
// nil. Errors: Invalid without Node or npm.
func Install(ctx context.Context, toolDir string, log io.Writer) (exe string, err error) {
	defer fault.Wrap(&err, "installing azurite %s", Version)
	home, err := filepath.Abs(filepath.Join(toolDir, "azurite-"+Version))
	if err != nil {
		return "", err
	}
	exe = executable(home)
	if _, err := exec.LookPath("node"); err != nil {
		return "", fault.New(fault.Invalid, "node is not on the PATH; install Node.js 20 or newer")
	}
	if _, err := os.Stat(exe); err == nil {
		return exe, nil
	}
	if err := os.MkdirAll(toolDir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(ctx, home+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(exe); err == nil {
		return exe, nil // another process has installed Azurite in the meantime
	}
	return exe, npmInstall(ctx, home, log)
}

// IsInstalled reports whether Azurite is in toolDir.
func IsInstalled(toolDir string) bool {
	_, err := os.Stat(executable(filepath.Join(toolDir, "azurite-"+Version)))
	return err == nil
}

func executable(home string) string {
	exe := filepath.Join(home, "node_modules", ".bin", "azurite")
	if runtime.GOOS == "windows" {
		exe += ".cmd"
	}
	return exe
}

// npmInstall installs into a folder next to home and then renames the folder, so that home is never half installed.
func npmInstall(ctx context.Context, home string, log io.Writer) error {
	npm, err := exec.LookPath("npm")
	if err != nil {
		return fault.New(fault.Invalid, "npm is not on the PATH; install Node.js 20 or newer with npm")
	}
	temp, err := os.MkdirTemp(filepath.Dir(home), "azurite-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	var printed bytes.Buffer
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", temp, "azurite@"+Version, "--no-audit", "--no-fund")
	cmd.Stdout, cmd.Stderr = tee(&printed, log), tee(&printed, log)
	cmd.WaitDelay = 5 * time.Second // npm may leave children that keep the pipes
	if err := cmd.Run(); err != nil {
		return fault.New(fault.Unavailable, "npm: %w: %s", err, tail(printed.Bytes()))
	}
	// A home without the executable is left over from something else, and would make the rename fail.
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	return os.Rename(temp, home)
}

func tee(w io.Writer, log io.Writer) io.Writer {
	if log == nil {
		return w
	}
	return io.MultiWriter(w, log)
}

// tail returns the end of npm's output, where the error is.
func tail(b []byte) []byte {
	b = bytes.TrimSpace(b)
	return b[max(0, len(b)-500):]
}
