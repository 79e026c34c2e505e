package ui

import (
	"net/http"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// keysData lists the keys, with the form for a new one.
type keysData struct {
	Keys []api.Key
	Form frame.Form
	Made *api.NewKey // the key that was just made; its secret is shown once
}

// keys lists all keys.
func (a statusArea) keys(r *http.Request) (frame.Page, error) {
	return a.keysPage(r, keysData{})
}

func (a statusArea) keysPage(r *http.Request, d keysData) (frame.Page, error) {
	all, err := api.ListKeys.Call(r.Context(), a.client, api.None{})
	d.Keys = all.Keys
	p := frame.Page{Name: "keys", Title: "Keys", Data: d}
	if d.Form.Problem != nil {
		p.Status = d.Form.Problem.Status
	}
	return p, err
}

// changeKeys makes a key, or removes one.
func (a statusArea) changeKeys(r *http.Request) (frame.Page, error) {
	ctx, f := r.Context(), r.PostForm
	if name := f.Get("remove"); name != "" {
		_, err := api.RemoveKey.Call(ctx, a.client, api.KeyName{Name: name})
		return frame.GoTo("/keys?done=key-remove"), err
	}
	made, err := api.AddKey.Call(ctx, a.client, api.KeyRequest{Name: f.Get("name"), Scope: api.Scope(f.Get("scope"))})
	if problem := frame.Refusal(err); problem != nil {
		return a.keysPage(r, keysData{Form: frame.Form{Values: f, Problem: problem}})
	}
	if err != nil {
		return frame.Page{}, err
	}
	return a.keysPage(r, keysData{Made: &made})
}
