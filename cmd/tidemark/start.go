package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

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

The app is reached from this machine only. LISTEN lets others reach it, and then
demands keys: see "tidemark keys".

On a terminal, and with a folder that holds nothing yet, it asks what to begin
with: a page, a site, or sample pages to look around with.

All settings of the app are taken from the environment.`

const startExample = `  tidemark start
  PORT=8080 CRAWL_ALLOW_HOSTS=localhost tidemark start --data /var/tmp/tidemark
  STORAGE=azurite tidemark start
  AzureWebJobsStorage='DefaultEndpointsProtocol=https;…' tidemark start
  LISTEN=0.0.0.0:7071 TLS_CERT_FILE=cert.pem TLS_KEY_FILE=key.pem tidemark start`

// startOptions are the flags of start.
type startOptions struct {
	emulatorOptions
	listening
	app     string // folder that `tidemark app` wrote; empty for what this program carries
	port    int
	verbose bool
	noInput bool // ask nothing
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
			if err := o.listen(p); err != nil {
				return err
			}
			return runStart(cmd.Context(), p, o, realParts())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.app, "app", "", "`FOLDER` that tidemark app wrote, to run its handler instead of this program")
	f.StringVar(&port, "port", p.setting("PORT", "7071"), "port of the app (PORT)")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print what the app logs, not only warnings")
	f.BoolVar(&o.noInput, "no-input", false, "ask nothing, also on a terminal")
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
	l := &local{app: o, parts: parts, emulation: emulation{
		p: p, options: o.emulatorOptions, launch: parts.azurite, tell: p.say, storage: kind,
	}}
	if err := l.configure(); err != nil {
		return err // the app would say so too, at each of its three starts
	}
	for _, said := range app.Misspelt(app.Names(os.Environ())) {
		p.note("%s", said)
	}
	if err := l.choose(ctx); err != nil {
		return err
	}
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
	if _, err := os.Stat(filepath.Join(o.app, hostFile)); o.app != "" && err != nil {
		return fmt.Errorf("%s has no host.json: write it with `tidemark app %[1]s`, or leave --app out", o.app)
	}
	l, err := net.Listen("tcp", o.address())
	if err != nil {
		second := "TIDEMARK_DATA"
		if kind == ownAzurite {
			second += " and AZURITE_PORT_BASE"
		}
		if !errors.Is(err, syscall.EADDRINUSE) && o.listening.address != "" {
			return fmt.Errorf("LISTEN: %w", err)
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

// address is where the app listens: on this machine only, unless LISTEN says otherwise.
func (o startOptions) address() string {
	if o.listening.address != "" {
		return o.listening.address
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(o.port))
}
