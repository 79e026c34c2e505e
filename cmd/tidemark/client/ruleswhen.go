package client

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/tidemark/tidemark/cmd/tidemark/command"
	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/content/field/condition"
)

// The flags of a rule's condition.
const (
	flagWhen    = "when"
	flagAgainst = "against"
	flagFirst   = "first"
)

// conditionFlags adds the flags that describe the condition of a rule.
func (g *ruleFlags) conditionFlags(f *pflag.FlagSet) {
	f.StringVar(&g.sentence, flagWhen, "", "only when a value of the page meets this condition: 'price < 80 EUR', "+
		"'price changes by 10 %', 'availability goes to InStock', 'version changes', 'price disappears'")
	f.StringVar(&g.when.Against, flagAgainst, "", "what --when compares with: previous, first, lowest or highest")
	f.BoolVar(&g.when.First, flagFirst, false, "also if the first value that is read meets --when")
}

// condition changes the condition of a rule as the flags say. An empty sentence removes it.
func (g *ruleFlags) condition(spec *api.RuleSpec) error {
	c := api.Condition{}
	if spec.When != nil {
		c = *spec.When
	}
	if g.given.Changed(flagWhen) {
		if strings.TrimSpace(g.sentence) == "" {
			spec.When = nil
			return nil
		}
		read, err := condition.FromText(g.sentence)
		if err != nil {
			return command.Usagef("--%s: %s", flagWhen, err)
		}
		c = read
	}
	if g.given.Changed(flagAgainst) {
		c.Against = g.when.Against
	}
	if g.given.Changed(flagFirst) {
		c.First = g.when.First
	}
	spec.When = &c
	if _, err := condition.Parse(c); err != nil {
		return command.Usagef("--%s: %s", flagWhen, err)
	}
	return nil
}
