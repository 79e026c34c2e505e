package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

// maintainer is the name and address of the maintainer in packages.
const maintainer = "Tidemark <maintainers@tidemark.invalid>"

// pack writes the deb and the rpm according to packaging/nfpm.yaml.
func (r *release) pack(t target) error {
	if err := r.compressDocs(); err != nil {
		return err
	}
	vars := map[string]string{
		"VERSION": r.version, "ARCH": t.arch, "STAGE": r.stage("archives", r.folder(t)), "GZ": r.stage("gz"),
		"PACKAGING": filepath.Join(r.root, "packaging"), "MAINTAINER": maintainer,
	}
	for _, format := range []string{"deb", "rpm"} {
		if err := r.packAs(format, vars); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
	}
	return nil
}

func (r *release) packAs(format string, vars map[string]string) error {
	text, err := os.ReadFile(filepath.Join(vars["PACKAGING"], "nfpm.yaml"))
	if err != nil {
		return err
	}
	expanded := os.Expand(string(text), func(name string) string { return vars[name] })
	config, err := nfpm.Parse(strings.NewReader(expanded))
	if err != nil {
		return err
	}
	info, err := config.Get(format)
	if err != nil {
		return err
	}
	info.MTime = r.at // the time of all files that have no time of their own
	for _, c := range info.Contents {
		if c.FileInfo != nil {
			c.FileInfo.MTime = r.at
		}
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.Validate(info); err != nil {
		return err
	}
	packager, err := nfpm.Get(format)
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(r.out(), packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	return errors.Join(packager.Package(info, f), f.Close())
}

// compressDocs compresses man pages and the changelog, as distributions require.
func (r *release) compressDocs() error {
	pages, err := filepath.Glob(r.stage("help", "man", "*"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		if err := compress(r.stage("gz", "man", filepath.Base(page)+".gz"), text); err != nil {
			return err
		}
	}
	news := fmt.Sprintf("tidemark (%s) stable; urgency=medium\n\n  * See CHANGELOG.md of this version.\n\n -- %s  %s\n",
		r.version, maintainer, r.at.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	return compress(r.stage("gz", "changelog.gz"), []byte(news))
}
