package crawl

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidemark/tidemark/pkg/registry"
)

// pictures is page v1 with these elements in its content.
func pictures(elements ...string) page {
	p := text("v1")
	p.body = strings.Replace(p.body, "</main>", strings.Join(elements, "")+"</main>", 1)
	return p
}

const (
	crane = `<img src=/crane.jpg alt="A crane">`
	ferry = `<img src=/ferry.jpg title="The ferry">`
	buoy  = `<figure><img src=/buoy.jpg><figcaption>A buoy</figcaption></figure>`
)

// alts returns the images of a page in the index, by their texts.
func (r *rig) alts(path string) string {
	r.t.Helper()
	it := r.item(path)
	shown, err := r.Images(r.t.Context(), it)
	must(r.t, err)
	r.index.mu.Lock()
	defer r.index.mu.Unlock()
	var out []string
	if diff := cmp.Diff(r.index.pages[string(it.ID)].Images, shown); diff != "" {
		r.t.Errorf("images that are told of (-held by the index +told):\n%s", diff)
	}
	for _, img := range r.index.pages[string(it.ID)].Images {
		out = append(out, img.Alt+img.Title+img.Caption)
	}
	if len(out) != it.ImageCount {
		r.t.Errorf("imageCount %d, the index holds %q", it.ImageCount, out)
	}
	return strings.Join(out, "; ")
}

// seen is one check of /p, with the resulting images.
type seen struct {
	serve page
	asked string
	alts  string
	index string // writes
	what  string
}

// TestA18Images checks A18: the index has the images that the page shows, as far as the page allows.
func TestA18Images(t *testing.T) {
	both, one := pictures(crane, ferry), pictures(crane)
	const header = "X-Robots-Tag"
	fresh := seen{both, "GET /p", "A crane; The ferry", "put v1", "indexed"}
	for _, tt := range []struct {
		name   string
		checks []seen
	}{
		{"they leave the page and the index", []seen{fresh,
			{one, "GET /p", "A crane", "put v1", "indexed"},
			{text("v1"), "GET /p", "", "put v1", "indexed"},
			{both, "GET /p", "A crane; The ferry", "put v1", "indexed"},
		}},
		{"nothing new about them", []seen{fresh,
			{pictures(crane, ferry, "<!-- 12 ms -->"), "GET /p", "A crane; The ferry", "", "unchanged"},
			{pictures(`<img src="/crane.jpg?utm_source=a" alt="A crane">`, ferry), "GET /p", "A crane; The ferry", "",
				"unchanged"},
		}},
		{"something else is said about one", []seen{
			{one, "GET /p", "A crane", "put v1", "indexed"},
			{pictures(`<img src=/crane.jpg alt="A tall crane">`), "GET /p", "A tall crane", "put v1", "indexed"},
		}},
		{"a caption is content", []seen{
			{pictures(buoy), "GET /p", "A buoy", "put v1", "indexed"},
			{pictures(strings.Replace(buoy, "A", "The", 1)), "GET /p", "The buoy", "put v1", "indexed"},
		}},
		{"noimageindex by meta, and back", []seen{fresh,
			{page{body: "<meta name=robots content=noimageindex>" + both.body}, "GET /p", "", "put v1", "indexed"},
			{page{body: "<meta name=robots content=noimageindex>" + one.body}, "GET /p", "", "", "unchanged"},
			fresh,
		}},
		{"noimageindex by header, and back, in the same bytes", []seen{fresh,
			{both.set(header, "noimageindex"), "GET /p", "", "put v1", "indexed"},
			{both.set(header, "noimageindex"), "GET /p", "", "", "unchanged"},
			fresh,
		}},
		{"noimageindex by the header of a 304, and back", []seen{
			{both.etag("1"), "GET /p", "A crane; The ferry", "put v1", "indexed"},
			{both.etag("1").set(header, "tidemark: noimageindex"), "GET /p if 1", "", "put v1", "indexed"},
			{both.etag("1").set(header, "tidemark: noimageindex"), "GET /p", "", "", "unchanged"},
			{both.etag("1"), "GET /p", "A crane; The ferry", "put v1", "indexed"},
			{both.etag("1"), "GET /p if 1", "A crane; The ferry", "", "unchanged"},
		}},
		{"noimageindex where there are none costs no condition", []seen{
			{text("v1").etag("1").set(header, "noimageindex"), "GET /p", "", "put v1", "indexed"},
			{text("v1").etag("1").set(header, "noimageindex"), "GET /p if 1", "", "", "unchanged"},
		}},
		{"noindex takes them along, and back", []seen{fresh,
			{both.set(header, "noindex"), "GET /p", "", "remove", "notIndexed"},
			fresh,
		}},
		{"gone and back", []seen{fresh,
			{status(410), "GET /p", "A crane; The ferry", "", "missing"},
			{status(410), "GET /p", "A crane; The ferry", "", "missing"},
			{status(410), "GET /p", "", "remove", "gone"},
			fresh,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			for i, want := range tt.checks {
				r.site.put("/p", want.serve)
				it := registry.Item{}
				if i == 0 {
					it = r.first("/p")
				} else {
					it = r.next("/p")
				}
				asked, wrote := strings.Join(r.site.asked(), "; "), strings.Join(r.index.writes(), "; ")
				have := seen{want.serve, asked, r.alts("/p"), wrote, last(it)}
				if diff := cmp.Diff(want, have, cmp.AllowUnexported(seen{}, page{})); diff != "" {
					t.Errorf("check %d (-want +have):\n%s", i+1, diff)
				}
			}
		})
	}
}

// TestA18ImagesAndSchedule checks A18: changed images do not make a page's checks more frequent, but are stored like
// any content.
func TestA18ImagesAndSchedule(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", pictures(crane))
	was := r.first("/p")
	r.site.put("/p", pictures(crane, ferry))
	it := r.next("/p")
	if !it.LastChanged.Equal(was.LastChanged) || it.UnchangedChecks != 1 || it.ContentHash != was.ContentHash ||
		it.RawHash == was.RawHash {
		t.Errorf("changed %s, %d unchanged checks", it.LastChanged, it.UnchangedChecks)
	}
	if n := len(r.captures("/p")); n != 2 {
		t.Errorf("%d captures", n)
	}
}

// TestA18ImagesOfAPendingIndex checks A18: a pending page is indexed with the images that may be shown now, whatever
// the snapshot's header allowed.
func TestA18ImagesOfAPendingIndex(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", pictures(crane).etag("1"))
	r.first("/p")
	r.index.down = errIndexDown
	r.site.put("/p", pictures(crane).etag("1").set("X-Robots-Tag", "noimageindex"))
	if it := r.next("/p"); it.Status != registry.Crawled || !it.IndexPending {
		t.Fatalf("status %s", it.Status)
	}
	r.index.down = nil
	if it := r.next("/p"); it.Status != indexed || r.alts("/p") != "" {
		t.Errorf("status %s, images %q", it.Status, r.alts("/p"))
	}
}

// TestA18ImagesOfAPendingIndexThatIsOvertaken checks A18: images that the index could not accept are indexed when
// somebody forces a check of the page meanwhile.
func TestA18ImagesOfAPendingIndexThatIsOvertaken(t *testing.T) {
	r := newRig(t)
	r.site.put("/p", pictures(crane).etag("1"))
	r.first("/p")
	r.index.down = errIndexDown
	r.site.put("/p", pictures(crane, ferry).etag("2"))
	r.next("/p")
	r.index.down = nil
	r.clock.pass(time.Second)
	if it := r.first("/p"); it.Status != indexed || r.alts("/p") != "A crane; The ferry" {
		t.Errorf("status %s, images %q", it.Status, r.alts("/p"))
	}
}
