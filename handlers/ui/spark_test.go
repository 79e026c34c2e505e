package ui

import (
	"encoding/xml"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidemark/tidemark/pkg/base/goldentest"
)

var begin = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// on returns a point of a number of days after the begin. No amount stands for no value.
func on(day int, amounts ...float64) plotPoint {
	p := plotPoint{At: begin.AddDate(0, 0, day)}
	for _, amount := range amounts {
		p.Amount, p.Text = amount, strconv.FormatFloat(amount, 'f', -1, 64)+" EUR"
	}
	return p
}

// G2: TestG2SparkGolden compares drawings with those in testdata, which were looked at.
func TestG2SparkGolden(t *testing.T) {
	until, limit := begin.AddDate(0, 0, 100), 75.0
	price := spark{Name: "Price", Unit: "EUR", Until: until,
		Points: []plotPoint{on(0, 79), on(20, 84.5), on(30), on(40, 72), on(80, 79)}}
	price.Level, price.Told = &limit, "told below 75"
	compare(t, "price", string(price.Large()))
	for name, s := range map[string]spark{
		"always": {Name: "<b>price</b>", Until: until, Points: []plotPoint{on(0, 5)}},
		"now":    {Name: "Price", Until: begin, Points: []plotPoint{on(0, -5)}},
		"gone":   {Name: "Price", Unit: "EUR", Until: until, Points: []plotPoint{on(0, 1e6), on(1, 1_299_000), on(2)}},
	} {
		compare(t, name, string(s.Large()))
	}
	stock := func(day int, text string, yes bool) plotPoint {
		return plotPoint{At: begin.AddDate(0, 0, day), Text: text, Yes: yes}
	}
	states := spark{Name: "Stock", Until: until, States: true, Points: []plotPoint{stock(0, "in stock", true),
		stock(10, "out of stock", false), stock(12, "out of stock", false), stock(15, "", false),
		stock(50, "in stock", true)}}
	compare(t, "states", string(states.Large()))
}

func compare(t *testing.T, name, have string) {
	t.Helper()
	goldentest.Compare(t, "testdata/"+name+".svg", have+"\n")
}

// G2: TestG2SparkOfNothing checks that a history without a value has no picture.
func TestG2SparkOfNothing(t *testing.T) {
	for _, points := range [][]plotPoint{nil, {on(0)}, {{At: begin, Text: "all", Amount: math.Inf(1)}}} {
		if have := (spark{Points: points}).Large(); have != "" {
			t.Errorf("%v: %s", points, have)
		}
	}
	if have := (spark{States: true, Points: []plotPoint{on(0)}}).Large(); have != "" {
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

var position = regexp.MustCompile(`[ "MVH](-?[0-9.]+)`)

// checkPicture checks that a picture is well-formed, bounded, and within its frame.
func checkPicture(t *testing.T, svg string) {
	t.Helper()
	const longest = 30_000
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
	for _, m := range position.FindAllStringSubmatch(drawn(svg), -1) {
		if x, err := strconv.ParseFloat(m[1], 64); err != nil || x < 0 || x > 640 {
			t.Errorf("%s: %s", m[0], svg)
		}
	}
}

// drawn returns a picture without its label.
func drawn(svg string) string {
	_, after, _ := strings.Cut(svg, `">`)
	return after
}

// FuzzG2Picture draws histories of any bytes: each picture is well-formed, bounded and within its frame.
func FuzzG2Picture(f *testing.F) {
	f.Add("price", "EUR", []byte{1, 79, 2, 84, 3, 0, 4, 72}, 1.0)
	f.Add("<script>", "]]>&", []byte{250, 1, 2, 3, 0, 0}, -1e300)
	f.Fuzz(func(t *testing.T, name, unit string, steps []byte, scale float64) {
		name, unit = strings.ToValidUTF8(name, ""), strings.ToValidUTF8(unit, "")
		h := spark{Name: clean(name), Unit: clean(unit), Until: begin.AddDate(1, 0, 0), Level: &scale}
		at := begin
		for i := 0; i+1 < min(len(steps), 10_000); i += 2 {
			at = at.Add(time.Duration(int(steps[i])-10) * time.Hour)
			p := plotPoint{At: at, Amount: float64(steps[i+1]) * scale}
			if steps[i+1] > 0 {
				p.Text = h.Unit + strconv.Itoa(int(steps[i+1]))
			}
			h.Points = append(h.Points, p)
		}
		for _, h.States = range []bool{false, true} {
			checkPicture(t, string(h.Large()))
		}
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
