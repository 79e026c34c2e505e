package document

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// process is a running reader.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *capped
	temp   string        // its folder
	ended  chan struct{} // closed when the process has ended and its folder is removed
	err    error         // of the process, once it has ended
	served int           // number of documents
	expiry *time.Timer   // ends it after it has been idle for too long
}

// start starts a reader.
func start(memory int64) (*process, error) {
	temp, err := os.MkdirTemp("", "tidemark-document-")
	if err != nil {
		return nil, startError(err)
	}
	p := &process{cmd: command(temp, memory), stderr: &capped{most: 4 << 10}, temp: temp, ended: make(chan struct{})}
	p.cmd.Stderr = p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.out = bufio.NewReaderSize(out, 64<<10)
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		_ = os.RemoveAll(temp)
		return nil, startError(err)
	}
	go p.wait()
	return p, nil
}

// wait cleans up after a reader, when it ends.
func (p *process) wait() {
	p.err = p.cmd.Wait()
	_ = killGroup(p.cmd.Process) // a crashed reader leaves its child processes behind
	_ = os.RemoveAll(p.temp)     // and its files
	close(p.ended)
}

// hasEnded reports whether a reader has ended.
func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// kill kills a reader. It does not wait until the process has ended.
func (p *process) kill() {
	if !p.hasEnded() {
		_ = killGroup(p.cmd.Process)
	}
}

// end ends a reader.
func (p *process) end() {
	p.kill()
	<-p.ended
}

// ask sends a document to a reader and returns the line of its answer. On error, the reader has ended.
func (p *process) ask(ctx context.Context, head, body []byte) (line []byte, err error) {
	p.served++
	stop := context.AfterFunc(ctx, p.kill)
	defer func() {
		if !stop() { // else it might be killed while it reads the next document
			p.end()
		}
	}()
	// Errors are ignored: if the reader is gone, its last output says more.
	_, _ = p.in.Write(append(head, '\n'))
	_, _ = p.in.Write(body)
	line, err = readLine(p.out, maxAnswer)
	switch {
	case errors.Is(err, errLong):
		p.end()
	case err != nil: // it may have closed its output but run until ctx ends
		<-p.ended
	}
	return line, err
}

// errLong reports an answer that exceeds its bound.
var errLong = errors.New("long answer")

// readLine reads up to the end of a line. Errors: errLong for a line of more than most bytes.
func readLine(r *bufio.Reader, most int) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most {
			return nil, errLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// isClean reports whether the document left nothing behind but the memory that it used.
func (p *process) isClean() bool {
	left, err := os.ReadDir(p.temp)
	return err == nil && len(left) == 0 && p.out.Buffered() == 0 && !p.hasEnded()
}

func startError(err error) error {
	return fault.New(fault.Unavailable, "the reader of documents does not start: %w", err)
}

// command returns the command that starts a reader.
func command(temp string, memory int64) *exec.Cmd {
	cmd := exec.Command(executable(), childArgument, strconv.FormatInt(memory, 10))
	cmd.Args[0] = os.Args[0] // shown in the list of processes
	cmd.Env = environment(temp, memory)
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second // for pipes that a child process might hold
	return cmd
}

// executable returns the path of this program. On Linux, the link leads to the running program even if the file was
// replaced in the meantime; the new program might use another protocol.
func executable() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, _ := os.Executable() // starting "" fails
	return path
}

// environment returns everything that a reader inherits. One thread is enough for one document. The garbage collector
// works harder from four fifths of the memory on.
func environment(temp string, memory int64) []string {
	return []string{
		"GOMAXPROCS=1", fmt.Sprintf("GOMEMLIMIT=%d", memory/5*4), "GOTRACEBACK=none", "TMPDIR=" + temp, "TMP=" + temp,
		"TEMP=" + temp,
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), // required to start a process on Windows
	}
}

// capped keeps written data up to a bound. The buffer is not embedded, because its ReadFrom method would be used, and
// has no bound.
type capped struct {
	kept bytes.Buffer
	most int
}

func (c *capped) Write(b []byte) (int, error) {
	c.kept.Write(b[:min(c.most-c.kept.Len(), len(b))])
	return len(b), nil
}
