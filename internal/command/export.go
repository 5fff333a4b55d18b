package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"product-comments/internal/transfer"
	"product-comments/store"
)

type exporting struct {
	storeFlags
	Rate        float64  `help:"With --orders, which reads the whole table: most capacity units a second; 0 is no limit." default:"0" env:"RATE" placeholder:"UNITS"`
	Product     []string `help:"The shop's product id; may be given several times." placeholder:"ID" sep:"none"`
	Unpublished bool     `help:"Print the products' comments that are not published, too, with what moderators decided."`
	Orders      bool     `help:"Print all orders in place of comments, as import --orders reads them."`
	Definitions string   `help:"File to write the definitions of the products' attributes to, and of their groups, which import --definitions reads." type:"path" placeholder:"FILE"`
}

// Validate is part of kong.Validatable.
func (e *exporting) Validate() error {
	switch {
	case e.Orders && (len(e.Product) > 0 || e.Definitions != "" || e.Unpublished):
		return errors.New("--orders: export orders by themselves, without --product, --definitions and --unpublished")
	case !e.Orders && len(e.Product) == 0:
		return errors.New("missing flags: --product=ID or --orders")
	}
	return nil
}

// Run prints the comments, or the orders, to standard output.
func (e *exporting) Run(ctx context.Context) (err error) {
	log := e.logger()
	opened, err := e.open(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	if e.Orders {
		bar := begin(ctx, opened.Store, "export")
		n, err := transfer.ExportOrders(ctx, opened.Store, store.ScanOptions{Rate: e.Rate, Progress: bar.Set}, os.Stdout)
		bar.End(err == nil)
		log.Info("exported", "orders", n)
		return err
	}
	if e.Definitions != "" {
		if err := e.definitions(ctx, opened); err != nil {
			return fmt.Errorf("--definitions: %w", err)
		}
	} else if any, err := e.defined(ctx, opened); err != nil {
		return err
	} else if any {
		log.Warn("the products have definitions of attributes, which are not among the comments: --definitions writes them to a file")
	}
	n, err := transfer.Export(ctx, opened.Store, e.Product, os.Stdout)
	if err == nil {
		var more int
		more, err = e.hidden(ctx, opened, log)
		n += more
	}
	log.Info("exported", "comments", n)
	return err
}

// hidden prints the comments that are not published, or says that there are some.
func (e *exporting) hidden(ctx context.Context, opened *openStore, log *slog.Logger) (n int, err error) {
	if e.Unpublished {
		return transfer.ExportHidden(ctx, opened.Store, e.Product, os.Stdout)
	}
	if any, err := transfer.AnyHidden(ctx, opened.Store); err != nil || !any {
		return 0, err
	}
	log.Warn("the shop has comments that are not published: --unpublished prints those of the products, too")
	return 0, nil
}

// definitions writes them to the file.
func (e *exporting) definitions(ctx context.Context, opened *openStore) error {
	f, err := os.Create(e.Definitions)
	if err != nil {
		return err
	}
	_, err = transfer.ExportDefinitions(ctx, opened.Store.Attributes(), e.Product, f)
	return errors.Join(err, f.Close())
}

// defined tells whether any of the products has definitions.
func (e *exporting) defined(ctx context.Context, opened *openStore) (bool, error) {
	for _, id := range e.Product {
		if d, err := opened.Store.Attributes().Of(ctx, id); err != nil || d.Any() {
			return err == nil, err
		}
	}
	return false, nil
}
