package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/local/azurite"
)

// Emulator is a running Azurite.
type Emulator interface {
	ConnectionString() string
	Done() <-chan struct{} // closed when Azurite has stopped
	Stop()
}

// Launcher starts an Azurite.
type Launcher func(ctx context.Context, o azurite.Options) (Emulator, error)

// launchError is the error that is returned when Azurite is installed but did not start.
type launchError struct{ error }

func (e launchError) Unwrap() error { return e.error }

func launchAzurite(ctx context.Context, o azurite.Options) (Emulator, error) {
	// The installation is a separate step, because after a failure of npm the user needs other advice than after a
	// failure of Azurite.
	if _, err := azurite.Install(ctx, o.ToolDir, o.Log); err != nil {
		return nil, err
	}
	s, err := azurite.Start(ctx, o)
	switch {
	case err == nil:
		return s, nil
	case fault.Is(err, fault.Unavailable):
		return nil, launchError{err}
	default:
		return nil, err // an error such as a port in use, whose text says what to do
	}
}

// StartAzurite starts an Azurite whose data is in the folder. [Folder.StopAzurite] stops it.
func (f *Folder) StartAzurite(ctx context.Context) error {
	f.report("starting Azurite (the first time it is downloaded, which takes a minute)")
	dir := azuriteIn(f.Data)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var err error
	f.running, err = f.services.Azurite(ctx, azurite.Options{
		ToolDir: f.Tools, DataDir: dir, PortBase: f.PortBase, Log: f.Log.file,
	})
	if _, ok := errors.AsType[launchError](err); ok {
		return fmt.Errorf("%w; the end of %s says why\n"+
			"if its data is damaged, move %s away and start again; the registry in it is then lost", err, f.Log.Name, dir)
	}
	return err
}

// StopAzurite stops Azurite and waits until its data is saved.
func (f *Folder) StopAzurite() {
	f.report("stopping Azurite, which saves its data")
	f.running.Stop()
	f.SayWhere()
}

// SayWhere prints, at the end of a run, where the data is.
func (f *Folder) SayWhere() { f.report("stopped; the data is in %s", f.Data) }

// HasAzurite reports whether Azurite was started.
func (f *Folder) HasAzurite() bool { return f.running != nil }

// AzuriteEnded returns a channel that is closed when Azurite has stopped. If Azurite was not started, the channel is
// nil, so that a receive from it waits forever.
func (f *Folder) AzuriteEnded() <-chan struct{} {
	if f.running == nil {
		return nil
	}
	return f.running.Done()
}

// ErrAzuriteLost returns the error to report when Azurite ended although nobody stopped it.
func (f *Folder) ErrAzuriteLost() error {
	return fmt.Errorf("azurite ended by itself; %s may say why", f.Log.Name)
}

func azuriteIn(data string) string { return filepath.Join(data, "azurite") }
