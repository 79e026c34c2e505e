package sqlitefile

import (
	"encoding/binary"
	"strings"
)

// HeadBytes is the length of the header of a database.
const HeadBytes = 100

// SizeOf returns the size in bytes that the header of a database declares ("The Database Header" of SQLite's file
// format), or 0 if head is no such header.
func SizeOf(head []byte) int64 {
	if len(head) < HeadBytes || !strings.HasPrefix(string(head), "SQLite format 3\x00") {
		return 0
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 1 << 16
	}
	return page * int64(binary.BigEndian.Uint32(head[28:]))
}
