package doctor

import "golang.org/x/sys/unix"

// roomOf returns the space of a file system that users other than root can use.
func roomOf(dir string) (diskRoom, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return diskRoom{}, err
	}
	room := diskRoom{bytes: int64(s.Bavail) * s.Bsize, files: -1}
	if s.Files > 0 { // file systems such as btrfs have no limit
		room.files = int64(s.Ffree)
	}
	switch int64(s.Type) {
	case unix.NFS_SUPER_MAGIC:
		room.network = "NFS"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		room.network = "SMB"
	}
	return room, nil
}

// openLimit returns how many files this process may have open.
func openLimit() (uint64, error) {
	var r unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r)
	return r.Cur, err
}
