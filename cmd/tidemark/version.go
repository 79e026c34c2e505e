package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
)

// The linker sets version and commit in a release (-X main.version=… -X main.commit=…). The toolchain's own record of
// the repository is not used, so that the same sources give the same bytes even outside a repository.
var version, commit string

// build describes the sources and tools of this binary.
type build struct {
	Version string `json:"version"` // as SemVer; ends in -dev when not a release
	Commit  string `json:"commit"`  // "unknown" when built outside a repository
	Go      string `json:"go"`
}

const versionHelp = `version
Print the version of this command, its commit and its Go version

  tidemark version`

func versionCommand(t *terminal.Terminal) *cobra.Command {
	return command.New(versionHelp, cobra.NoArgs, func(context.Context, []string) error {
		t.Say("%s", versionLine())
		if t.JSON {
			return json.NewEncoder(t.Out).Encode(thisBuild())
		}
		return nil
	})
}

// addVersionFlag adds the flag --version, which prints the same text as the version command.
func addVersionFlag(root *cobra.Command) {
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	// The flag is defined here, because otherwise cobra would give it the short form -v, which the start command uses
	// for --verbose.
	root.Flags().Bool("version", false, "print the version of this command")
}

func versionLine() string {
	b := thisBuild()
	return fmt.Sprintf("tidemark %s (commit %s, %s, %s/%s)", b.Version, b.Commit, b.Go, runtime.GOOS, runtime.GOARCH)
}

func thisBuild() build {
	b := build{Version: cmp.Or(version, app.Version+"-dev"), Commit: commit, Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok && b.Commit == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
	}
	b.Commit = cmp.Or(b.Commit, "unknown")
	return b
}
