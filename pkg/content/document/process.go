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
	temp   string        // the reader's folder for temporary files
	ended  chan struct{} // closed when the process has ended and its folder is removed
	err    error         // error of the process, once it has ended
	served int           // number of documents sent to the reader
	expiry *time.Timer   // ends the reader after it has been idle for too long
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

// wait waits for the end of a reader and cleans up after it.
func (p *process) wait() {
	p.err = p.cmd.Wait()
	_ = killGroup(p.cmd.Process) // a crashed reader leaves its child processes behind
	_ = os.RemoveAll(p.temp)     // a crashed reader leaves its files behind
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

// end kills a reader and waits until it has ended.
func (p *process) end() {
	p.kill()
	<-p.ended
}

// ask sends a document to a reader and returns the answer, which is one line. If ask returns an error, the reader has
// ended.
func (p *process) ask(ctx context.Context, head, body []byte) (line []byte, err error) {
	p.served++
	stop := context.AfterFunc(ctx, p.kill)
	defer func() {
		if !stop() { // the kill has begun and might interrupt the next document
			p.end()
		}
	}()
	// Write errors are ignored: if the reader is gone, its last output explains more.
	_, _ = p.in.Write(append(head, '\n'))
	_, _ = p.in.Write(body)
	line, err = readLine(p.out, maxAnswer)
	switch {
	case errors.Is(err, errLong):
		p.end()
	case err != nil: // a reader that closed its output may run until ctx ends
		<-p.ended
	}
	return line, err
}

// errLong reports that an answer exceeds its bound.
var errLong = errors.New("long answer")

// readLine reads up to the end of a line. Errors: errLong if the line is longer than the given number of bytes.
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

// isClean reports whether the last document left nothing in the reader except used memory.
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
	cmd.Args[0] = os.Args[0] // the name shown in the list of processes
	cmd.Env = environment(temp, memory)
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second // a child process of the reader might hold the pipes open
	return cmd
}

// executable returns the path of this program. On Linux, the path is a link to the running program. The link stays
// valid when the file on disk is replaced, by a program that might use another protocol.
func executable() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, _ := os.Executable() // on error the path is "", which fails to start
	return path
}

// environment returns all environment variables of a reader. One thread is enough for one document. Once four fifths
// of the memory are in use, the garbage collector works harder.
func environment(temp string, memory int64) []string {
	return []string{
		"GOMAXPROCS=1", fmt.Sprintf("GOMEMLIMIT=%d", memory/5*4), "GOTRACEBACK=none", "TMPDIR=" + temp, "TMP=" + temp,
		"TEMP=" + temp,
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), // required to start a process on Windows
	}
}

// capped keeps written data up to a bound. The buffer is not embedded, because callers would then use its ReadFrom
// method, which has no bound.
type capped struct {
	kept bytes.Buffer
	most int
}

func (c *capped) Write(b []byte) (int, error) {
	c.kept.Write(b[:min(c.most-c.kept.Len(), len(b))])
	return len(b), nil
}
