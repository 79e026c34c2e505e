package local

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tidemark/tidemark/cmd/tidemark/folder"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/memory"
	"github.com/tidemark/tidemark/pkg/base/words"
)

const (
	leastRoom, littleRoom   = 100 << 20, 1 << 30 // bytes of free space
	leastFiles, littleFiles = 1000, 10_000
	// leastHandles is the number of files that Tidemark may need to have open at once: one for each connection, and
	// those of the stores.
	leastHandles = 256
)

// folder checks whether the data folder can be used.
func (d *doctor) folder(context.Context) {
	const mine = "run this as the user who runs Tidemark; the folder and all in it must be that user's (chown -R)"
	info, err := os.Stat(d.o.data)
	if errors.Is(err, fs.ErrNotExist) {
		d.report("folder", fine, "", "%s is not there yet; the first start makes it", d.o.data)
		return
	}
	if err != nil || !info.IsDir() {
		d.report("folder", problem, "name a folder with TIDEMARK_DATA",
			"%s is no folder that can be used (%v)", d.o.data, err)
		return
	}
	if err := tryFolder(d.o.data); err != nil {
		do := mine
		if errors.Is(err, syscall.ENOSPC) {
			do = "free some space"
		}
		d.report("folder", problem, do, "%v", err)
		return
	}
	if info.Mode().Perm()&0o002 != 0 {
		d.report("folder", warning, "chmod o-w "+terminal.Quote(d.o.data), "everybody on this machine can write to %s",
			d.o.data)
	}
	release, err := folder.Hold(d.o.data, folder.AppLock)
	switch {
	case err == nil:
		release()
		d.report("folder", fine, "", "%s can be written, and no Tidemark runs on it", d.o.data)
	case folder.Exists(filepath.Join(d.o.data, folder.AppLock)):
		d.report("folder", fine, "", "%s can be written, and a Tidemark runs on it", d.o.data)
	default:
		d.report("folder", problem, mine, "%v", err)
	}
}

// tryFolder returns an error if no file can be created, or if an existing file cannot be opened for writing.
func tryFolder(dir string) error {
	f, err := os.CreateTemp(dir, "doctor-")
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("x"))
	if err := errors.Join(err, f.Close(), os.Remove(f.Name())); err != nil {
		return err
	}
	for _, name := range []string{filepath.Join(dir, folder.LogName), app.IndexFile(dir),
		filepath.Join(app.StoreFolder(dir), "state.db")} {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		_ = f.Close()
	}
	return nil
}

// disk checks the free space in the data folder, or in the folder where it will be created.
func (d *doctor) disk(context.Context) {
	dir := d.o.data
	for !folder.Exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	room, err := d.room(dir)
	if err != nil {
		d.report("disk", skipped, "", "its room could not be read: %v", err)
		return
	}
	const free = "free some space, move the data folder, or keep fewer snapshots (SNAPSHOT_KEEP_DAYS, SNAPSHOT_KEEP_COUNT)"
	text := terminal.Megabytes(room.Bytes) + " free" +
		terminal.When(room.Files >= 0, " and room for %s", words.Count(int(room.Files), "file"))
	switch {
	case room.Bytes < leastRoom:
		d.report("disk", problem, free, "%s below %s: writes will fail", text, dir)
	case room.Files >= 0 && room.Files < leastFiles:
		d.report("disk", problem, "remove files, or make the file system with more inodes", "%s below %s", text, dir)
	case room.Bytes < littleRoom, room.Files >= 0 && room.Files < littleFiles:
		d.report("disk", warning, free, "%s below %s", text, dir)
	default:
		d.report("disk", fine, "", "%s below %s", text, dir)
	}
	if room.Network != "" && d.kind == folder.Embedded {
		d.report("disk", warning, "move TIDEMARK_DATA to a local disk: SQLite's locks and shared memory need one",
			"%s is on %s", dir, room.Network)
	}
}

// memory compares the memory setting with the memory of the machine or container.
func (d *doctor) memory(context.Context) {
	share, limit := int64(d.cfg.Memory), memory.Limit(os.ReadFile)
	if d.bad || limit == 0 {
		d.report("memory", skipped, "", "the memory of this machine is not known, or the settings are not right")
		return
	}
	text := fmt.Sprintf("Tidemark may use %s of %s (MEMORY_LIMIT_MB)", terminal.Megabytes(share),
		terminal.Megabytes(limit))
	switch {
	case share > limit:
		d.report("memory", problem, "set MEMORY_LIMIT_MB to less than that, or give the container more",
			"%s: the system would kill it", text)
	case limit < 512<<20:
		d.report("memory", warning, "give it 512 MB or more, or expect large documents to wait for room", "%s", text)
	default:
		d.report("memory", fine, "", "%s", text)
	}
}

// files checks how many files the process may have open.
func (d *doctor) files(context.Context) {
	n, err := openLimit()
	switch {
	case err != nil:
		d.report("files", skipped, "", "how many files may be open is not known: %v", err)
	case n < leastHandles:
		d.report("files", problem, "raise the limit: ulimit -n 1024, or LimitNOFILE= in its unit",
			"%s may be open at once", words.Count(int(n), "file"))
	default:
		d.report("files", fine, "", "%s may be open at once", words.Count(int(n), "file"))
	}
}

// listen checks whether the port is free, or used by Tidemark.
func (d *doctor) listen(ctx context.Context) {
	address := d.at.Address()
	l, err := net.Listen("tcp", address)
	if err == nil {
		_ = l.Close()
		d.report("port", fine, "", "%s is free", address)
		return
	}
	h, healthErr := d.healthAt(ctx, d.at.URL())
	if healthErr == nil {
		d.report("port", fine, "", "Tidemark %s listens at %s", h.Version, address)
		return
	}
	if untrusted, ok := errors.AsType[*tls.CertificateVerificationError](healthErr); ok &&
		len(untrusted.UnverifiedCertificates) > 0 && d.at.presents(untrusted.UnverifiedCertificates[0]) {
		d.report("port", warning, "set SSL_CERT_FILE to the certificate of its authority for commands on this machine, "+
			"and use a name that is in the certificate",
			"Tidemark listens at %s with the certificate of TLS_CERT_FILE, which this machine does not trust: %v", address,
			untrusted.Err)
		return
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		d.report("port", problem, "set LISTEN and PORT to an address of this machine, and a port above 1023", "%v", err)
		return
	}
	d.report("port", problem, "stop what uses it, or choose another with --port or PORT", "%v, and it is no Tidemark", err)
}

// indexFile returns the path of the embedded index.
func (d *doctor) indexFile() string { return app.IndexFile(d.o.data) }

// storeFolder returns the path of the embedded store.
func (d *doctor) storeFolder() string { return app.StoreFolder(d.o.data) }
