package file

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// unsettled is how old a modification time must be to prove that there was no later write. File systems store times
// in steps. FAT has steps of two seconds.
const unsettled = 2 * time.Second

// root is the folder with the files of this machine.
type root struct {
	name string // the name of the setting that supplies the folder
	dir  string // the path in the form for opening; empty if there is no root
	path string // the path in the form of a Location, without a slash at its end
}

func newRoot(name, dir string) (root, error) {
	if dir == "" {
		return root{name: name}, nil
	}
	if !filepath.IsAbs(dir) {
		return root{}, fault.Field(name, "want an absolute path")
	}
	dir = filepath.Clean(dir)
	return root{name: name, dir: dir, path: rootPath(dir)}, nil
}

// rootPath returns a folder in the form of a Location, without a slash at its end.
func rootPath(dir string) string {
	return strings.TrimRight(filepath.ToSlash(filepath.Clean(dir)), "/")
}

// relative returns the part of a location's path that is below the root; "." for the root itself.
func (r root) relative(p Location) (string, error) {
	switch {
	case r.dir == "":
		return "", fault.New(fault.Blocked, "files of this machine cannot be read: %s, the folder that may be read, "+
			"is not set", r.name)
	case p.windows != (runtime.GOOS == "windows"):
		return "", fault.New(fault.Blocked, "the path is for another operating system")
	}
	if rest, ok := below(r.path, p.name, p.windows); ok {
		return rest, nil
	}
	if p.name == r.path || p.windows && strings.EqualFold(p.name, r.path) {
		return ".", nil
	}
	return "", fault.New(fault.Blocked, "the path is not below %s, the one folder that may be read", r.name)
}

// below returns the part of a path below a folder, and reports whether the path is in that folder. It compares only
// text, because only the kernel knows where links lead.
func below(folder, path string, fold bool) (string, bool) {
	if len(path) <= len(folder) || path[len(folder)] != '/' {
		return "", false
	}
	head := path[:len(folder)]
	return path[len(folder)+1:], head == folder || fold && strings.EqualFold(head, folder)
}

// openLocal opens a file below the root.
func (c *Client) openLocal(r Request) (stream, error) {
	f, fi, err := c.openFile(r)
	if err != nil {
		return stream{}, err
	}
	s := stream{Info: c.localInfo(fi), failure: localFailure}
	if s.Same(r.Known) {
		return s, f.Close()
	}
	s.body = f
	s.unchanged = func(context.Context) error {
		now, err := f.Stat()
		if err == nil && (now.Size() != fi.Size() || !now.ModTime().Equal(fi.ModTime())) {
			err = errChanged
		}
		return localFailure(err)
	}
	return s, nil
}

// openFile opens a file below the root, or in the folder whose listing has named it.
func (c *Client) openFile(r Request) (*os.File, fs.FileInfo, error) {
	if r.Folder != (Location{}) {
		return c.openListed(r)
	}
	dir, rel, err := c.openRoot(r.Location)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	return openRegular(dir, rel)
}

// openRegular opens a file only if it is a regular file. It checks this before opening, because opening a device may
// have effects, and again after opening, because the name may denote another file by then. It opens without blocking,
// because opening a pipe would wait for the pipe's writer.
func openRegular(dir *os.Root, name string) (*os.File, fs.FileInfo, error) {
	fi, err := dir.Stat(name)
	if err != nil || !fi.Mode().IsRegular() {
		return nil, nil, refusal(fi, err)
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, nil, localFailure(err)
	}
	if fi, err = f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil, nil, errors.Join(refusal(fi, err), f.Close())
	}
	return f, fi, nil
}

func refusal(fi fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return localFailure(err)
	case fi.IsDir():
		return fault.New(fault.Blocked, "it is a folder")
	}
	return fault.New(fault.Blocked, "it is not a regular file but %s", fi.Mode().Type())
}

func (c *Client) localInfo(fi fs.FileInfo) Info {
	age := c.cfg.Now().Sub(fi.ModTime())
	return Info{LastModified: fi.ModTime().UTC(), Recent: age.Abs() < unsettled, Length: fi.Size()}
}

// localFailure gives an error of the file system its kind of package fault. It omits the path, because the user knows
// the path, and the root concerns only the operator.
func localFailure(err error) error {
	var errno syscall.Errno
	switch {
	case err == nil || errors.Is(err, errChanged):
		return err
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return fault.New(fault.NotFound, "there is no such file")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return fault.New(fault.Invalid, "the path is too long for this machine")
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Blocked, "this process may not read it")
	case errors.As(err, &errno) && errno != syscall.ELOOP:
		return fault.New(fault.Unavailable, "%w", errno)
	}
	// The remaining error is that of os.Root for a path that leads out of the root. It is not exported.
	return fault.New(fault.Blocked, "a symbolic link leads in circles or out of the folder that may be read")
}

// bare removes the path from an error of package os.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
