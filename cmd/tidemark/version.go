package main

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"encoding/json"

	"github.com/spf13/cobra"
)

// version is set by the linker (-X main.version=…) in a release.
var version string

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of this command",
		Example: "  tidemark version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := buildVersion()
			p.say("tidemark %s (%s, %s/%s)", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			if p.json {
				return json.NewEncoder(p.out).Encode(map[string]string{"version": v})
			}
			return nil
		},
	}
}

// buildVersion is the version of the release, else what the toolchain recorded.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(version, "unknown")
	}
	return cmp.Or(version, info.Main.Version, "unknown")
}
