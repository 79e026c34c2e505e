package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"strings"
)

// maxLineBytes limits the length of a line in a list. The server's own limits on URLs are stricter.
const maxLineBytes = 16 << 10

// An entry is one source of a list. Its line is 0 if it comes from the command line.
type entry struct {
	source  string
	line    int
	tooLong bool // the line was longer than maxLineBytes; source is its beginning
}

// entries reads a list with one source on a line. It skips empty lines, lines that begin with #, and everything after
// a # that follows a space. A line of any length needs no more memory than maxLineBytes.
func entries(r io.Reader) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		br := bufio.NewReaderSize(r, maxLineBytes)
		for line := 1; ; line++ {
			text, tooLong, err := readLine(br)
			if line == 1 {
				text = strings.TrimPrefix(text, "\ufeff")
			}
			if text = withoutComment(text); text != "" && !yield(entry{text, line, tooLong}, nil) {
				return
			}
			if err == nil {
				continue
			}
			if err != io.EOF {
				yield(entry{line: line}, err)
			}
			return
		}
	}
}

// readLine reads to the end of a line and returns at most one buffer of it.
func readLine(br *bufio.Reader) (text string, tooLong bool, err error) {
	b, err := br.ReadSlice('\n')
	text = string(bytes.TrimRight(b, "\r\n"))
	for errors.Is(err, bufio.ErrBufferFull) {
		tooLong = true
		_, err = br.ReadSlice('\n')
	}
	return text, tooLong, err
}

func withoutComment(text string) string {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "#") {
		return ""
	}
	if i := strings.IndexAny(text, " \t"); i >= 0 && strings.HasPrefix(strings.TrimSpace(text[i:]), "#") {
		return text[:i]
	}
	return text
}

// named lists the sources from the command line.
func named(args []string) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		for _, a := range args {
			if !yield(entry{source: a}, nil) {
				return
			}
		}
	}
}

// batches groups a list by size. An error of the list comes last, after the sources that were read before it.
func batches(list iter.Seq2[entry, error], size int) iter.Seq2[[]entry, error] {
	return func(yield func([]entry, error) bool) {
		var batch []entry
		for e, err := range list {
			if err != nil {
				if len(batch) == 0 || yield(batch, nil) {
					yield(nil, err)
				}
				return
			}
			if batch = append(batch, e); len(batch) == size {
				if !yield(batch, nil) {
					return
				}
				batch = nil
			}
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}
