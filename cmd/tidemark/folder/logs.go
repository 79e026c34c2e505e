package folder

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/ops/keys"
)

// LogName is the name of the log file in a data folder.
const LogName = "tidemark.log"

const (
	maxLog   = 10 << 20 // bytes of a log file; a line that would exceed them begins a new file
	keptLogs = 4        // older files that are kept; tidemark.log.1 is the newest
)

// Logs writes every entry to the log file, and to standard error the entries that a person should see at once.
type Logs struct {
	*slog.Logger
	Name  string // name of the log file
	file  *logFile
	shown *slog.LevelVar // lowest level of the entries that also go to standard error
	all   *slog.LevelVar // lowest level of all entries
	least slog.Level     // lowest level of the entries that a person should see
}

// Close closes the file.
func (l *Logs) Close() error { return l.file.Close() }

// Hush sends all further entries only to the file.
func (l *Logs) Hush() { l.shown.Set(math.MaxInt) }

// SetLevel changes the lowest level of all entries.
func (l *Logs) SetLevel(level slog.Level) {
	l.all.Set(level)
	l.shown.Set(max(l.least, level))
}

// openLogs opens the log file of a data folder. Entries at or above level also go to errOut. The format is the value
// of LOG_FORMAT, and least that of LOG_LEVEL.
func openLogs(data, format, least string, level slog.Level, errOut io.Writer) (*Logs, error) {
	write, err := writerOf(format)
	if err != nil {
		return nil, err
	}
	lowest, err := app.ParseLevel(least)
	if err != nil {
		return nil, fmt.Errorf("LOG_LEVEL is %q: %w", least, err)
	}
	f := &logFile{name: filepath.Join(data, LogName), max: maxLog}
	if err := f.open(); err != nil {
		return nil, err
	}
	l := &Logs{file: f, Name: f.name, shown: &slog.LevelVar{}, all: &slog.LevelVar{}, least: level}
	l.SetLevel(lowest)
	h := slog.NewMultiHandler(
		write(f, &slog.HandlerOptions{Level: l.all, ReplaceAttr: keys.RedactAttr}),
		write(errOut, &slog.HandlerOptions{Level: l.shown, ReplaceAttr: keys.RedactAttr}),
	)
	l.Logger = slog.New(h)
	return l, nil
}

// writerOf returns the handler of a format.
func writerOf(format string) (func(io.Writer, *slog.HandlerOptions) slog.Handler, error) {
	switch format {
	case "", "text":
		return func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(w, o) }, nil
	case "json":
		return func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(w, o) }, nil
	default:
		return nil, fmt.Errorf("LOG_FORMAT is %q: give text or json", format)
	}
}

// A logFile is a file that is replaced by a new one when it is full. It does not buffer, so a crash loses nothing.
// Two processes may write to the same file, as an app and "tidemark azurite" do.
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

// Write writes a line to the file, or to a new one when the file is full. If a new file cannot be opened, it
// continues with the old one: a log that is too long is better than no log.
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

// Close closes the file. Callers must not write afterwards.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}

// rotate renames each file to the name of the next older one, and drops the oldest. If another process has already
// done this, the log's name belongs to another file than the open one, and rotate does nothing.
func (l *logFile) rotate(open os.FileInfo) error {
	if named, err := os.Stat(l.name); err != nil || !os.SameFile(named, open) {
		return nil
	}
	for n := keptLogs - 1; n > 0; n-- {
		if older := fmt.Sprint(l.name, ".", n); Exists(older) {
			if err := os.Rename(older, fmt.Sprint(l.name, ".", n+1)); err != nil {
				return err
			}
		}
	}
	return os.Rename(l.name, l.name+".1")
}
