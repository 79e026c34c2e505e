// Package folder is the data folder of this machine. It chooses the storage of the state, admits one process at a
// time, and keeps the log. Every command that works on state without a server uses it.
//
// # Locks
//
// [Folder.Open] locks the folder until [Folder.Close] or the end of the process, even a crash. Without the lock, two
// Azurites on one folder would silently overwrite each other's files, and two apps would overwrite each other's index
// and log.
package folder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/local/azurite"
	"github.com/tidemark/tidemark/pkg/storage"
)

// Options are the flags of every command that may start Azurite.
type Options struct {
	PortBase int // port of Azurite's blobs; its queues and tables are on the next two ports
	Data     string
	Tools    string
	Wrong    error // what is wrong with the port; [Folder.Open] returns it
}

// Command returns a command that may start Azurite, with the flags that say where.
func Command(help string, args cobra.PositionalArgs, getenv func(string) string,
	run func(context.Context, Options, []string) error) *cobra.Command {
	var o Options
	var port string
	cmd := command.New(help, args, func(ctx context.Context, args []string) error {
		o.PortBase, o.Wrong = parsePortBase(port)
		return run(ctx, o, args)
	})
	f := cmd.Flags()
	f.StringVar(&port, "azurite-port-base", portBase(getenv), "first of three ports for Azurite (AZURITE_PORT_BASE)")
	DataFlag(f, getenv, &o.Data)
	f.StringVar(&o.Tools, "tools", ".tools", "`FOLDER` in which Azurite is installed")
	return cmd
}

func portBase(getenv func(string) string) string {
	return cmp.Or(getenv("AZURITE_PORT_BASE"), strconv.Itoa(azurite.DefaultPortBase))
}

func parsePortBase(text string) (int, error) {
	return command.ParsePort("--azurite-port-base (AZURITE_PORT_BASE)", text, 65533)
}

// CheckSettings returns what is wrong with the settings that say which storage is used.
func CheckSettings(getenv func(string) string) error {
	_, kind := KindOf(getenv)
	_, port := parsePortBase(portBase(getenv))
	return errors.Join(kind, port)
}

// DataFlag adds only the flag for the data folder.
func DataFlag(f *pflag.FlagSet, getenv func(string) string, data *string) {
	f.StringVar(data, "data", cmp.Or(getenv("TIDEMARK_DATA"), ".tidemark"), "`FOLDER` for all data (TIDEMARK_DATA)")
}

// Services start and open what a folder needs. Tests replace them.
type Services struct {
	Azurite Launcher
	Open    func(get func(string) string, log *slog.Logger) (storage.Store, error)
}

// Real has the services of this machine.
var Real = Services{Azurite: launchAzurite, Open: app.OpenStore}

// Setting is a setting of the app and its value.
type Setting struct{ Name, Value string }

// Folder is a data folder, with the settings that processes need to use it. Callers call its methods in this order:
// Open, StartAzurite if Azurite is the storage, StopAzurite, Close.
type Folder struct {
	Options
	Kind string    // kind of the app's storage; empty without an app
	Own  []Setting // settings that follow from the content of the folder
	Log  *Logs     // nil before Open

	getenv   func(string) string
	services Services
	report   func(format string, args ...any)
	sites    string   // the site file, if there is one
	release  func()   // releases the locks
	running  Emulator // nil before it is started
}

// New returns a data folder that is not open yet. It passes progress messages for people to the function tell.
func New(o Options, kind string, getenv func(string) string, s Services, tell func(string, ...any)) *Folder {
	return &Folder{Options: o, Kind: kind, getenv: getenv, services: s, report: tell}
}

// Open creates the data folder, locks it, and opens its log. Log entries at or above level also go to errOut.
func (f *Folder) Open(level slog.Level, errOut io.Writer) (err error) {
	if f.Wrong != nil {
		return f.Wrong
	}
	// Other processes run in other folders, where a relative path would mean another data folder.
	if f.Data, err = filepath.Abs(f.Data); err != nil {
		return err
	}
	if f.sites, err = f.sitesFile(); err != nil {
		return err
	}
	makePrivate()
	if err := app.MakeDataFolder(f.Data); err != nil {
		return fmt.Errorf("--data (TIDEMARK_DATA): %w", err)
	}
	// The locks come before the log: opening the log may rename it while another process writes to it.
	if f.release, err = Hold(f.Data, f.locks()...); err != nil {
		return err
	}
	if f.Log, err = openLogs(f.Data, f.getenv("LOG_FORMAT"), f.getenv("LOG_LEVEL"), level, errOut); err != nil {
		f.release()
	}
	return err
}

// Close undoes Open.
func (f *Folder) Close() {
	f.Log.Close()
	f.release()
}

// locks returns the names of the locks to hold: for an app, for Azurite, or for both.
func (f *Folder) locks() []string {
	switch f.Kind {
	case "":
		return []string{azuriteLock}
	case Azurite:
		return []string{AppLock, azuriteLock}
	}
	return []string{AppLock}
}

// sitesFile returns the absolute path of the site file: the file given in a setting, or else the one in the working
// directory.
func (f *Folder) sitesFile() (string, error) {
	name := f.getenv("BACKFILL_SITES_FILE")
	if name == "" {
		if _, err := os.Stat(app.SitesFile); err != nil {
			return "", nil
		}
		name = app.SitesFile
	}
	return filepath.Abs(name)
}

// Settings returns the settings that follow from the folder and from the services that were started.
func (f *Folder) Settings() []Setting {
	all := append([]Setting{{"TIDEMARK_DATA", f.Data}}, f.Own...)
	if f.sites != "" {
		all = append(all, Setting{"BACKFILL_SITES_FILE", f.sites})
	}
	switch {
	case f.Kind == Embedded:
		all = append(all, Setting{"STORAGE", Embedded})
	case f.running != nil:
		// The kind is Account, not Azurite, because a Tidemark that reads these settings must not start a second
		// Azurite.
		all = append(all, Setting{"STORAGE", Account}, Setting{"AzureWebJobsStorage", f.running.ConnectionString()},
			Setting{"AZURITE_PORT_BASE", strconv.Itoa(f.PortBase)})
	}
	return all
}

// Lookup returns the value of a setting: from [Folder.Settings], or else from the environment.
func (f *Folder) Lookup(name string) string {
	for _, s := range f.Settings() {
		if s.Name == name {
			return s.Value
		}
	}
	return f.getenv(name)
}

// Environment returns the environment for a child process. If a name occurs twice, the later value wins.
func (f *Folder) Environment() []string {
	env := os.Environ()
	for _, s := range f.Settings() {
		env = append(env, s.Name+"="+s.Value)
	}
	return env
}

// OnStore opens the store of a data folder that no other process uses, for one call of do.
func OnStore(ctx context.Context, t *terminal.Terminal, getenv func(string) string, s Services,
	kind string, o Options, do func(context.Context, *Folder, app.Config, storage.Store) error) error {
	cfg, err := app.Load(getenv)
	if err != nil {
		return err
	}
	f := New(o, kind, getenv, s, t.Note)
	if err := f.Open(slog.LevelWarn, t.Err); err != nil {
		return err
	}
	defer f.Close()
	if kind == Azurite {
		if err := f.StartAzurite(ctx); err != nil {
			return err
		}
		defer f.StopAzurite()
	}
	store, err := f.OpenStore(ctx, cfg)
	if err != nil {
		return err
	}
	defer store.Close()
	return do(ctx, f, cfg, store)
}

// pingTimeout limits the time that a storage account may take for its first answer.
const pingTimeout = 20 * time.Second

// OpenStore opens the storage, waits until it answers, and checks that this program with these settings reads its rows.
func (f *Folder) OpenStore(ctx context.Context, cfg app.Config) (storage.Store, error) {
	store, err := f.services.Open(f.Lookup, f.Log.Logger)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := store.Ping(ctx); err != nil {
		store.Close()
		if f.Kind == Account {
			return nil, fmt.Errorf("storage does not answer; check AzureWebJobsStorage, or unset it to use the embedded "+
				"store: %w", err)
		}
		return nil, fmt.Errorf("storage does not answer: %w", err)
	}
	if err := app.CheckForm(ctx, cfg, store); err != nil {
		return nil, errors.Join(fmt.Errorf("storage cannot be used: %w", err), store.Close())
	}
	return store, nil
}

// The locks of a data folder. There are two, so that an app can use the Azurite that "tidemark azurite" runs on the
// same folder.
const (
	azuriteLock = "lock"     // held by the process that runs Azurite
	AppLock     = "app.lock" // held by the process that runs the app, whose index and log are in the folder
)

// errHeld is the error of a lock that another process holds.
var errHeld = errors.New("held by another process")

// Hold acquires locks of a data folder until release is called or this process ends. A crash leaves nothing to clean
// up.
func Hold(data string, locks ...string) (release func(), err error) {
	var held []*os.File
	release = func() {
		for _, f := range held {
			f.Close()
		}
	}
	for _, name := range locks {
		f, err := holdFile(filepath.Join(data, name))
		if err != nil {
			release()
			return nil, heldText(data, err)
		}
		held = append(held, f)
	}
	return release, nil
}

// heldText says what to do when another process uses the folder.
func heldText(data string, err error) error {
	if errors.Is(err, errHeld) {
		return fmt.Errorf("the data folder %s is in use by another Tidemark; stop it, or set TIDEMARK_DATA to another folder",
			data)
	}
	return fmt.Errorf("locking the data folder: %w", err)
}

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
	if azurite.IsInstalled(f.Tools) {
		f.report("starting Azurite")
	} else {
		f.report("starting Azurite (the first time it is downloaded, which takes a minute)")
	}
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
