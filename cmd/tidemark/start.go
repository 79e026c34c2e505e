package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/pkg/app"
)

const startLong = `Run Tidemark on this machine: storage, the functions host and the app.

All state is in files below --data: what was acknowledged is there again at the
next start, also after a power cut. When AzureWebJobsStorage names an account,
that is the storage instead. STORAGE=azurite starts Azurite, with its data below
--data; it is installed below --tools when it is missing, which needs Node.js and
takes a minute, once.
Ctrl-C stops everything in order; a second Ctrl-C does not wait.

All settings of the app are taken from the environment.`

const startExample = `  tidemark start
  PORT=8080 CRAWL_ALLOW_HOSTS=localhost tidemark start --data /var/tmp/tidemark
  STORAGE=azurite tidemark start
  AzureWebJobsStorage='DefaultEndpointsProtocol=https;…' tidemark start`

// startOptions are the flags of start.
type startOptions struct {
	emulatorOptions
	app     string // folder that `make app` assembled
	port    int
	verbose bool
}

func startCommand(p *program) *cobra.Command {
	var o startOptions
	var port string
	var readEmulator func() error
	cmd := &cobra.Command{
		Use:     "start",
		Short:   "Run Tidemark on this machine",
		Long:    startLong,
		Example: startExample,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if o.port, err = parsePort("--port (PORT)", port, 65535); err != nil {
				return err
			}
			if err := readEmulator(); err != nil {
				return err
			}
			return runStart(cmd.Context(), p, o, realParts())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.app, "app", filepath.Join("build", "app"), "`FOLDER` that make app assembled")
	f.StringVar(&port, "port", p.setting("PORT", "7071"), "port of the app (PORT)")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print what the app logs, not only warnings")
	readEmulator = emulatorFlags(p, f, &o.emulatorOptions)
	return cmd
}

// setting reads one of the environment, or its default.
func (p *program) setting(name, otherwise string) string {
	if v := p.getenv(name); v != "" {
		return v
	}
	return otherwise
}

// parsePort reads a port as text, so that a bad one of the environment is told by its name.
func parsePort(name, text string, highest int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > highest {
		return 0, usagef("%s is %q: give a port of 1 to %d", name, text, highest)
	}
	return n, nil
}

// start checks all that can be checked before it starts anything, starts storage and host, and
// stops them in the other order when ctx ends.
func runStart(ctx context.Context, p *program, o startOptions, parts parts) (err error) {
	kind, err := storageOf(p, o.data)
	if err != nil {
		return err
	}
	if err := checkStart(o, kind); err != nil {
		return err
	}
	set := app.Names(os.Environ())
	cfg, err := app.Load(p.getenv, set...)
	if err != nil {
		return err // the app would say so too, at each of its three starts
	}
	for _, said := range app.Misspelt(set) {
		p.note("%s", said)
	}
	l := &local{app: o, config: cfg, parts: parts, emulation: emulation{
		p: p, options: o.emulatorOptions, launch: parts.azurite, tell: p.say, storage: kind,
	}}
	locks := []string{appLock, azuriteLock}
	if kind != ownAzurite {
		locks = []string{appLock}
	}
	if err := l.open(o.level(), locks...); err != nil {
		return err
	}
	defer l.close()
	if kind == ownAzurite {
		if err := l.emulation.start(ctx); err != nil {
			return started(ctx, err)
		}
		defer l.emulation.stop()
	}
	return started(ctx, l.run(ctx))
}

// started makes an orderly stop out of what an interrupt broke off.
func started(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// checkStart looks for what is missing or in the way.
func checkStart(o startOptions, kind string) error {
	if _, err := os.Stat(filepath.Join(o.app, "host.json")); err != nil {
		return fmt.Errorf("%s has no host.json: run `make app` first, or name the folder with --app", o.app)
	}
	l, err := net.Listen("tcp", o.address())
	if err != nil {
		second := "TIDEMARK_DATA"
		if kind == ownAzurite {
			second += " and AZURITE_PORT_BASE"
		}
		return fmt.Errorf("port %d is in use: stop what uses it, or choose another with --port or PORT; "+
			"a second Tidemark needs %s of its own too", o.port, second)
	}
	return l.Close()
}

// level is from where on logs are shown.
func (o startOptions) level() slog.Level {
	if o.verbose {
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

// address is where the app listens: on this machine only.
func (o startOptions) address() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port))
}
