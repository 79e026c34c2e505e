package sqlitefile

import "golang.org/x/sys/unix"

// RoomOf returns the room of the file system that contains a folder.
func RoomOf(dir string) (Room, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return Room{}, err
	}
	room := Room{Bytes: int64(s.Bavail) * s.Bsize, Files: -1}
	if s.Files > 0 { // file systems such as btrfs have no limit
		room.Files = int64(s.Ffree)
	}
	switch int64(s.Type) {
	case unix.NFS_SUPER_MAGIC:
		room.Network = "NFS"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		room.Network = "SMB"
	}
	return room, nil
}
