package main

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
)

// maxLog is how large the log may be when a start adds to it; a larger one is put aside first,
// so that at most two of them are kept.
const maxLog = 10 << 20

// logs are the log file, which gets everything, and standard error, which gets what a person
// should see at once.
type logs struct {
	*slog.Logger
	file  *os.File
	name  string
	shown *slog.LevelVar // from where on entries go to standard error too
}

func (l *logs) Close() error { return l.file.Close() }

// hush keeps all further entries to the file.
func (l *logs) hush() { l.shown.Set(math.MaxInt) }

// openLogs opens the log file of a data folder. From level on, entries go to errOut too.
func openLogs(data string, level slog.Level, errOut io.Writer) (*logs, error) {
	name := filepath.Join(data, "tidemark.log")
	if err := putAside(name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	shown := &slog.LevelVar{}
	shown.Set(level)
	h := slog.NewMultiHandler(
		slog.NewTextHandler(f, nil),
		slog.NewTextHandler(errOut, &slog.HandlerOptions{Level: shown}),
	)
	return &logs{Logger: slog.New(h), file: f, name: name, shown: shown}, nil
}

// putAside renames a log that has grown too large.
func putAside(name string) error {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() < maxLog {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Rename(name, name+".1")
}
