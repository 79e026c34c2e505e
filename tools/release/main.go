// Command release writes the files of a release of Tidemark: an archive for each platform, deb and rpm packages,
// lists of the parts of each binary (CycloneDX), licences, the folder for Azure, the API's description and checksums.
// `make release` calls it.
//
//	release -root DIR -version 0.1.0 -commit HASH -time UNIX [-targets linux/amd64,…]
//
// The same commit, built by the same Go, gives the same bytes. The result does not depend on the folder, the clock or
// the user. A dependency whose licence is unknown or not allowed is an error.
//
// The command is a separate module, so that its dependencies are not in the product's go.mod.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const allTargets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	r := &release{classifier: newClassifier()}
	flag.StringVar(&r.root, "root", ".", "folder of the sources")
	flag.StringVar(&r.version, "version", "", "version, as SemVer without v")
	flag.StringVar(&r.commit, "commit", "", "commit that the sources are of")
	unix := flag.Int64("time", 0, "time of that commit, in seconds since 1970; all files have it")
	targets := flag.String("targets", allTargets, "platforms, separated by commas")
	flag.Parse()
	r.at = time.Unix(*unix, 0).UTC()
	if err := r.run(strings.Split(*targets, ",")); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release is the release that is being written.
type release struct {
	root, version, commit string
	at                    time.Time
	classifier            classifier
}

// out returns the folder of the published files.
func (r *release) out() string { return filepath.Join(r.root, "build", "release") }

// stage returns a path in the folder where files are collected.
func (r *release) stage(parts ...string) string {
	return filepath.Join(append([]string{r.root, "build", "stage"}, parts...)...)
}

// asset returns the path of a published file.
func (r *release) asset(suffix string) string {
	return filepath.Join(r.out(), "tidemark_"+r.version+"_"+suffix)
}

func (r *release) run(targets []string) error {
	if r.version == "" || r.commit == "" {
		return fmt.Errorf("give -version and -commit")
	}
	for _, dir := range []string{r.out(), r.stage()} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := r.writeHelp(); err != nil {
		return err
	}
	for _, name := range targets {
		system, arch, ok := strings.Cut(name, "/")
		if !ok {
			return fmt.Errorf("target %q: want system/architecture, such as linux/amd64", name)
		}
		if err := r.publish(target{system, arch}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	described := filepath.Join(r.root, "pkg", "api", "openapi", "openapi.json")
	if err := copyFile(described, r.asset("openapi.json"), 0o644); err != nil {
		return err
	}
	return r.writeSums()
}

// publish writes everything for one platform.
func (r *release) publish(t target) error {
	if err := r.build(t); err != nil {
		return err
	}
	parts, err := r.components(t)
	if err != nil {
		return err
	}
	if err := r.writeBOM(t, parts); err != nil {
		return err
	}
	if err := r.gather(t, parts); err != nil {
		return err
	}
	if err := r.archive(t); err != nil {
		return err
	}
	if t.system != "linux" {
		return nil
	}
	if err := r.pack(t); err != nil {
		return err
	}
	if t.arch != "amd64" {
		return nil
	}
	return r.writeAzure(t)
}

// writeHelp writes man pages and completion scripts. It runs the test of the command line that makes them.
func (r *release) writeHelp() error {
	return r.do(nil, "go", "test", "./cmd/tidemark", "-count=1", "-run", "TestL2ManPagesAndCompletions", "-args",
		"-man.dir", r.stage("help"))
}

// writeAzure writes the zip that a deployment to Azure uploads.
func (r *release) writeAzure(t target) error {
	app := r.stage("azure")
	if err := r.do(nil, "go", "run", "./cmd/tidemark", "app", app, "--handler", r.binary(t)); err != nil {
		return err
	}
	return r.do(nil, "go", "run", "./tools/package", "-app", app, "-out", r.asset("azure_linux_amd64.zip"))
}

// writeSums writes SHA256SUMS as sha256sum reads it.
func (r *release) writeSums() error {
	files, err := os.ReadDir(r.out()) // sorted by name
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(r.out(), f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(b), f.Name())
		fmt.Printf("%6.1f MB  %s\n", float64(len(b))/1e6, f.Name())
	}
	return os.WriteFile(filepath.Join(r.out(), "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// command returns a command that runs in the folder of the sources. It replaces GOFLAGS, because the flags of the
// environment must not influence the binary.
func (r *release) command(env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = r.root
	cmd.Env = slices.Concat(os.Environ(), []string{"CGO_ENABLED=0", "GOFLAGS=-buildvcs=false", "GOWORK=off"}, env)
	cmd.Stderr = os.Stderr
	return cmd
}

// do runs a command. An error includes the command's output.
func (r *release) do(env []string, name string, args ...string) error {
	cmd := r.command(env, name, args...)
	cmd.Stderr = nil
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, said)
	}
	return nil
}
