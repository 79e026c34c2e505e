package transfer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/storage"
)

const (
	manifestName   = "manifest.json"
	checkpointName = "import.checkpoint"
	format         = "tidemark-state"
	version        = 1

	// maxLine limits the length of a line. A line may be longer than [storage.MaxEntityBytes]: a character that
	// counts as two bytes there may take six bytes here (\u003c for <), and the line also contains the types of the
	// columns.
	maxLine = 4 * storage.MaxEntityBytes
	// maxManifest limits the size of the manifest and of the checkpoint.
	maxManifest = 1 << 20
)

// manifest describes the contents of a folder.
type manifest struct {
	Format     string     `json:"format"`
	Version    int        `json:"version"`
	Tables     []contents `json:"tables"`
	Containers []contents `json:"containers"`
}

// contents describes a file of lines.
type contents struct {
	Name   string `json:"name"`  // name of the table or container
	Lines  int    `json:"lines"` // number of rows or blobs
	Bytes  int64  `json:"bytes"` // size of the file
	SHA256 string `json:"sha256"`
}

func tableFile(name string) string { return "tables/" + name + ".jsonl" }

func containerFile(name string) string { return "blobs/" + name + ".jsonl" }

// bodyFile returns the path of a blob's bytes.
func bodyFile(container, blob string) string {
	digest := digestOf([]byte(blob))
	return "blobs/" + container + "/" + digest[:2] + "/" + digest
}

// readManifest returns the manifest and its digest. Errors: NotFound if there is no manifest.
func readManifest(dir string) (m manifest, digest string, err error) {
	b, err := readBounded(filepath.Join(dir, manifestName), maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return m, "", fault.New(fault.NotFound, "%s has no %s: it holds no finished export", dir, manifestName)
	}
	if err != nil {
		return m, "", err
	}
	if err := strictJSON(b, &m); err != nil {
		return m, "", fmt.Errorf("%s: %w", manifestName, err)
	}
	if m.Format != format || m.Version != version {
		return m, "", fault.New(fault.Invalid, "%s: format %q version %d, not %q version %d",
			manifestName, m.Format, m.Version, format, version)
	}
	return m, digestOf(b), nil
}

// fits returns an error if the folder has other tables or containers than the plan.
func (m manifest) fits(p Plan) error {
	for _, pair := range []struct {
		what       string
		have, want []string
	}{{"tables", namesOf(m.Tables), p.Tables}, {"containers", namesOf(m.Containers), p.Containers}} {
		if !slices.Equal(pair.have, pair.want) {
			return fault.New(fault.Invalid, "%s: the folder has the %s %q, this app has %q", manifestName, pair.what, pair.have,
				pair.want)
		}
	}
	return nil
}

func namesOf(list []contents) []string {
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// lineWriter writes a file of lines. The file gets its name when it is complete.
type lineWriter struct {
	path string
	file *os.File
	buf  *bufio.Writer
	hash hash.Hash
	contents
}

func newLines(dir, name, file string) (*lineWriter, error) {
	path := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(path + ".part")
	if err != nil {
		return nil, err
	}
	return &lineWriter{path: path, file: f, buf: bufio.NewWriterSize(f, 64<<10), hash: sha256.New(),
		contents: contents{Name: name}}, nil
}

func (w *lineWriter) add(line []byte) error {
	line = append(line, '\n')
	w.hash.Write(line) // never fails
	w.Lines++
	w.Bytes += int64(len(line))
	_, err := w.buf.Write(line)
	return err
}

// finish gives the file its name and makes it durable.
func (w *lineWriter) finish() (contents, error) {
	w.SHA256 = hex.EncodeToString(w.hash.Sum(nil))
	if err := errors.Join(w.buf.Flush(), w.file.Sync(), w.file.Close()); err != nil {
		return contents{}, err
	}
	return w.contents, os.Rename(w.path+".part", w.path)
}

// drop closes an unfinished file. After finish, it does nothing.
func (w *lineWriter) drop() { w.file.Close() }

// lines yields the lines of a file with their numbers, starting at 1. Its errors name the file and the line.
func lines(dir, file string) iter.Seq2[int, lineOr] {
	return func(yield func(int, lineOr) bool) {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(file)))
		if err != nil {
			yield(0, lineOr{err: missing(file, err)})
			return
		}
		defer f.Close()
		s := bufio.NewScanner(f)
		s.Buffer(make([]byte, 0, 64<<10), maxLine)
		s.Split(wholeLines)
		n := 0
		for s.Scan() {
			if n++; !yield(n, lineOr{text: s.Bytes()}) {
				return
			}
		}
		if err := s.Err(); err != nil {
			yield(n+1, lineOr{err: fault.New(fault.Invalid, "%s:%d: %w", file, n+1, err)})
		}
	}
}

// lineOr is a line or an error. The line is valid until the next line is read.
type lineOr struct {
	text []byte
	err  error
}

var errCutOff = errors.New("the file ends within a line")

// wholeLines is a bufio.SplitFunc that removes only the newline of a line.
func wholeLines(data []byte, atEOF bool) (int, []byte, error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF && len(data) > 0 {
		return 0, nil, errCutOff
	}
	return 0, nil, nil
}

// writeWhole writes a file completely or not at all, and makes it durable.
func writeWhole(path string, body []byte) error {
	return write(path, body, (*os.File).Sync)
}

// writeNote writes a file that readers check. Its loss or damage costs only time.
func writeNote(path string, body []byte) error {
	return write(path, body, func(*os.File) error { return nil })
}

func write(path string, body []byte, sync func(*os.File) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	if err := errors.Join(err, sync(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// indented returns v as indented JSON for people to read. It cannot fail, because callers pass only types that can
// always be encoded.
func indented(v any) []byte {
	b, _ := json.MarshalIndent(v, "", "  ")
	return append(b, '\n')
}

// readBounded reads a file of at most max bytes. It returns TooLarge for a larger file.
func readBounded(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(b)) > max {
		err = fault.New(fault.TooLarge, "%s is larger than %d bytes", path, max)
	}
	return b, err
}

// missing converts the error for a missing file to Invalid.
func missing(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(fault.Invalid, "%s is missing", file)
	}
	return err
}
