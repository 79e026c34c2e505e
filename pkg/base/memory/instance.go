package memory

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// DefaultMost is the largest share that is taken without a setting. A larger instance needs the rest of its memory
// for other purposes.
const DefaultMost Share = 1 << 30

// least is the smallest share with which the process works at all.
const least Share = 256 << 20

// Of returns the share for a setting in bytes. For 0 it returns the memory of the instance, at most [DefaultMost].
func Of(setting int64) Share {
	s := Share(setting)
	if s <= 0 {
		s = DefaultMost
		if limit := Limit(os.ReadFile); limit > 0 {
			s = min(s, Share(limit))
		}
	}
	return max(s, least)
}

// Limit returns the memory of the instance in bytes, as files of the Linux kernel give it: the smallest of the
// machine's memory and the limits of the process's control groups (cgroup v2 and v1). It returns 0 when none of these
// is known.
func Limit(read func(name string) ([]byte, error)) int64 {
	limit := int64(0)
	least := func(n int64) {
		if n > 0 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	for _, name := range groupFiles(read) {
		text, _ := read(name)                                           // a file that is missing sets no limit
		n, _ := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64) // "max" means no limit
		least(n)
	}
	text, _ := read("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "MemTotal:" {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			least(n << 10)
		}
	}
	return limit
}

// groupFiles returns the files that may hold limits of the process's control group and of the groups around it. See
// cgroups(7).
func groupFiles(read func(name string) ([]byte, error)) []string {
	files := []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}
	text, _ := read("/proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 || parts[1] != "" && parts[1] != "memory" {
			continue
		}
		root, file := "/sys/fs/cgroup", "/memory.max"
		if parts[1] == "memory" {
			root, file = "/sys/fs/cgroup/memory", "/memory.limit_in_bytes"
		}
		for group := parts[2]; group != "" && group != "/"; group = group[:strings.LastIndex(group, "/")] {
			files = append(files, root+group+file)
		}
	}
	return files
}
