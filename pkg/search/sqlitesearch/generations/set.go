package generations

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tidemark/tidemark/pkg/base/defaults"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/llm"
	"github.com/tidemark/tidemark/pkg/search"
	"github.com/tidemark/tidemark/pkg/search/embed"
	"github.com/tidemark/tidemark/pkg/search/sqlitesearch"
	"github.com/tidemark/tidemark/pkg/storage/sqlitefile"
)

var _ search.Index = (*Set)(nil)

// Models returns a model by its name: one for queries, and one that keeps its vectors, for texts. It returns nil for a
// model that may no longer be asked.
type Models func(name string) (queries, texts llm.Embedder)

// Set is the generations of an index. It is an index itself: the current generation answers. It is safe for concurrent
// use by one process.
type Set struct {
	folder string
	model  string // that the settings name; "" for none
	words  int    // [sqlitesearch.Words]
	models Models
	log    *slog.Logger
	open   context.Context // ends when the set is closed
	close  context.CancelFunc

	advancing sync.Mutex // held by the one who copies or switches

	mu      sync.RWMutex // guards the fields below; a write to the current generation holds it for reading
	stored  stored
	current *generation
	other   *generation // nil if there is none beside the current one
	trouble string
	pace    pace
}

// unasked is a model that the settings no longer name, and no service for it.
type unasked string

func (u unasked) Model() string { return string(u) }
func (unasked) Dimension() int  { return 0 }

func (u unasked) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return make([][]float32, len(texts)), fault.New(fault.Unavailable, "the settings no longer name the model %s", u)
}

// generation is an open generation.
type generation struct {
	*sqlitesearch.Index // without vectors for queries
	searched            search.Index
	texts               llm.Embedder // nil without a model
	pages               *embed.PageEmbedder
}

// pace is what a forecast goes by.
type pace struct {
	began time.Time
	left  int64
}

// Open opens the generations of a data folder, which must exist. The model is the one that the settings name, or "".
// Log may be nil.
func Open(folder, model string, log *slog.Logger) (*Set, error) {
	return openWith(folder, model, sqlitesearch.Words, log)
}

func openWith(folder, model string, words int, log *slog.Logger) (*Set, error) {
	defaults.Log(&log)
	s := &Set{folder: folder, model: model, words: words, log: log}
	s.open, s.close = context.WithCancel(context.Background())
	var err error
	if s.stored, err = load(folder); err != nil {
		return nil, err
	}
	if err := removeOthers(folder, s.stored.Generations); err != nil {
		return nil, err
	}
	first := &s.stored.Generations[0]
	if had, found := sqlitesearch.ModelOf(context.Background(), s.path(*first)); found {
		first.Model = had
	} else if first.Model = model; first.Words != words { // a new index is as the settings and the program say
		first.Words = words
		if err := s.stored.save(folder); err != nil {
			return nil, err
		}
	}
	if s.current, err = s.opened(*first); err != nil {
		return nil, err
	}
	if len(s.stored.Generations) > 1 {
		s.other, err = s.opened(s.stored.Generations[1])
	}
	return s, err
}

// Use sets where models come from. It must be called before any other method, and makes no request.
func (s *Set) Use(models Models) {
	s.models = models
	s.use(s.current, s.stored.Generations[0])
	if s.other != nil {
		s.use(s.other, s.stored.Generations[1])
	}
}

func (s *Set) use(of *generation, g Generation) {
	if g.Model == "" {
		return
	}
	queries, texts := s.models(g.Model)
	if queries == nil {
		queries, texts = unasked(g.Model), unasked(g.Model)
	}
	of.texts, of.pages = texts, embed.NewPageEmbedder(texts)
	of.searched = embed.NewHybrid(of.Index, queries, s.log)
}

func (s *Set) path(g Generation) string { return filepath.Join(s.folder, g.File) }

func (s *Set) opened(g Generation) (*generation, error) {
	ix, err := sqlitesearch.Open(s.path(g), sqlitesearch.Options{Log: s.log, Model: g.Model})
	if err != nil {
		return nil, err
	}
	return &generation{Index: ix, searched: ix}, nil
}

func (g *generation) model() string {
	if g.texts == nil {
		return ""
	}
	return g.texts.Model()
}

// embed adds the vectors of the generation's model to a page that has those of another model, or none.
func (g *generation) embed(ctx context.Context, p *search.Page) error {
	p.Chunks = slices.Clone(p.Chunks)
	for i, c := range p.Chunks {
		p.Chunks[i].Key, p.Chunks[i].Vector = search.BaseKey(c.Key), nil
	}
	if g.pages == nil {
		return nil
	}
	return g.pages.Embed(ctx, p)
}

// now returns the current generation, and its name.
func (s *Set) now() (*generation, Generation) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.current, s.stored.Generations[0]
}

// Current returns the id of the current generation.
func (s *Set) Current() string {
	_, g := s.now()
	return g.ID
}

// Create creates what is missing of the generations.
func (s *Set) Create(ctx context.Context) error {
	if err := s.current.Create(ctx); err != nil || s.other == nil {
		return err
	}
	return s.other.Create(ctx)
}

// Embed adds vectors of the current generation's model to a page. Where the settings name another model by now, and the
// former one does not answer, the page stays without vectors until the new generation takes over.
func (s *Set) Embed(ctx context.Context, p *search.Page) error {
	current, g := s.now()
	if current.pages == nil {
		return nil
	}
	err := current.pages.Embed(ctx, p)
	if err != nil && g.Model != s.model {
		return nil
	}
	return err
}

// Vectors returns the vectors of texts by the current generation's model.
func (s *Set) Vectors(ctx context.Context, texts []string) ([][]float32, error) {
	current, _ := s.now()
	if current.texts == nil {
		return nil, fault.Field("vectors", "no model computes vectors: set EMBEDDINGS_MODEL")
	}
	return current.texts.Embed(ctx, texts)
}

// Put writes pages to the current generation. The other one follows.
func (s *Set) Put(ctx context.Context, pages ...search.Page) error {
	for {
		want, err := s.ofCurrent(ctx, pages)
		if err != nil {
			return err
		}
		s.mu.RLock()
		if want.current != s.current { // another generation took over meanwhile
			s.mu.RUnlock()
			continue
		}
		err = want.current.Put(ctx, want.pages...)
		s.mu.RUnlock()
		return err
	}
}

// fitting are pages with the vectors of a generation's model.
type fitting struct {
	current *generation
	pages   []search.Page
}

func (s *Set) ofCurrent(ctx context.Context, pages []search.Page) (fitting, error) {
	current, g := s.now()
	out := fitting{current, slices.Clone(pages)}
	tag := ""
	if current.pages != nil {
		tag = current.pages.Tag()
	}
	for i, p := range out.pages {
		if len(p.Chunks) == 0 || search.ModelOf(p.Chunks[0].Key) == tag {
			continue
		}
		if err := current.embed(ctx, &out.pages[i]); err != nil && g.Model == s.model {
			return out, err
		}
	}
	return out, nil
}

// Remove removes a page from the current generation. The other one follows.
func (s *Set) Remove(ctx context.Context, id string, known *search.Contents) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.current.Remove(ctx, id, known)
}

// Search asks the current generation.
func (s *Set) Search(ctx context.Context, q search.Query) (search.Results, error) {
	current, g := s.now()
	found, err := current.searched.Search(ctx, q)
	found.Index = g.ID
	return found, err
}

// Follow tells what was written to the current generation. Its cursors hold when another one takes over.
func (s *Set) Follow(ctx context.Context, q search.FollowQuery) (search.Followed, error) {
	current, g := s.now()
	found, err := current.Follow(ctx, q)
	found.Index = g.ID
	return found, err
}

// Suggest completes what is typed.
func (s *Set) Suggest(ctx context.Context, typed string) ([]string, error) {
	current, _ := s.now()
	return current.Suggest(ctx, typed)
}

// Texts returns texts of chunks.
func (s *Set) Texts(ctx context.Context, id string, uids []string) (map[string]string, error) {
	current, _ := s.now()
	return current.Texts(ctx, id, uids)
}

// Page returns what the current generation holds of a page.
func (s *Set) Page(ctx context.Context, id string) (search.Page, error) {
	current, _ := s.now()
	return current.Page(ctx, id)
}

// Forget forgets deletions. The other generation forgets what it copies.
func (s *Set) Forget(ctx context.Context, before time.Time) error {
	current, _ := s.now()
	return current.Forget(ctx, before)
}

// Count returns the number of pages.
func (s *Set) Count(ctx context.Context) (int, error) {
	current, _ := s.now()
	return current.Count(ctx)
}

// Ping checks that the current generation answers.
func (s *Set) Ping(ctx context.Context) error {
	current, _ := s.now()
	return current.Ping(ctx)
}

// Inspect returns what the current generation lists of a page.
func (s *Set) Inspect(ctx context.Context, id string) (search.Stored, error) {
	current, _ := s.now()
	return current.Inspect(ctx, id)
}

// IDs lists the pages of the current generation.
func (s *Set) IDs(ctx context.Context, after string, top int) ([]string, error) {
	current, _ := s.now()
	return current.IDs(ctx, after, top)
}

// Begun says whether the current generation is being filled.
func (s *Set) Begun(ctx context.Context) (string, error) {
	current, _ := s.now()
	return current.Begun(ctx)
}

// Filled records that the current generation is filled.
func (s *Set) Filled(ctx context.Context, name string) error {
	current, _ := s.now()
	return current.Filled(ctx, name)
}

// Close closes all generations.
func (s *Set) Close() error {
	s.close()
	s.advancing.Lock()
	defer s.advancing.Unlock()
	if s.other != nil {
		if err := s.other.Close(); err != nil {
			s.log.Error("index not closed", "err", err)
		}
	}
	return s.current.Close()
}

// room returns NoRoom if the disk has no room for another generation.
func (s *Set) room(need int64) error {
	room, err := sqlitefile.RoomOf(s.folder)
	if err != nil || room.Bytes >= need {
		return nil // where it is not known, the disk will say so
	}
	return fault.New(fault.NoRoom, "there is no room for another generation of the index: it needs %d bytes, "+
		"%d are free", need, room.Bytes)
}

func nextID(last int) (id, file string) {
	return fmt.Sprintf("g%d", last), fmt.Sprintf("index-g%d.db", last)
}
