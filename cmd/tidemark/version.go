package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker (-X main.version=…) in a release.
var version string

func versionCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this command",
		Example: "  tidemark version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			p.say("%s", versionLine())
			if p.json {
				return json.NewEncoder(p.out).Encode(map[string]string{"version": buildVersion()})
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
	return fmt.Sprintf("tidemark %s (%s, %s/%s)", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildVersion is the version of the release, else what the toolchain recorded.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(version, "unknown")
	}
	return cmp.Or(version, info.Main.Version, "unknown")
}
