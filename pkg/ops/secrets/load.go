package secrets

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// FileName is the name of the key file in the data folder.
const FileName = "secrets.key"

// Options say where the keys are.
type Options struct {
	Key string // SECRETS_KEY
	Old string // SECRETS_KEY_OLD
	// Folder is the data folder, in which the key file is. It is empty if there must be no such file.
	Folder string
	Log    *slog.Logger
}

// Load returns the keys. Whatever is wrong with the key file, Load returns keys: then [Keys.Problem] has the reason,
// and Tidemark starts without them.
func Load(o Options) *Keys {
	out := &Keys{}
	if root, err := ParseKey(o.Key); err == nil {
		out.current = newKey(root)
	}
	if o.Folder != "" {
		path := filepath.Join(o.Folder, FileName)
		root, err := readFile(path, o.Log)
		switch {
		case err == nil && out.current == nil:
			out.current = newKey(root)
		case err == nil:
			out.former = append(out.former, newKey(root))
		case !errors.Is(err, fs.ErrNotExist):
			out.problem = unusable + err.Error() // counts only without another key
			o.Log.Error("the key file for secrets cannot be used", "path", path, "err", err)
		case out.current == nil:
			out.create = func() ([]byte, error) { return makeFile(path) }
		}
	}
	if root, err := ParseKey(o.Old); err == nil {
		out.former = append(out.former, newKey(root))
	}
	return out
}

// readFile reads a key file. Others than its owner lose access to it.
func readFile(path string, log *slog.Logger) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if fi, err := os.Stat(path); err == nil && fi.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		log.Warn("others could read the key file for secrets", "path", path, "mode", fi.Mode().Perm().String())
		if err := os.Chmod(path, 0o600); err != nil {
			log.Warn("the key file for secrets stays readable by others", "path", path, "err", err)
		}
	}
	key, err := ParseKey(string(text))
	fault.Wrap(&err, "%s", path)
	return key, err
}

// makeFile makes a key file. A file that another process has made meanwhile is kept, and its key returned. The file
// appears as a whole, so that a process that dies leaves none or a good one.
func makeFile(path string) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	root := make([]byte, keySize)
	_, _ = rand.Read(root) // never fails
	f, err := os.CreateTemp(filepath.Dir(path), FileName+".*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name()) // also if it is linked
	_, err = f.Write(fileText(root))
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close(), os.Chmod(f.Name(), 0o600)); err != nil {
		return nil, err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		if err := writeNew(path, root); err != nil && !errors.Is(err, fs.ErrExist) { // some file systems have no links
			return nil, err
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseKey(string(text))
}

func fileText(root []byte) []byte { return []byte(base64.StdEncoding.EncodeToString(root) + "\n") }

// writeNew writes a key file, unless there is one.
func writeNew(path string, root []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(fileText(root))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // it has no whole key
	}
	return err
}
