package handlers

import (
	"net/http"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/entries"
)

// normalizeTelegram gives a message its identity.
func (s *server) normalizeTelegram(r *http.Request, v *Services) (int, any, error) {
	var req api.TelegramRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	return normalized(entries.NormalizeTelegram(entries.Telegram{
		Text: req.Text, Caption: req.Caption, ContentType: req.ContentType,
		ChatID: string(req.Source.ChatID), MessageID: string(req.Source.MessageID), URL: req.Source.URL,
		ForwardedFrom: req.Source.ForwardedFrom, Date: req.Source.Date,
	}, v.Rules))
}

// normalizeEmail gives a mail its identity.
func (s *server) normalizeEmail(r *http.Request, _ *Services) (int, any, error) {
	var req api.EmailRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	return normalized(entries.NormalizeEmail(entries.Email{
		RawText: req.RawText, From: req.From, Subject: req.Subject, ContentType: req.ContentType,
		MessageID: req.Source.MessageID, Date: req.Source.Date,
	}))
}

// normalizeWebpage cleans and measures the text of a page.
func (s *server) normalizeWebpage(r *http.Request, v *Services) (int, any, error) {
	var req api.WebpageRequest
	if err := decodeJSON(r, &req); err != nil {
		return 0, nil, err
	}
	return normalized(entries.NormalizeWebpage(entries.Webpage(req), v.Rules))
}

func normalized(f entries.Fields, err error) (int, any, error) { return http.StatusOK, f, err }
