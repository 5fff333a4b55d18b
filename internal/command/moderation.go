package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
)

// moderationFlags configure the moderation of comments. docs/moderation.md explains them.
type moderationFlags struct {
	Moderation   string `help:"How comments are moderated: off publishes every comment, post publishes it unless a rule or reports hold it for a moderator, pre publishes it after a moderator's approval. A product may have its own setting. All servers of a table must have the same." enum:"off,post,pre" default:"off" env:"MODERATION"`
	Reports      int    `help:"Reports after which a comment is hidden and held for a moderator with post: 1 to 1000." default:"${reports}" env:"REPORTS"`
	BlockedWords string `help:"File with words and phrases, one a line, that hold a comment for a moderator with post; # begins a comment line." env:"BLOCKED_WORDS" type:"path" placeholder:"FILE"`
	HoldLinks    bool   `help:"Hold comments with a link for a moderator with post." env:"HOLD_LINKS"`
	HoldPhotos   bool   `help:"Hold comments with photos for a moderator with post, and edited ones with other photos than before." default:"true" negatable:"" env:"HOLD_PHOTOS"`
	ReportPace   int    `help:"Comments that a user may report in an hour, at most ${max_pace}; 0 is no limit." default:"20" env:"REPORT_PACE"`
	Notices      bool   `help:"Let visitors without a token report comments, with name and address of mail, which are kept encrypted until a moderator decides. Article 16 of the Digital Services Act asks for it." env:"NOTICES"`
	PublicReport bool   `help:"Show everyone the reports of moderation: by rating how many comments are published, refused, withdrawn or deleted, and the time to a decision." env:"PUBLIC_REPORT"`
	AuthorPace   int    `help:"Comments that an author may write in an hour before the next is held for a moderator with post, at most ${max_pace}; 0 is no limit." default:"0" env:"AUTHOR_PACE"`
}

// moderationOptions returns the options that the flags describe. Its errors name the flag.
func (f *moderationFlags) moderationOptions() (o moderation.Options, err error) {
	switch {
	case f.Reports < 1 || f.Reports > 1000:
		return o, fmt.Errorf("--reports is %d: it must be from 1 to 1000", f.Reports)
	case f.AuthorPace < 0 || f.AuthorPace > moderation.MaxPace:
		return o, fmt.Errorf("--author-pace is %d: it must be from 0 to %d", f.AuthorPace, moderation.MaxPace)
	case f.ReportPace < 0 || f.ReportPace > moderation.MaxPace:
		return o, fmt.Errorf("--report-pace is %d: it must be from 0 to %d", f.ReportPace, moderation.MaxPace)
	}
	mode, _ := moderation.ParseMode(f.Moderation) // the flag allows no other value
	o = moderation.Options{Mode: mode, Reports: f.Reports, ReportPace: f.ReportPace,
		Rules: moderation.Rules{Links: f.HoldLinks, Photos: f.HoldPhotos, Pace: f.AuthorPace}}
	if f.BlockedWords == "" {
		return o, nil
	}
	file, err := os.Open(f.BlockedWords)
	if err != nil {
		return o, fmt.Errorf("--blocked-words: %w", err)
	}
	o.Rules.Words, err = moderation.ReadWords(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return o, fmt.Errorf("--blocked-words %s: %w", f.BlockedWords, err)
	}
	return o, nil
}

type productModeration struct {
	storeFlags
	Product string `arg:"" help:"The shop's own product id." type:"product"`
	Mode    string `arg:"" help:"off, post or pre, as for serve --moderation, or shop for the server's setting." enum:"off,post,pre,shop"`
}

// Run sets the moderation of a product, or removes its setting.
func (p *productModeration) Run(ctx context.Context) error {
	if err := item.ValidateProductID("product", p.Product); err != nil {
		return err
	}
	var to *moderation.Mode
	if mode, err := moderation.ParseMode(p.Mode); err == nil { // else it is shop
		to = &mode
	}
	return p.withStore(ctx, func(opened *openStore) error {
		if err := opened.Moderation().SetMode(ctx, p.Product, to); err != nil {
			return err
		}
		fmt.Printf("product %s: new comments are moderated as %s; existing ones do not change\n", p.Product, p.Mode)
		return nil
	})
}
