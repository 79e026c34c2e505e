package handlers

import (
	"context"
	"encoding/base64"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/entries/entry"
)

// normalizeTelegram computes the identity of a Telegram message.
func (h *entryHandlers) normalizeTelegram(_ context.Context, req api.TelegramRequest) (any, error) {
	return entry.NormalizeTelegram(entry.Telegram{
		Text: req.Text, Caption: req.Caption, ContentType: req.ContentType,
		ChatID: string(req.Source.ChatID), MessageID: string(req.Source.MessageID), URL: req.Source.URL,
		ForwardedFrom: req.Source.ForwardedFrom, Date: req.Source.Date,
	}, h.Rules)
}

// normalizeEmail computes the identity of a mail.
func (h *entryHandlers) normalizeEmail(_ context.Context, req api.EmailRequest) (any, error) {
	if req.RawBase64 != "" {
		raw, err := base64.StdEncoding.DecodeString(req.RawBase64)
		if err != nil || req.RawText != "" {
			return nil, fault.Field("raw_base64", "raw_base64 must be base64, and given instead of raw_text, not beside it")
		}
		req.RawText = string(raw)
	}
	return entry.NormalizeEmail(entry.Email{
		RawText: req.RawText, From: req.From, Subject: req.Subject, ContentType: req.ContentType,
		MessageID: req.Source.MessageID, Date: req.Source.Date,
	})
}

// normalizeWebpage cleans the text of a page, and measures the cleaned text.
func (h *entryHandlers) normalizeWebpage(_ context.Context, req api.WebpageRequest) (any, error) {
	return entry.NormalizeWebpage(entry.Webpage(req), h.Rules)
}
