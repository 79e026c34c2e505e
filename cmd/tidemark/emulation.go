package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/local/azurite"
)

// emulatorOptions are the flags of every command that starts Azurite.
type emulatorOptions struct {
	portBase int // blobs, queues, tables
	data     string
	tools    string
}

// emulatorFlags adds the flags to f. What it returns is to be called when they are parsed.
func emulatorFlags(p *program, f *pflag.FlagSet, o *emulatorOptions) (read func() error) {
	portBase := f.String("azurite-port-base", p.setting("AZURITE_PORT_BASE", strconv.Itoa(azurite.DefaultPortBase)),
		"first of three ports for Azurite (AZURITE_PORT_BASE)")
	f.StringVar(&o.data, "data", p.setting("TIDEMARK_DATA", ".tidemark"), "`FOLDER` for all data (TIDEMARK_DATA)")
	f.StringVar(&o.tools, "tools", ".tools", "`FOLDER` for Azurite itself")
	return func() (err error) {
		o.portBase, err = parsePort("--azurite-port-base (AZURITE_PORT_BASE)", *portBase, 65533)
		return err
	}
}

// emulator is a running Azurite.
type emulator interface {
	ConnectionString() string
	Done() <-chan struct{}
	Stop()
}

// launcher starts an Azurite.
type launcher func(ctx context.Context, o azurite.Options) (emulator, error)

// launchError is that of an Azurite which was there and did not come up.
type launchError struct{ error }

func (e launchError) Unwrap() error { return e.error }

func launchAzurite(ctx context.Context, o azurite.Options) (emulator, error) {
	// Apart, because what helps when npm fails helps nothing when Azurite does.
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
		return nil, err // such as a port in use, which says itself what to do
	}
}

// emulation is an Azurite of ours on a data folder, and what processes need to know to use both.
// Its order is open, start, stop, close.
type emulation struct {
	p       *program
	options emulatorOptions
	launch  launcher
	sites   string                           // the site file, if there is one
	storage string                           // the kind that the app runs on; empty without an app
	own     []decision                       // what follows from the data folder
	tell    func(format string, args ...any) // progress, for people
	log     *logs
	release func()   // gives the folder back
	running emulator // nil before start
}

// open makes the data folder, takes locks of it and opens its log.
func (e *emulation) open(level slog.Level, locks ...string) (err error) {
	// Others run in folders of their own, where a relative path would mean another place.
	if e.options.data, err = filepath.Abs(e.options.data); err != nil {
		return err
	}
	if e.sites, err = e.sitesFile(); err != nil {
		return err
	}
	if err := app.MakeDataFolder(e.options.data); err != nil {
		return fmt.Errorf("--data (TIDEMARK_DATA): %w", err)
	}
	// First of all: opening the log may move it, which is not ours to do while another writes it.
	if e.release, err = holdFolder(e.options.data, locks...); err != nil {
		return err
	}
	if e.log, err = openLogs(e.options.data, level, e.p.err); err != nil {
		e.release()
	}
	return err
}

// sitesFile is the site file as others find it: the one that is set, or one in this folder.
func (e *emulation) sitesFile() (string, error) {
	name := e.p.getenv("BACKFILL_SITES_FILE")
	if name == "" {
		if _, err := os.Stat(app.SitesFile); err != nil {
			return "", nil
		}
		name = app.SitesFile
	}
	return filepath.Abs(name)
}

// close ends what open began.
func (e *emulation) close() {
	e.log.Close()
	e.release()
}

func (e *emulation) start(ctx context.Context) error {
	e.tell("starting Azurite (the first time it is downloaded, which takes a minute)")
	dir := azuriteFolder(e.options.data)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var err error
	e.running, err = e.launch(ctx, azurite.Options{
		ToolDir: e.options.tools, DataDir: dir, PortBase: e.options.portBase, Log: e.log.file,
	})
	if _, ok := errors.AsType[launchError](err); ok {
		return fmt.Errorf("%w; the end of %s says why\n"+
			"if its data is damaged, move %s away and start again; the registry in it is then lost", err, e.log.name, dir)
	}
	return err
}

func (e *emulation) stop() {
	e.tell("stopping Azurite, which saves its data")
	e.running.Stop()
	e.stopped()
}

func (e *emulation) stopped() { e.tell("stopped; the data is in %s", e.options.data) }

// ended is closed when Azurite has ended; nil, and so never ready, when it was not started.
func (e *emulation) ended() <-chan struct{} {
	if e.running == nil {
		return nil
	}
	return e.running.Done()
}

// lost is the error for an Azurite that nobody stopped.
func (e *emulation) lost() error {
	return fmt.Errorf("azurite ended by itself; %s may say why", e.log.name)
}

type decision struct{ name, value string }

// decided are the settings that follow from what was started.
func (e *emulation) decided() []decision {
	all := append([]decision{{"TIDEMARK_DATA", e.options.data}}, e.own...)
	if e.sites != "" {
		all = append(all, decision{"BACKFILL_SITES_FILE", e.sites})
	}
	switch {
	case e.storage == embedded:
		all = append(all, decision{"STORAGE", embedded})
	case e.running != nil:
		// An account to whoever is told of it: a Tidemark among them must not start another Azurite.
		all = append(all, decision{"STORAGE", account}, decision{"AzureWebJobsStorage", e.running.ConnectionString()},
			decision{"AZURITE_PORT_BASE", strconv.Itoa(e.options.portBase)})
	}
	return all
}

// lookup reads one setting: what was decided here, else that of the environment.
func (e *emulation) lookup(name string) string {
	for _, s := range e.decided() {
		if s.name == name {
			return s.value
		}
	}
	return e.p.getenv(name)
}

// environment is what a process sees; a later value of a name wins.
func (e *emulation) environment() []string {
	env := os.Environ()
	for _, s := range e.decided() {
		env = append(env, s.name+"="+s.value)
	}
	return env
}
