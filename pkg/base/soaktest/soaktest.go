// Package soaktest says how much a long test does. By default it does a share of its work, which is another share in
// each test. With the flag -soak, which make soak sets, it does all of it.
package soaktest

import (
	"flag"
	"hash/fnv"
	"testing"
)

var soak = flag.Bool("soak", false, "let long tests do all of their work instead of a share")

// Share says which numbers from 0 on a test takes: the first, and the step to the next. A step of 1 takes all; so does
// -soak. Where the share begins depends on the name of the test, so that tests which do much the same try different
// numbers. If every number stands for a case before and a case after, an odd step takes both kinds.
func Share(t testing.TB, step int) (first, next int) {
	if *soak {
		return 0, 1
	}
	h := fnv.New32a()
	h.Write([]byte(t.Name()))
	return int(h.Sum32() % uint32(step)), step
}

// Count returns how often a test does something: few times, or with -soak many times.
func Count(few, many int) int {
	if *soak {
		return many
	}
	return few
}
