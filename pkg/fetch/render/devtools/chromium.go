package devtools

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// programs are the names under which Chromium is installed, the preferred ones first.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
	"chrome-headless-shell", "headless_shell", "microsoft-edge",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}

// find returns the program of a Chromium on this machine. Errors: NotFound.
func find() (string, error) {
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fault.New(fault.NotFound, "no Chromium is installed: apt-get install chromium, or set RENDER_ENDPOINT")
}

// Lookup returns the path of a program that this process can start: that of a Chromium on this machine for "auto".
// Errors: NotFound.
func Lookup(program string) (string, error) {
	if program == "auto" {
		return find()
	}
	path, err := exec.LookPath(program)
	if cause, is := errors.AsType[*exec.Error](err); is {
		err = cause.Err
	}
	if err != nil {
		return "", fault.New(fault.NotFound, "%w", err)
	}
	return path, nil
}

// InContainer reports whether this process runs in a container, as its engine says. Chromium cannot make its sandbox in
// most of them; the container is the wall then.
func InContainer() bool {
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			return true
		}
	}
	return os.Getenv("container") != "" || os.Getenv("KUBERNETES_SERVICE_HOST") != ""
}

// CheckProgram returns why a Chromium that this process starts would not run, or nil. Errors: Blocked.
func CheckProgram(noSandbox bool) error {
	if runtime.GOOS == "windows" {
		return fault.New(fault.Blocked, "on Windows, Chromium cannot be started by Tidemark: start one with "+
			"--headless --remote-debugging-port=9222, and set RENDER_ENDPOINT=http://localhost:9222")
	}
	if os.Getuid() == 0 && !noSandbox {
		return fault.New(fault.Blocked, "Chromium has no sandbox when root starts it: start Tidemark as another user, "+
			"or in a container")
	}
	return nil
}

// flags are the arguments of a Chromium that is started. Its own traffic has Nowhere to go, and it looks up no name.
func flags(folder string, noSandbox bool) []string {
	out := []string{"--headless", "--remote-debugging-pipe", "--user-data-dir=" + folder,
		"--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-extensions", "--disable-default-apps", "--disable-breakpad", "--disable-gpu",
		"--disable-dev-shm-usage", "--disable-client-side-phishing-detection", "--disable-domain-reliability",
		"--disable-search-engine-choice-screen", "--no-pings", "--no-service-autorun", "--password-store=basic",
		"--use-mock-keychain", "--mute-audio", "--hide-scrollbars", "--metrics-recording-only",
		"--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,InterestFeedContentSuggestions," +
			"AutofillServerCommunication,CertificateTransparencyComponentUpdater",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--proxy-server=http://" + Nowhere, "--proxy-bypass-list=<-loopback>",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"}
	if noSandbox {
		out = append(out, "--no-sandbox")
	}
	return append(out, "about:blank")
}

// Nowhere is a proxy that does not answer, as a browser sees it: port 9 discards, where it is open at all.
const Nowhere = "127.0.0.1:9"

// Options say which Chromium is started, and how.
type Options struct {
	Program   string // empty means the one that [find] finds
	Folder    string // below which it keeps its files; empty means the folder for temporary files
	NoSandbox bool
}

// Process is a Chromium that runs.
type Process struct {
	cmd    *exec.Cmd
	pipe   *pipe
	folder string
	temp   string // for temporary files; the folder, unless its path is too long
	output tail
	done   chan struct{} // closed when the process has ended
}

// Start starts a Chromium in a new folder below o.Folder.
func Start(o Options) (*Process, error) {
	if err := CheckProgram(o.NoSandbox); err != nil {
		return nil, err
	}
	program := o.Program
	if program == "" {
		found, err := find()
		if err != nil {
			return nil, err
		}
		program = found
	}
	folder, err := os.MkdirTemp(o.Folder, "chromium-")
	if err != nil {
		return nil, err
	}
	p := &Process{folder: folder, temp: folder, done: make(chan struct{})}
	if len(folder) > longestTemp {
		p.temp, err = os.MkdirTemp("", tempPattern(o.Folder))
	}
	if err == nil {
		err = p.start(program, o.NoSandbox)
	}
	if err != nil {
		return nil, errors.Join(err, p.remove())
	}
	return p, nil
}

// longestTemp is the length of a folder for temporary files that Chromium can use. It opens a socket 45 bytes below,
// and the path of a socket has at most 107 bytes (sun_path, unix(7)).
const longestTemp = 60

// tempPattern is the pattern of the names of folders for temporary files that stand in for those below a folder. No
// other folder has the same, so what is left of a process that was killed can be told.
func tempPattern(folder string) string {
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	sum := sha256.Sum256([]byte(folder))
	return fmt.Sprintf("tidemark-%x-*", sum[:6])
}

// remove removes the files of the process. If it has no folder for temporary files yet, that is "".
func (p *Process) remove() error { return errors.Join(os.RemoveAll(p.folder), os.RemoveAll(p.temp)) }

func (p *Process) start(program string, noSandbox bool) error {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, theirIn.Close(), ourOut.Close())
	}
	p.cmd = exec.Command(program, flags(p.folder, noSandbox)...)
	p.cmd.ExtraFiles = []*os.File{theirIn, theirOut} // its descriptors 3 and 4
	p.cmd.Stderr = &p.output
	p.cmd.Env = environment(p.folder, p.temp)
	p.cmd.SysProcAttr = ownGroup()
	p.cmd.WaitDelay = 2 * time.Second // its children may hold stderr
	err = p.run()
	_, _ = theirIn.Close(), theirOut.Close()
	if err != nil {
		return errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	p.pipe = newPipe(ourIn, ourOut)
	return nil
}

// environment is what a Chromium is told of the environment: where programs and fonts are, and the language. Settings
// with secrets stay here.
func environment(folder, temp string) []string {
	out := []string{"HOME=" + folder, "TMPDIR=" + temp, "XDG_CONFIG_HOME=" + folder, "XDG_CACHE_HOME=" + folder}
	for _, name := range []string{"PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "FONTCONFIG_FILE",
		"FONTCONFIG_PATH"} {
		if value := os.Getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// run starts the process, and keeps the starting thread alive: on Linux the process is killed when the thread that
// started it ends.
func (p *Process) run() error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait()
			close(p.done)
		}
	}()
	return <-started
}

// Close ends the process with all its children, and removes its folder.
func (p *Process) Close() error {
	err := p.pipe.Close()
	children := family(p.cmd.Process.Pid)
	killGroup(p.cmd.Process)
	for _, pid := range children {
		kill(pid)
	}
	<-p.done
	for _, pid := range children {
		reap(pid)
	}
	for range 20 { // a child that is ending may still write
		if p.remove() == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// Sweep removes the folders of processes that were killed together with a process like this one. Only what ends just
// then may still use the folder: what it writes meanwhile is removed as well.
func Sweep(folder string) {
	for range 20 {
		left, _ := filepath.Glob(filepath.Join(folder, "chromium-*"))
		more, _ := filepath.Glob(filepath.Join(os.TempDir(), tempPattern(folder)))
		if len(left)+len(more) == 0 {
			return
		}
		for _, old := range append(left, more...) {
			_ = os.RemoveAll(old)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// tail keeps the end of what a process says.
type tail struct {
	mu  sync.Mutex
	end []byte
}

const maxTail = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, b...)
	t.end = t.end[max(0, len(t.end)-maxTail):]
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.end))
}

// Wire returns the pipe to the process.
func (p *Process) Wire() Wire { return p.pipe }

// Output returns the end of what the process has written to its standard error.
func (p *Process) Output() string { return p.output.String() }
