package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/tidemark/tidemark/pkg/ops/keys"
)

const (
	maxLog   = 10 << 20 // bytes of a log file; a line that would pass it begins another
	logName  = "tidemark.log"
	keptLogs = 4 // files before the present one: tidemark.log.1 is the youngest
)

// logs are the log file, which gets everything, and standard error, which gets what a person
// should see at once.
type logs struct {
	*slog.Logger
	file *logFile
	name string
	// shown is from where on entries go to standard error too.
	shown *slog.LevelVar
}

func (l *logs) Close() error { return l.file.Close() }

// hush keeps all further entries to the file.
func (l *logs) hush() { l.shown.Set(math.MaxInt) }

// openLogs opens the log file of a data folder. From level on, entries go to errOut too.
func openLogs(data string, level slog.Level, errOut io.Writer) (*logs, error) {
	f := &logFile{name: filepath.Join(data, logName), max: maxLog}
	if err := f.open(); err != nil {
		return nil, err
	}
	shown := &slog.LevelVar{}
	shown.Set(level)
	h := slog.NewMultiHandler(
		slog.NewTextHandler(f, &slog.HandlerOptions{ReplaceAttr: keys.RedactAttr}),
		slog.NewTextHandler(errOut, &slog.HandlerOptions{Level: shown, ReplaceAttr: keys.RedactAttr}),
	)
	return &logs{Logger: slog.New(h), file: f, name: f.name, shown: shown}, nil
}

// logFile is a file that makes room for itself. Nothing is buffered, so that a crash loses nothing. Two processes may
// write to files of one name, as an app does beside "tidemark azurite".
type logFile struct {
	name string
	max  int64
	mu   sync.Mutex
	file *os.File
}

func (l *logFile) open() (err error) {
	l.file, err = os.OpenFile(l.name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return err
}

// Write writes a line to the file, or to a new one when it is full. Where there cannot be a new one, it goes on with
// the old: a log that is too long says more than none.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, err := l.file.Stat(); err == nil && info.Size() > 0 && info.Size()+int64(len(line)) > l.max {
		old := l.file
		if err := errors.Join(l.rotate(info), l.open()); err == nil {
			_ = old.Close()
		} else {
			l.file = old
		}
	}
	return l.file.Write(line)
}

// Close is for when nobody writes any more.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// rotate gives the names of the files to the next older ones, and forgets the oldest. When another process did so
// already, the name is no longer of the file that is open, and nothing is to be done.
func (l *logFile) rotate(open os.FileInfo) error {
	if named, err := os.Stat(l.name); err != nil || !os.SameFile(named, open) {
		return nil
	}
	for n := keptLogs - 1; n > 0; n-- {
		if older := fmt.Sprint(l.name, ".", n); exists(older) {
			if err := os.Rename(older, fmt.Sprint(l.name, ".", n+1)); err != nil {
				return err
			}
		}
	}
	return os.Rename(l.name, l.name+".1")
}
