package app

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

// showMachine makes the metrics tell of this process and of the machine under it. Each read of the metrics asks the
// system, and no storage.
func (c *Config) showMachine() {
	m := c.Metrics
	m.BuildInfo.Set(1, Version, revision())
	m.Memory.Ask(memoryUsed)
	if c.Cloud {
		return // the disk of an instance has nothing that lasts
	}
	data := c.Data
	m.DiskFree.Ask(func() (float64, bool) {
		room, err := sqlitefile.RoomOf(data)
		return float64(room.Bytes), err == nil
	})
	m.LastBackup.Ask(func() (float64, bool) {
		info, err := os.Stat(filepath.Join(data, lastBackup))
		if err != nil {
			return 0, false
		}
		return max(0, time.Since(info.ModTime()).Seconds()), true
	})
}

// revision returns the commit from which the program was built.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "unknown"
}

// memoryUsed returns the memory that the Go runtime has from the system.
func memoryUsed() (bytes float64, known bool) {
	all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(all)
	return float64(all[0].Value.Uint64() - all[1].Value.Uint64()), true
}

// lastBackup is a file in the data folder whose time is that of the last backup.
const lastBackup = "last-backup"

// NoteBackup records that a data folder was backed up.
func NoteBackup(data string, at time.Time) error {
	return os.WriteFile(filepath.Join(data, lastBackup), []byte(at.UTC().Format(time.RFC3339)+"\n"), 0o600)
}
