package file

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// The reasons for which [Client.Walk] passes over a name.
var (
	ErrLink    = errors.New("symbolic links, which are not followed")
	ErrSpecial = errors.New("pipes, sockets or devices")
	ErrName    = errors.New("names that cannot be stored: not UTF-8, with control characters or too long")
	ErrDenied  = errors.New("folders that this process may not read")
)

const (
	// maxNames limits the names of one folder, and the folders that wait to be read: it bounds the memory of a walk.
	maxNames = 200_000
	// maxWalked limits the names that a walk examines, wanted or not: it bounds the time of a walk.
	maxWalked = 2_000_000
)

var (
	errTooManyNames = fault.New(fault.TooLarge, "the folder has more than %d names in one place, too many to be listed; "+
		"leave folders out, or add smaller ones", maxNames)
	errTooLong = fault.New(fault.TooLarge, "the folder has more than %d names, too many to be listed; leave folders "+
		"out, or add smaller ones", maxWalked)
)

// Want returns why a walk passes over a file or folder of the given path below the walked folder; nil if it does not.
// What it says of a folder holds for all that is in it.
type Want func(path string, isFolder bool) error

// IsFolder reports whether a location is a folder below FILE_ROOT, or FILE_ROOT itself. Errors as of [Client.Get].
func (c *Client) IsFolder(p Location) (is bool, err error) {
	defer fault.Wrap(&err, "read %s", p)
	dir, rel, err := c.openRoot(p)
	if err != nil {
		return false, err
	}
	defer dir.Close()
	fi, err := dir.Stat(rel)
	if err != nil {
		return false, localFailure(err)
	}
	return fi.IsDir(), nil
}

// openRoot opens FILE_ROOT, and returns the path of a location below it; "." for FILE_ROOT itself.
func (c *Client) openRoot(p Location) (dir *os.Root, rel string, err error) {
	if rel, err = c.root.relative(p); err != nil {
		return nil, "", err
	}
	if dir, err = os.OpenRoot(c.root.dir); err != nil {
		return nil, "", fault.New(fault.Unavailable, "%s cannot be opened: %w", c.root.name, bare(err))
	}
	return dir, filepath.FromSlash(rel), nil
}

// openFolder opens a folder below FILE_ROOT. Nothing that is read through the result can be outside of the folder.
func (c *Client) openFolder(p Location) (*os.Root, error) {
	dir, rel, err := c.openRoot(p)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if fi, err := dir.Stat(rel); err == nil && !fi.IsDir() {
		return nil, fault.New(fault.NotFound, "it is not a folder")
	}
	folder, err := dir.OpenRoot(rel)
	if err != nil {
		return nil, localFailure(err)
	}
	return folder, nil
}

// Walk yields the files in a folder of this machine and in the folders below it, in an order that depends only on
// their names. Each entry has the properties that [Client.Get] would return. What is passed over is an entry with
// Refused set: what is not wanted, symbolic links, what is no regular file, and names that cannot be stored. Walk opens
// folders only. Whatever happens to the folder meanwhile, Walk does not leave it. A name that is gone before it is
// examined is left out. Walk stops at the first error; the files after it are then unknown.
func (c *Client) Walk(ctx context.Context, folder Location, want Want) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		root, err := c.openFolder(folder)
		if err == nil {
			defer root.Close()
			w := walker{client: c, root: root, folder: folder, want: want, waiting: []string{"."},
				yield: func(e Entry) bool { return yield(e, nil) }}
			err = w.walk(ctx)
		}
		if err != nil {
			fault.Wrap(&err, "list %s", folder)
			yield(Entry{}, err)
		}
	}
}

// walker is the state of a walk.
type walker struct {
	client  *Client
	root    *os.Root
	folder  Location
	want    Want
	yield   func(Entry) bool
	waiting []string // folders to read; the last one is next
	walked  int
	stopped bool
}

func (w *walker) walk(ctx context.Context) error {
	for len(w.waiting) > 0 && !w.stopped {
		at := w.waiting[len(w.waiting)-1]
		w.waiting = w.waiting[:len(w.waiting)-1]
		if err := w.list(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// list yields the files of one folder, and notes the folders in it.
func (w *walker) list(ctx context.Context, at string) error {
	here, err := w.root.OpenRoot(filepath.FromSlash(at))
	if err != nil {
		return w.unread(at, err)
	}
	defer here.Close()
	names, err := namesIn(ctx, here)
	if err != nil {
		return w.unread(at, err)
	}
	var below []string
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return fault.New(fault.Unavailable, "not read in time: %w", err)
		}
		if w.walked++; w.walked > maxWalked {
			return errTooLong
		}
		isFolder, err := w.examine(here, path.Join(at, name), name)
		if err != nil {
			return err
		}
		if isFolder {
			below = append(below, path.Join(at, name))
		}
		if w.stopped {
			return nil
		}
	}
	if slices.Reverse(below); len(w.waiting)+len(below) > maxNames {
		return errTooManyNames
	}
	w.waiting = append(w.waiting, below...)
	return nil
}

// unread decides about a name that cannot be read. If it is gone, so is what was in it. If this process may not read
// it, what is in it is unknown. The walked folder itself must be readable.
func (w *walker) unread(at string, err error) error {
	fi, noName := w.root.Lstat(filepath.FromSlash(at))
	gone := errors.Is(err, fs.ErrNotExist) || errors.Is(noName, fs.ErrNotExist) || noName == nil && !fi.IsDir()
	switch {
	case fault.KindOf(err) != fault.Internal: // it is not one of the system
		return err
	case at == ".":
		return localFailure(err)
	case gone:
		return nil
	case errors.Is(err, fs.ErrPermission):
		w.pass(at, true, ErrDenied)
		return nil
	}
	return localFailure(err)
}

// namesIn returns the sorted names in a folder.
func namesIn(ctx context.Context, folder *os.Root) (names []string, err error) {
	f, err := folder.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for {
		some, err := f.Readdirnames(1000)
		if names = append(names, some...); len(names) > maxNames {
			return nil, errTooManyNames
		}
		switch {
		case err == io.EOF:
			slices.Sort(names)
			return names, nil
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return nil, fault.New(fault.Unavailable, "not read in time: %w", ctx.Err())
		}
	}
}

// examine yields one name, unless it is that of a folder. It reports whether it is that of a folder to be read.
func (w *walker) examine(here *os.Root, at, name string) (isFolder bool, err error) {
	fi, err := here.Lstat(name)
	if err != nil {
		return false, w.unread(at, err) // a folder may be readable without what is in it
	}
	switch why := w.want(at, fi.IsDir()); {
	case why != nil:
		w.pass(at, fi.IsDir(), why)
	case fi.IsDir():
		return true, nil
	case fi.Mode().Type() == fs.ModeSymlink:
		w.pass(at, false, ErrLink)
	case !fi.Mode().IsRegular():
		w.pass(at, false, ErrSpecial)
	default:
		place, err := w.folder.Join(at)
		if err != nil {
			w.pass(at, false, ErrName)
			return false, nil
		}
		w.stopped = !w.yield(Entry{Location: place, Name: at, Info: w.client.localInfo(fi)})
	}
	return false, nil
}

func (w *walker) pass(at string, isFolder bool, why error) {
	w.stopped = w.stopped || !w.yield(Entry{Name: at, Folder: isFolder, Refused: why})
}

// openListed opens a file that the listing of a folder has named. It opens no other file: nothing outside of the
// folder, nothing that a symbolic link leads to. Errors: NotFound if there is no regular file of that name; Unavailable
// if the folder itself is not there or has nothing in it, as that of a drive that is not mounted.
func (c *Client) openListed(r Request) (*os.File, fs.FileInfo, error) {
	name, ok := below(r.Folder.name, r.Location.name, r.Location.windows)
	if !ok {
		return nil, nil, invalid("the file is not in the folder %s", r.Folder)
	}
	folder, err := c.openFolder(r.Folder)
	if err != nil {
		return nil, nil, absent(r.Folder, err)
	}
	defer folder.Close()
	f, fi, err := openNamed(folder, filepath.FromSlash(name))
	if fault.Is(err, fault.NotFound) && isEmpty(folder) {
		return nil, nil, fault.New(fault.Unavailable, "the folder %s is empty, as if its drive were not mounted; its "+
			"files stay as they are", r.Folder)
	}
	return f, fi, err
}

// absent turns the error for a folder that is not there into one that says nothing about its files.
func absent(folder Location, err error) error {
	if fault.Is(err, fault.NotFound) {
		return fault.New(fault.Unavailable, "the folder %s is not there; its files stay as they are", folder)
	}
	return err
}

// openNamed opens a regular file, but not through a symbolic link in the place of the file.
func openNamed(folder *os.Root, name string) (*os.File, fs.FileInfo, error) {
	fi, err := folder.Lstat(name)
	if err != nil {
		return nil, nil, localFailure(err)
	}
	if !fi.Mode().IsRegular() {
		return nil, nil, fault.New(fault.NotFound, "there is no file of that name any more, but %s", nameOf(fi.Mode()))
	}
	f, opened, err := openRegular(folder, name)
	if err == nil && !os.SameFile(fi, opened) {
		err = errors.Join(errChanged, f.Close())
	}
	if err != nil {
		return nil, nil, err
	}
	return f, opened, nil
}

func nameOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m.Type() == fs.ModeSymlink:
		return "a symbolic link"
	}
	return "a pipe, a socket or a device"
}

func isEmpty(folder *os.Root) bool {
	f, err := folder.Open(".")
	if err != nil {
		return false
	}
	defer f.Close()
	_, err = f.Readdirnames(1)
	return err == io.EOF
}
