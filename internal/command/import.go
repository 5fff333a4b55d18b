package command

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"product-comments/internal/ndjson"
	"product-comments/internal/sheet"
	"product-comments/internal/transfer"
	"product-comments/store"
)

type importing struct {
	storeFlags
	packFlags
	Files   []string          `arg:"" help:"Files of comments, plain or gzip; - is standard input." name:"file"`
	Rejects string            `help:"File for the lines that are refused. The default is FILE.rejects.ndjson in the current directory, for each FILE." type:"path" placeholder:"FILE"`
	Format  transfer.Format   `help:"What the files are: ndjson, or csv with a header. The default goes by the name: csv if it ends in .csv or .csv.gz." enum:",ndjson,csv" default:""`
	Map     []string          `help:"Which field a column of CSV holds, such as product_id=productId; attributes keeps it as it is, - leaves it out. Or a ready map for a review app's files: judge.me, yotpo, loox or stamped. Comma-separated." placeholder:"COLUMN=FIELD"`
	Dates   sheet.Dates       `help:"How CSV has dates such as 02/03/2025: day-first or month-first." enum:",day-first,month-first" default:"" placeholder:"ORDER"`
	Strict  bool              `help:"Refuse lines with members that no field has, such as Text, and CSV with columns of which nothing is known. Otherwise they are left out, and told with how often they were met."`
	Default map[string]string `help:"What lines have that lack a field, such as language=en. May be given several times." placeholder:"FIELD=VALUE" mapsep:"none"`
	Restart bool              `help:"Start over instead of going on where an import that was stopped left off."`
}

// Run imports the files. Lines that were refused make its status exitFound.
func (i *importing) Run(ctx context.Context) (err error) {
	if err := ndjson.CheckDefaults(i.Default); err != nil {
		return fmt.Errorf("--default %w", err)
	}
	columns, err := sheet.ParseMap(i.Map)
	if err != nil {
		return fmt.Errorf("--map has %w", err)
	}
	log := i.logger()
	opened, err := i.openWith(ctx, log, i.packFlags.apply(store.Options{}, log))
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	learn, err := learn(ctx, opened, log)
	if err != nil {
		return err
	}
	endpoint := opened.Endpoint
	if i.engineName() == engineEmbedded {
		endpoint = i.DataDir // its port may be another one the next time
	}
	summary, err := transfer.Import(ctx, opened.Store, i.Files, transfer.Options{
		DataDir: i.DataDir, Endpoint: endpoint, Rejects: i.Rejects, Restart: i.Restart, Strict: i.Strict, Defaults: i.Default, Format: i.Format, Map: columns, Dates: i.Dates, Learn: learn,
		Progress: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd())),
	})
	fmt.Println(summary)
	if err == nil && summary.Refused > 0 {
		return errRefused
	}
	return err
}
