package sqlitefile

// This file says how much room the file system of a folder has. It knows this on Linux only.

// Room is what users other than root can still store.
type Room struct {
	Bytes   int64
	Files   int64  // -1 if the file system has no limit
	Network string // the protocol of a network file system: NFS or SMB; "" for any other
}
