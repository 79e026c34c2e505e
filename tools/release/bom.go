package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	bom "github.com/CycloneDX/cyclonedx-go"
)

// writeBOM writes a list of the parts of a binary, as CycloneDX.
func (r *release) writeBOM(t target, parts []component) error {
	binary, err := os.ReadFile(r.binary(t))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(binary)
	b := bom.NewBOM()
	b.Metadata = &bom.Metadata{
		Timestamp: r.at.Format(time.RFC3339),
		Component: &bom.Component{
			BOMRef: "tidemark", Type: bom.ComponentTypeApplication, Name: "tidemark", Version: r.version,
			PackageURL: purl("github.com/tidemark/tidemark", "v"+r.version),
			Hashes:     &[]bom.Hash{{Algorithm: bom.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
			Licenses:   &bom.Licenses{{License: &bom.License{ID: "Apache-2.0"}}},
			Properties: &[]bom.Property{
				{Name: "commit", Value: r.commit}, {Name: "platform", Value: t.system + "/" + t.arch},
			},
		},
	}
	var all []bom.Component
	var refs []string
	for _, p := range parts {
		c := p.describe()
		all, refs = append(all, c), append(refs, c.BOMRef)
	}
	b.Components = &all
	b.Dependencies = &[]bom.Dependency{{Ref: "tidemark", Dependencies: &refs}}
	f, err := os.Create(r.asset(t.String() + ".cdx.json"))
	if err != nil {
		return err
	}
	e := bom.NewBOMEncoder(f, bom.BOMFileFormatJSON).SetPretty(true)
	return errors.Join(e.EncodeVersion(b, bom.SpecVersion1_6), f.Close())
}

// describe converts a part to CycloneDX.
func (p component) describe() bom.Component {
	c := bom.Component{BOMRef: p.Path, Type: bom.ComponentTypeLibrary, Name: p.Path, Version: p.Version}
	if p.Dir != "" {
		c.PackageURL = purl(p.Path, p.Version)
		c.BOMRef = c.PackageURL
	}
	if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Sum, "h1:")); err == nil && len(sum) > 0 {
		c.Hashes = &[]bom.Hash{{Algorithm: bom.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
	}
	var licences bom.Licenses
	for _, id := range p.licences {
		licences = append(licences, bom.LicenseChoice{License: &bom.License{ID: id}})
	}
	c.Licenses = &licences
	return c
}

// purl returns a module's package URL, in which names are in lower case.
func purl(path, version string) string {
	return fmt.Sprintf("pkg:golang/%s@%s", strings.ToLower(path), version)
}
