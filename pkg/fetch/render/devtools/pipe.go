package devtools

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
)

// pipe speaks with a browser that was started with --remote-debugging-pipe: messages end with a NUL byte.
type pipe struct {
	in  *bufio.Reader
	r   *os.File
	w   *os.File
	max int
}

func newPipe(r, w *os.File) *pipe {
	return &pipe{in: bufio.NewReaderSize(r, 1<<20), r: r, w: w, max: maxMessage}
}

// Send implements Wire.
func (p *pipe) Send(message []byte) error {
	_, err := p.w.Write(append(message, 0))
	return err
}

// Receive implements Wire.
func (p *pipe) Receive() ([]byte, error) {
	var out bytes.Buffer
	tooLarge := false
	for {
		part, err := p.in.ReadSlice(0)
		if !tooLarge {
			out.Write(part)
		}
		if tooLarge = tooLarge || out.Len() > p.max; tooLarge {
			out = bytes.Buffer{}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == io.EOF:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case tooLarge:
			return nil, errOversize
		default:
			return bytes.TrimSuffix(out.Bytes(), []byte{0}), nil
		}
	}
}

// Close implements Wire. A browser ends when its pipe is closed.
func (p *pipe) Close() error { return errors.Join(p.w.Close(), p.r.Close()) }
