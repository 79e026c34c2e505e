package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/tidemark/tidemark/cmd/tidemark/terminal"
	"github.com/tidemark/tidemark/pkg/app"
)

// A release has these from the linker (-X main.version=… -X main.commit=…), and not from what the
// toolchain records of a repository: the same sources without one give the same bytes.
var version, commit string

// build is what this binary was built from.
type build struct {
	Version string `json:"version"` // as SemVer; ends in -dev when no release
	Commit  string `json:"commit"`  // "unknown" when built outside a repository
	Go      string `json:"go"`
}

func versionCommand(t *terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this command, its commit and its Go",
		Example: "  tidemark version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			t.Say("%s", versionLine())
			if t.JSON {
				return json.NewEncoder(t.Out).Encode(thisBuild())
			}
			return nil
		},
	}
}

// addVersionFlag makes --version say what the command version does.
func addVersionFlag(root *cobra.Command) {
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	// Defined here, or cobra would give it -v, which is --verbose elsewhere.
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
