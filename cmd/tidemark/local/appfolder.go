package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidemark/tidemark"
	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
)

// The files that a Functions host expects in the folder of an app.
const (
	hostFile    = "host.json"
	handlerFile = "handler" // the name in host.json; on Windows it ends in .exe
	// localSettings is the file of a developer's own settings, which Core Tools read. It must not be removed.
	localSettings = "local.settings.json"
)

// IsHandler reports whether a program with this name should run as the handler. The host starts the handler by that
// name, as host.json says, and without arguments.
func IsHandler(path string) bool {
	return strings.TrimSuffix(filepath.Base(path), ".exe") == handlerFile
}

const handlerHelp = `handler
Answer the invocations of a Functions host

Answer the invocations of a Functions host. The host starts this command, and names
the port in FUNCTIONS_CUSTOMHANDLER_PORT. A copy of tidemark with the name "handler"
does the same without arguments; "tidemark app" makes such a copy.

  FUNCTIONS_CUSTOMHANDLER_PORT=8080 tidemark handler`

func handlerCommand() *cobra.Command {
	return command.New(handlerHelp, cobra.NoArgs, func(context.Context, []string) error {
		app.Serve(app.NoExport)
		return nil
	})
}

// appOptions are the flags of app.
type appOptions struct{ folder, handler, sites string }

const appHelp = `app FOLDER
Write the folder that Azure Functions runs

Write the folder that Azure Functions and its Core Tools run: host.json, a folder
for each function, and this program as their handler. Files of an earlier version
are replaced; ` + localSettings + ` stays.

Azure runs linux/amd64. On another machine, name a tidemark for linux/amd64 with
--handler.

  tidemark app build/app
  tidemark app build/app --handler tidemark-linux-amd64`

func appCommand(t *terminal.Terminal) *cobra.Command {
	var o appOptions
	cmd := command.New(appHelp, command.One("folder"), func(_ context.Context, args []string) error {
		o.folder = args[0]
		return writeApp(t, o)
	})
	f := cmd.Flags()
	f.StringVar(&o.handler, "handler", "", "`FILE` to run as the handler (default: this program)")
	f.StringVar(&o.sites, "sites", "", "site `FILE` to put in (default: "+app.SitesFile+", if there is one here)")
	return cmd
}

func writeApp(t *terminal.Terminal, o appOptions) error {
	if err := checkAppFolder(o.folder); err != nil {
		return err
	}
	// The files are opened before anything is removed, because they may be in the folder that is overwritten.
	handler, name, err := o.openHandler()
	if err != nil {
		return err
	}
	defer handler.Close()
	sites, err := o.openSites()
	if err != nil {
		return err
	}
	defer sites.Close() // sites may be nil, which Close accepts
	if err := writeFunctions(o.folder); err != nil {
		return err
	}
	if err := copyFile(filepath.Join(o.folder, name), handler, 0o755); err != nil {
		return err
	}
	if sites != nil {
		if err := copyFile(filepath.Join(o.folder, app.SitesFile), sites, 0o644); err != nil {
			return err
		}
	}
	t.Say("%s: %s, the functions and %s", o.folder, hostFile, name)
	return nil
}

// openHandler opens the program that becomes the handler, and returns the handler's file name in the folder.
func (o appOptions) openHandler() (f *os.File, name string, err error) {
	name = handlerFile
	if o.handler == "" {
		if o.handler, err = os.Executable(); err != nil {
			return nil, "", err
		}
	}
	name += terminal.When(filepath.Ext(o.handler) == ".exe", ".exe")
	f, err = os.Open(o.handler)
	return f, name, err
}

// openSites opens the site file. It returns nil when there is none.
func (o appOptions) openSites() (*os.File, error) {
	name := cmp.Or(o.sites, app.SitesFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && o.sites == "" {
		return nil, nil
	}
	return f, err
}

// checkAppFolder returns an error if a folder contains anything that this command does not write.
func checkAppFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !isOfApp(dir, e) {
			return fmt.Errorf("%s holds something else, such as %s: name a new or empty folder, or one that tidemark app wrote",
				dir, e.Name())
		}
	}
	return nil
}

// isOfApp reports whether an entry of a folder belongs to an app: one of its files, or the folder of a function,
// which holds only the function's definition.
func isOfApp(dir string, e fs.DirEntry) bool {
	switch e.Name() {
	case hostFile, localSettings, app.SitesFile, handlerFile, handlerFile + ".exe":
		return e.Type().IsRegular()
	}
	within, err := os.ReadDir(filepath.Join(dir, e.Name()))
	return e.IsDir() && err == nil && len(within) == 1 && within[0].Name() == "function.json" &&
		within[0].Type().IsRegular()
}

// writeFunctions removes the functions in a folder, and writes those that this program carries.
func writeFunctions(dir string) error {
	old, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range old {
		if e.Name() == localSettings {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	functions, err := fs.Sub(tidemark.App, "functions")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, functions); err != nil {
		return err
	}
	host, err := tidemark.App.ReadFile(hostFile)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, hostFile), host, 0o644)
}

func copyFile(to string, from io.Reader, mode fs.FileMode) error {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Close())
}

// ownApp writes the app that this program carries into the data folder, and returns the command line of its handler.
func ownApp(data string) (dir string, handler []string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	dir = filepath.Join(data, "app")
	return dir, []string{self, "handler"}, writeFunctions(dir)
}
