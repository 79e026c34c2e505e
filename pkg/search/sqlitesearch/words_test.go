package sqlitesearch

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/tidemark/tidemark/pkg/search/postings"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/ranking"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch/tokens"
)

// TestJ10WordsHaveAVersion fails if texts are analysed otherwise than by the version of [Words].
func TestJ10WordsHaveAVersion(t *testing.T) {
	const version, digest = 1, 0x1a711b276accbb43
	h := fnv.New64a()
	analyzer := ranking.NewAnalyzer(postings.MaxWord)
	for _, text := range []string{
		"The harbour's gauges were read at 6:30, and the lamp costs €1,299.50.", "RAID-6\n: Two disks may fail.",
		"func (s *Set) Open(ctx context.Context) error { return os.ErrNotExist }", "http_parser.h --no-verify C++ x86_64",
		"Die Häfen wurden geöffnet: Straßen, Gezeitenkraftwerk.", "Les marées de l'été", "Приливы и отливы", "港口的潮汐表",
		"東京湾の潮汐", "방파제", "مرفأ",
	} {
		words, length := analyzer.Words(tokens.Separate("Tides of "+text), tokens.Separate("Guide › Open(ctx)"),
			tokens.Separate(text), 1)
		fmt.Fprintln(h, words, length)
	}
	if have := h.Sum64(); version != Words || have != digest {
		t.Errorf("words have the digest %#x: raise Words, and write both here", have)
	}
}
