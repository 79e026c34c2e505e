package app

import (
	"fmt"
	"os"

	"github.com/cespare/xxhash/v2"
)

// instance identifies the Functions host that started this process: the instance as Azure names it, or this machine,
// and the host's process. It is short, because locks contain it. All hosts of an embedded store count as one instance,
// because only one of them works at a time: see [Recover].
func instance(get func(string) string) string {
	if get("STORAGE") == Embedded {
		return Embedded
	}
	machine := get("WEBSITE_INSTANCE_ID")
	if machine == "" {
		machine, _ = os.Hostname()
	}
	if machine == "" {
		return ""
	}
	return fmt.Sprintf("%016x", xxhash.Sum64String(fmt.Sprintf("%s/%d", machine, os.Getppid())))
}
