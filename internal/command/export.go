package command

import (
	"context"
	"os"

	"product-comments/internal/transfer"
)

type exporting struct {
	storeFlags
	Product []string `help:"The shop's product id; may be given several times." required:"" placeholder:"ID" sep:"none"`
}

// Run prints the comments to standard output.
func (e *exporting) Run(ctx context.Context) (err error) {
	log := e.logger()
	opened, err := e.open(ctx, log)
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	n, err := transfer.Export(ctx, opened.Store, e.Product, os.Stdout)
	log.Info("exported", "comments", n)
	return err
}
