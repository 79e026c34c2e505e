package migrate

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/tidemark/tidemark/pkg/content/chunk"
	"github.com/tidemark/tidemark/pkg/crawl/index"
	"github.com/tidemark/tidemark/pkg/crawl/verdict"
	"github.com/tidemark/tidemark/pkg/fetch/file"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Chunks returns the step that gives the chunks of files the names that the rules make (spec 002 §4). The root is
// FILE_ROOT. The files are indexed again from their snapshots. Their texts stay the same, so the index keeps their
// vectors, and only the names are written. Another root gives other names to local files. Nothing is merged by that, so
// the root belongs to the version of the rules, and the step runs by itself. Without a root, local files cannot be
// read. Then they keep their names, and names that were made for a root are no reason to run.
func Chunks(rebuilds *registry.Rebuilds, manifests *index.Manifests, root string) Step {
	rules := chunk.NameRules
	if root != "" {
		root = filepath.Clean(root) // /data and /data/ are one folder
		rules += ":" + url.PathEscape(root)
	}
	keeps := func(from string) bool { return root == "" && strings.HasPrefix(from, chunk.NameRules+":") }
	return Step{Name: "chunks", Rules: rules, Keeps: keeps, Run: func(ctx context.Context, cursor string,
		dry bool) (Progress, string, bool, error) {
		n := &naming{manifests: manifests, root: root, dry: dry}
		var from registry.Cursor
		_ = json.Unmarshal([]byte(cursor), &from) // "" is the start
		step, err := rebuilds.Request(ctx, registry.Rebuild{
			Run: "chunks-" + strings.ToLower(rand.Text()), Known: true, Skip: noFiles, Wanted: n.wanted,
		}, from)
		next, _ := json.Marshal(step.Next) // encoding strings cannot fail
		n.Seen = step.Items
		return n.Progress, string(next), step.Done, err
	}}
}

// noFiles reports whether a partition has no files. By REGISTRY_PARTITION_STRATEGY, partitions are schemes or hosts.
func noFiles(_ context.Context, partition string) (bool, error) {
	switch file.Kind(partition) {
	case file.Local, file.Blob, file.Share: // the partition is a scheme
		return false, nil
	}
	return !file.IsHost(partition), nil // the partition is a host, or the scheme of pages
}

// naming selects the files whose chunks have other names than the rules make. Its method wanted is safe for concurrent
// use.
type naming struct {
	manifests *index.Manifests
	root      string
	dry       bool

	mu sync.Mutex
	Progress
}

func (n *naming) wanted(ctx context.Context, it *registry.Item) (bool, error) {
	if it.Type != source.File || it.IndexedHash == "" {
		return false, nil
	}
	place, err := verdict.FileLocation(it)
	if err != nil || n.root == "" && place.Kind() == file.Local {
		return false, nil
	}
	name := verdict.FileName(it, n.root)
	uid, misnamed, err := n.manifests.Misnamed(ctx, it.ID, it.Manifest, name)
	if err != nil || !misnamed {
		return false, err
	}
	example := it.DisplaySource + ": " + cmp.Or(string(uid), "an unknown name") + " becomes " + name.Begins("") + "…"
	n.mu.Lock()
	defer n.mu.Unlock()
	n.add(Progress{Changed: 1, Examples: []string{example}})
	return !n.dry, nil
}
