package agent

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tidemark/tidemark/pkg/api"
)

const (
	pageURI   = "tidemark://items/"
	pageType  = "text/markdown"
	pagesRead = 50 // the number of pages in a listing
)

// addResources offers pages as resources: any page by its id, and a list of the indexed pages.
func (b toolbox) addResources(s *mcp.Server) {
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "page", Title: "A page", URITemplate: pageURI + "{id}",
		MIMEType: pageType, Description: "A page or file that Tidemark keeps, as Markdown, by its id."}, b.resource)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if q, ok := req.(*mcp.ListResourcesRequest); ok {
				return b.resources(ctx, q)
			}
			return next(ctx, method, req)
		}
	})
}

// resource reads a page.
func (b toolbox) resource(ctx context.Context, q *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	id, _ := strings.CutPrefix(q.Params.URI, pageURI)
	if !isID.MatchString(id) {
		return nil, mcp.ResourceNotFoundError(q.Params.URI)
	}
	a, err := b.readPage(ctx, readInput{Page: id, Tokens: mostTokens})
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: q.Params.URI, MIMEType: pageType,
		Text: a.String()}}}, nil
}

// resources lists the indexed pages.
func (b toolbox) resources(ctx context.Context, q *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	query := api.ItemQuery{Status: api.StatusIndexed, Top: pagesRead}
	if q.Params != nil {
		query.Continuation = q.Params.Cursor
	}
	page, err := api.ListItems.Call(ctx, b.Client, query)
	if err != nil {
		return nil, err
	}
	out := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, NextCursor: page.Continuation}
	for _, it := range page.Items {
		out.Resources = append(out.Resources, &mcp.Resource{URI: pageURI + it.ID, Name: it.DisplaySource,
			MIMEType: pageType})
	}
	return out, nil
}
