package command

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"product-comments/internal/ndjson"
	"product-comments/internal/transfer"
)

type importing struct {
	storeFlags
	Files   []string          `arg:"" help:"Files of comments, plain or gzip; - is standard input." name:"file"`
	Rejects string            `help:"File for the lines that are refused. The default is FILE.rejects.ndjson in the current directory, for each FILE." type:"path" placeholder:"FILE"`
	Strict  bool              `help:"Refuse lines with members that no field has, such as Text. Otherwise they are left out, and told with how often they were met."`
	Default map[string]string `help:"What lines have that lack a field, such as language=en. May be given several times." placeholder:"FIELD=VALUE" mapsep:"none"`
	Restart bool              `help:"Start over instead of going on where an import that was stopped left off."`
}

// Run imports the files. Lines that were refused make its status exitFound.
func (i *importing) Run(ctx context.Context) (err error) {
	if err := ndjson.CheckDefaults(i.Default); err != nil {
		return fmt.Errorf("--default %w", err)
	}
	opened, err := i.open(ctx, i.logger())
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	endpoint := opened.Endpoint
	if i.engineName() == engineEmbedded {
		endpoint = i.DataDir // its port may be another one the next time
	}
	summary, err := transfer.Import(ctx, opened.Store, i.Files, transfer.Options{
		DataDir: i.DataDir, Endpoint: endpoint, Rejects: i.Rejects, Restart: i.Restart, Strict: i.Strict, Defaults: i.Default,
		Progress: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd())),
	})
	fmt.Println(summary)
	if err == nil && summary.Refused > 0 {
		return errRefused
	}
	return err
}
