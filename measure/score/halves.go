package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
)

// drawn is the number of samples by which the interval of a difference is estimated.
const drawn = 10_000

// printSets writes the mean reciprocal rank of each set of questions. For two sets it also writes the difference, with
// its 95 % interval by the bootstrap (https://doi.org/10.1214/aos/1176344552): the questions of each set are drawn
// again, with repeats.
func printSets(out io.Writer, all []asked) {
	sets := map[string][]float64{}
	var names []string
	for _, a := range all {
		if !slices.Contains(names, a.set) {
			names = append(names, a.set)
		}
		sets[a.set] = append(sets[a.set], a.reciprocal())
	}
	if len(names) < 2 {
		return
	}
	for _, name := range names {
		fmt.Fprintf(out, "%s: %d questions, MRR %.3f\n", name, len(sets[name]), mean(sets[name]))
	}
	if len(names) == 2 {
		a, b := sets[names[0]], sets[names[1]]
		from, to := intervalOf(a, b)
		fmt.Fprintf(out, "difference %+.3f, 95 %% interval %+.3f to %+.3f\n", mean(a)-mean(b), from, to)
	}
}

// reciprocal returns the reciprocal rank of the first correct page.
func (a asked) reciprocal() float64 {
	if a.position == 0 {
		return 0
	}
	return 1 / float64(a.position)
}

// intervalOf returns the 95 % interval of the difference of two means.
func intervalOf(a, b []float64) (from, to float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	again := func(all []float64) []float64 {
		out := make([]float64, len(all))
		for i := range out {
			out[i] = all[rng.IntN(len(all))]
		}
		return out
	}
	differences := make([]float64, drawn)
	for i := range differences {
		differences[i] = mean(again(a)) - mean(again(b))
	}
	slices.Sort(differences)
	return differences[drawn/40], differences[drawn-1-drawn/40]
}

func mean(all []float64) (sum float64) {
	for _, x := range all {
		sum += x / float64(len(all))
	}
	return sum
}
