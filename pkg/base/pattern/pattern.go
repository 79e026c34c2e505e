// Package pattern compiles the regular expressions that users write. The length of their text bounds neither memory nor
// time: (.?){999} stands for thousands of instructions. So the package counts the instructions, and refuses too many
// before it needs memory for them.
package pattern

import (
	"regexp"
	"regexp/syntax"

	"github.com/tidemark/tidemark/pkg/base/fault"
)

// Pattern is a compiled regular expression (RE2). It is safe for concurrent use.
type Pattern struct {
	Regexp *regexp.Regexp
	// Size is the number of instructions of the expression's program. A hundred ranges of characters count as one more.
	// To find the expression in a text takes time in proportion to Size and to the bytes of the text, at most.
	Size int
}

// Compile compiles a regular expression. Errors: Invalid for a wrong expression, TooLarge for one whose size is larger
// than most.
func Compile(text string, most int) (*Pattern, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%w", err)
	}
	tooLarge := fault.New(fault.TooLarge, "it is too large: repeat less, or use fewer alternatives")
	// The estimate keeps the program that is counted below small. It may be larger than that program.
	const tolerance = 20
	if estimate(tree, tolerance*most) >= tolerance*most {
		return nil, tooLarge
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, fault.New(fault.Invalid, "%w", err)
	}
	size := sizeOf(program)
	if size > most {
		return nil, tooLarge
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%w", err)
	}
	return &Pattern{re, size}, nil
}

// sizeOf returns the size of a program.
func sizeOf(program *syntax.Prog) int {
	const runesPerUnit = 200 // a range has two
	runes := 0
	for i := range program.Inst {
		runes += len(program.Inst[i].Rune)
	}
	return len(program.Inst) + runes/runesPerUnit
}

// estimate estimates the number of instructions of a parsed expression, without making them. It returns at most the
// given number.
func estimate(tree *syntax.Regexp, most int) int {
	n := 1
	if tree.Op == syntax.OpLiteral {
		n = len(tree.Rune)
	}
	for _, sub := range tree.Sub {
		if n += 1 + estimate(sub, most); n >= most {
			return most
		}
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(tree.Min, tree.Max, 1) // both are at most 1000
	}
	return min(n, most)
}
