package document

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
)

// errSlow is why a reader was killed that took too long.
var errSlow = errors.New("too slow")

// read reads a document in a process of its own.
func (r *Reader) read(ctx context.Context, req request, body []byte) (extract.Document, error) {
	temp, err := os.MkdirTemp("", "tidemark-document-")
	if err != nil {
		return extract.Document{}, startError(err)
	}
	defer os.RemoveAll(temp) // a killed reader leaves what it had there
	head, err := json.Marshal(req)
	if err != nil { // Unreachable: strings and numbers always can be.
		return extract.Document{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, r.timeout, errSlow)
	defer cancel()
	cmd := command(limited, temp, r.memory)
	cmd.Stdin = io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(body))
	stdout, stderr := &capped{most: maxAnswer, full: cancel}, &capped{most: 4 << 10, full: func() {}}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		return extract.Document{}, startError(err)
	}
	err = cmd.Wait()
	_ = killGroup(cmd.Process) // one that crashed leaves behind what it started
	if ctx.Err() != nil {
		return extract.Document{}, ctx.Err()
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	o := outcome{err: err, stdout: stdout, stderr: stderr.kept.String(), timeout: r.timeout, memory: r.memory}
	o.slow = context.Cause(limited) == errSlow || used >= r.timeout
	return o.document()
}

func startError(err error) error {
	return fault.New(fault.Unavailable, "the reader of documents does not start: %w", err)
}

// command is the command that starts a reader.
func command(ctx context.Context, temp string, memory int64) *exec.Cmd {
	cmd := exec.CommandContext(ctx, executable(), childArgument, strconv.FormatInt(memory, 10))
	cmd.Args[0] = os.Args[0] // what an operator sees in the list of processes
	cmd.Env = environment(temp, memory)
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd.Process) }
	cmd.WaitDelay = 5 * time.Second // for pipes that something it started might hold
	return cmd
}

// executable is this program. On Linux the link also leads to one that was replaced meanwhile,
// whose successor might speak another protocol.
func executable() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, _ := os.Executable() // starting "" fails
	return path
}

// environment is all that a reader inherits. One thread is enough for one document. The collector
// begins to work harder at four fifths of the memory.
func environment(temp string, memory int64) []string {
	return []string{
		"GOMAXPROCS=1", fmt.Sprintf("GOMEMLIMIT=%d", memory/5*4), "GOTRACEBACK=none", "TMPDIR=" + temp, "TMP=" + temp,
		"TEMP=" + temp,
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), // Windows starts nothing without
	}
}

// outcome is how a reader ended.
type outcome struct {
	err     error // of the process
	slow    bool
	timeout time.Duration
	memory  int64
	stdout  *capped
	stderr  string
}

// document is what the reader answered, or why it could not.
func (o outcome) document() (extract.Document, error) {
	switch {
	case o.stdout.overflowed:
		return extract.Document{}, fault.New(fault.TooLarge, "the document gives more than %d MB of text",
			maxAnswer/1_000_000)
	case o.err != nil && o.slow:
		return extract.Document{}, fault.New(fault.TooLarge, "the document takes longer than %s to read", o.timeout)
	case o.err != nil && outOfMemory(o.stderr):
		return extract.Document{}, fault.New(fault.TooLarge, "the document needs more than %d MiB of memory to read",
			o.memory>>20)
	case o.err != nil:
		return extract.Document{}, fault.New(fault.Invalid, "the document crashes its reader: %s", o.reason())
	}
	var a answer
	if err := json.Unmarshal(o.stdout.kept.Bytes(), &a); err != nil || a.Document == nil && a.Error == "" {
		return extract.Document{}, fault.New(fault.Invalid, "the document crashes its reader: its answer is garbled")
	}
	if a.Document == nil {
		return extract.Document{}, fault.New(a.Kind, "%s", a.Error)
	}
	return *a.Document, nil
}

// outOfMemory recognizes what the Go runtime prints before it gives up.
func outOfMemory(stderr string) bool {
	return strings.Contains(stderr, "out of memory") || strings.Contains(stderr, "cannot allocate memory")
}

// reason is the first line of what a reader said when it ended, or else how it ended.
func (o outcome) reason() string {
	line, _, _ := strings.Cut(strings.TrimSpace(o.stderr), "\n")
	if line = extract.Fold(line); line == "" {
		line = o.err.Error()
	}
	return line[:min(len(line), 200)]
}

// capped keeps what is written up to a bound. What comes then calls full, once, and is lost. The
// buffer is not embedded: its ReadFrom would be found, and has no bound.
type capped struct {
	kept       bytes.Buffer
	most       int
	full       func()
	overflowed bool
}

func (c *capped) Write(b []byte) (int, error) {
	room := c.most - c.kept.Len()
	c.kept.Write(b[:min(room, len(b))])
	if len(b) > room && !c.overflowed {
		c.overflowed = true
		c.full()
	}
	return len(b), nil
}
