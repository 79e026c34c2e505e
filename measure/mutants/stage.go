package main

import (
	"path"
	"strings"
)

// A stage is a run of some tests of one package.
type stage struct {
	dir  string
	args string // arguments of the test binary
}

// in(dir, tests) is a stage that runs those tests of a package whose names match an expression.
func in(dir, tests string) stage {
	if strings.Contains(tests, "-sim.") {
		return stage{dir, "-test.run " + tests}
	}
	return stage{dir, "-test.run ^(" + tests + ")$"}
}

// Slow tests come after the others of their package, so that most mutants do not have to wait for them. The
// simulation comes after the package's own tests, which are faster and give clearer messages.
var (
	registry   = stage{"pkg/registry", "-test.short -test.skip ^TestE3TotalBudget$"}
	total      = in("pkg/registry", "TestE3TotalBudget")
	backfill   = stage{"pkg/run/backfill", "-test.short -test.skip ^TestE11Faults$"}
	e11        = in("pkg/run/backfill", "TestE11Faults")
	simulation = in("pkg/crawl", "^TestSimulation$/^mem$ -sim.runs 80")
	faults     = in("pkg/crawl", "Test.*Faults.*")
	crawl      = stage{"pkg/crawl", "-test.short -test.skip ^Test(Simulation|A9Container|E3Several.*|.*Faults.*)$"}
	several    = in("pkg/crawl", "TestE3Several.*")
)

// stages maps each package to the tests that detect changes of its code. The tests that are most likely to detect a
// change come first.
var stages = map[string][]stage{
	"pkg/registry":            {registry, total, simulation, faults, crawl},
	"pkg/policy/host":         {all("pkg/policy/host"), registry, total, simulation, crawl, several},
	"pkg/run":                 {all("pkg/run"), all("pkg/run/rebuild"), backfill, e11},
	"pkg/run/backfill":        {backfill, e11},
	"pkg/feed":                {all("pkg/feed"), simulation},
	"pkg/storage/sqlitestore": {all("pkg/storage/sqlitestore")},
	"pkg/crawl/index":         {all("pkg/crawl/index"), all("pkg/run/rebuild"), crawl},
	"pkg/crawl/verdict":       {all("pkg/crawl/verdict"), crawl, simulation, faults},
	"pkg/crawl/politeness":    {crawl, simulation, faults},
	"pkg/crawl":               {crawl, simulation, faults},
}

func all(dir string) stage { return stage{dir, "-test.short"} }

// stages returns the stages of a mutant, which run until one detects the change.
func (m mutant) stages() (list []stage) {
	if m.by.dir != "" {
		list = append(list, m.by)
	}
	return append(list, stages[path.Dir(m.file.name)]...)
}
