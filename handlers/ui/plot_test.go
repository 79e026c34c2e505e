package ui

import (
	"encoding/xml"
	"flag"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

var begin = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// on returns a point of a number of days after the begin. No amount stands for no value.
func on(day int, amounts ...float64) plotPoint {
	p := plotPoint{At: begin.AddDate(0, 0, day)}
	for _, amount := range amounts {
		p.Amount, p.Text = amount, strconv.FormatFloat(amount, 'f', -1, 64)+" EUR"
	}
	return p
}

// G2: TestG2PlotGolden compares pictures with those in testdata, which were looked at.
func TestG2PlotGolden(t *testing.T) {
	until := begin.AddDate(0, 0, 100)
	for name, h := range map[string]plotted{
		"price": {Name: "price", Unit: "EUR", Until: until,
			Points: []plotPoint{on(0, 79), on(20, 84.5), on(30), on(40, 72), on(80, 79)}},
		"always": {Name: "<b>price</b>", Until: until, Points: []plotPoint{on(0, 5)}},
		"now":    {Name: "price", Until: begin, Points: []plotPoint{on(0, -5)}},
		"gone":   {Name: "price", Unit: "EUR", Until: until, Points: []plotPoint{on(0, 1e6), on(1, 1_299_000), on(2)}},
	} {
		compare(t, name, string(h.draw()))
	}
	stock := func(day int, text, tone string) plotPoint {
		return plotPoint{At: begin.AddDate(0, 0, day), Text: text, Tone: tone}
	}
	h := plotted{Name: "availability", Until: until, Points: []plotPoint{stock(0, "InStock", "good"),
		stock(10, "OutOfStock", "bad"), stock(12, "OutOfStock", "bad"), stock(15, "", ""), stock(50, "InStock", "good")}}
	compare(t, "bands", string(h.drawBands()))
}

func compare(t *testing.T, name, have string) {
	t.Helper()
	path := "testdata/" + name + ".svg"
	if *update {
		if err := os.WriteFile(path, []byte(have+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), have+"\n"); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// G2: TestG2PlotOfNothing checks that a history without a value has no picture.
func TestG2PlotOfNothing(t *testing.T) {
	for _, points := range [][]plotPoint{nil, {on(0)}, {{At: begin, Text: "all", Amount: math.Inf(1)}}} {
		if have := (plotted{Points: points}).draw(); have != "" {
			t.Errorf("%v: %s", points, have)
		}
	}
	if have := (plotted{Points: []plotPoint{on(0)}}).drawBands(); have != "" {
		t.Errorf("bands: %s", have)
	}
}

// G2: TestG2ThinHistory checks of random histories that thinning keeps the order, both ends, the lowest and the
// highest value, that some value is missing, and not too much.
func TestG2ThinHistory(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var all []plotPoint
		for day := range 1 + random.IntN(3000) {
			if all = append(all, on(day, float64(random.IntN(500)))); random.IntN(90) == 0 {
				all[day].Text = ""
			}
		}
		some := thin(all, 20)
		if len(some) > 120 || len(all) <= 120 && len(some) != len(all) {
			t.Fatalf("%d of %d points", len(some), len(all))
		}
		if !slices.IsSortedFunc(some, func(a, b plotPoint) int { return a.At.Compare(b.At) }) ||
			some[0] != all[0] || some[len(some)-1] != all[len(all)-1] {
			t.Fatalf("the ends of %d points are %v and %v", len(all), some[0], some[len(some)-1])
		}
		if (firstGap(all) < 0) != (firstGap(some) < 0) {
			t.Fatal("it does not show that there was no value")
		}
		low, high := extremes(all)
		if i, j := extremes(some); low >= 0 && (some[i] != all[low] || some[j] != all[high]) {
			t.Fatalf("lowest %v, highest %v; have %v and %v", all[low], all[high], some[i], some[j])
		}
	}
}

var position = regexp.MustCompile(`\b(?:c?x|c?y|x[12]|y[12]|width)="(-?[0-9.]+)%?"`)

// checkPicture checks that a picture is well-formed, bounded, and within its frame.
func checkPicture(t *testing.T, svg string) {
	t.Helper()
	const longest = 150_000
	if len(svg) > longest {
		t.Errorf("%d bytes", len(svg))
	}
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v: %s", err, svg)
		}
	}
	if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
		t.Errorf("no number: %s", svg)
	}
	for _, m := range position.FindAllStringSubmatch(svg, -1) {
		if x, err := strconv.ParseFloat(m[1], 64); err != nil || x < -8 || x > 230 {
			t.Errorf("%s: %s", m[0], svg)
		}
	}
}

// FuzzG2Picture draws histories of any bytes: each picture is well-formed, bounded and within its frame.
func FuzzG2Picture(f *testing.F) {
	f.Add("price", "EUR", []byte{1, 79, 2, 84, 3, 0, 4, 72}, 1.0)
	f.Add("<script>", "]]>&", []byte{250, 1, 2, 3, 0, 0}, -1e300)
	f.Fuzz(func(t *testing.T, name, unit string, steps []byte, scale float64) {
		name, unit = strings.ToValidUTF8(name, ""), strings.ToValidUTF8(unit, "")
		h := plotted{Name: clean(name), Unit: clean(unit), Until: begin.AddDate(1, 0, 0)}
		at := begin
		for i := 0; i+1 < min(len(steps), 10_000); i += 2 {
			at = at.Add(time.Duration(int(steps[i])-10) * time.Hour)
			p := plotPoint{At: at, Amount: float64(steps[i+1]) * scale}
			if steps[i+1] > 0 {
				p.Text = h.Unit + strconv.Itoa(int(steps[i+1]))
			}
			h.Points = append(h.Points, p)
		}
		checkPicture(t, string(h.draw()))
		checkPicture(t, string(h.drawBands()))
	})
}

// clean returns a text of a length that fields have, without what XML does not allow.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xFFFE || r == 0xFFFF {
			return -1
		}
		return r
	}, s[:min(len(s), 60)])
}
