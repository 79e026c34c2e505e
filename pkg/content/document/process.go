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

// process is a reader that was started.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr *capped
	temp   string        // its folder
	ended  chan struct{} // closed when it has ended and its folder is gone
	err    error         // of the process, then
	served int           // documents
	expiry *time.Timer   // ends it when it has waited for too long
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

// wait cleans up behind a reader, when it ends.
func (p *process) wait() {
	p.err = p.cmd.Wait()
	_ = killGroup(p.cmd.Process) // one that crashed leaves behind what it started
	_ = os.RemoveAll(p.temp)     // and what it had there
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

// kill ends a reader. It does not wait until it has ended.
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

// ask has a document read, and gives the line that the reader answers. Without one, the reader has ended.
func (p *process) ask(ctx context.Context, head, body []byte) (line []byte, err error) {
	p.served++
	stop := context.AfterFunc(ctx, p.kill)
	defer func() {
		if !stop() { // else it might be killed while it reads the next one
			p.end()
		}
	}()
	// Of a reader that is gone, what it said at its end is worth more than that these fail.
	_, _ = p.in.Write(append(head, '\n'))
	_, _ = p.in.Write(body)
	line, err = readLine(p.out, maxAnswer)
	switch {
	case errors.Is(err, errLong):
		p.end()
	case err != nil: // it may have closed its output and go on until ctx ends
		<-p.ended
	}
	return line, err
}

// errLong says that an answer is longer than it may be.
var errLong = errors.New("long answer")

// readLine reads up to the end of a line, or the error errLong.
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

// isClean reports whether nothing of the document is left behind but the memory that it used.
func (p *process) isClean() bool {
	left, err := os.ReadDir(p.temp)
	return err == nil && len(left) == 0 && p.out.Buffered() == 0 && !p.hasEnded()
}

func startError(err error) error {
	return fault.New(fault.Unavailable, "the reader of documents does not start: %w", err)
}

// command is the command that starts a reader.
func command(temp string, memory int64) *exec.Cmd {
	cmd := exec.Command(executable(), childArgument, strconv.FormatInt(memory, 10))
	cmd.Args[0] = os.Args[0] // what an operator sees in the list of processes
	cmd.Env = environment(temp, memory)
	ownGroup(cmd)
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

// capped keeps what is written up to a bound. The buffer is not embedded: its ReadFrom would be found,
// and has no bound.
type capped struct {
	kept bytes.Buffer
	most int
}

func (c *capped) Write(b []byte) (int, error) {
	c.kept.Write(b[:min(c.most-c.kept.Len(), len(b))])
	return len(b), nil
}
