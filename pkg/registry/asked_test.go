package registry

import "github.com/tidemark/tidemark/pkg/registry/item"

// Asked is what a registration asks for.
type Asked = item.Asked
