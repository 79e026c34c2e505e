package extract

import "github.com/tidemark/tidemark/pkg/content/extract/noise"

// filter returns the noise filter for the text of a document.
func (d Document) filter() noise.Filter {
	return noise.Filter{Exact: d.Exact, DayFirst: d.Language != "" && d.Language != "en"}
}

// appendBlock appends the hashed form of a block and a line break. It leaves out a block in which readers see
// nothing.
func appendBlock(s *noise.Filter, b Block) {
	before := len(s.Out)
	addBlock(s, b)
	if len(s.Out) > before {
		s.Out = append(s.Out, '\n')
	}
}

func addBlock(s *noise.Filter, b Block) {
	if b.Counted {
		b.Text = withoutNumbers(b.Text)
	}
	switch b.Kind {
	case Code:
		s.Code(b.Text)
	case Table:
		s.Table(b.Text)
	case List:
		s.List(b.Text)
	case Heading:
		s.Heading(b.Level, b.Text)
	default:
		s.Block(b.Text)
	}
}
