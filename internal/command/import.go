package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"product-comments/internal/ndjson"
	"product-comments/internal/sheet"
	"product-comments/internal/transfer"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/pack"
)

type importing struct {
	storeFlags
	packFlags
	Files           []string          `arg:"" optional:"" help:"Files of comments, plain or gzip; - is standard input." name:"file"`
	Rejects         string            `help:"File for the lines that are refused. The default is FILE.rejects.ndjson in the current directory, for each FILE." type:"path" placeholder:"FILE"`
	Format          transfer.Format   `help:"What the files are: ndjson, or csv with a header. The default goes by the name: csv if it ends in .csv or .csv.gz." enum:",ndjson,csv" default:""`
	Map             []string          `help:"Which field a column of CSV holds, such as product_id=productId; attributes keeps it as it is, - leaves it out. Or a ready map for a review app's files: judge.me, yotpo, loox or stamped. Comma-separated." placeholder:"COLUMN=FIELD"`
	Dates           sheet.Dates       `help:"How CSV has dates such as 02/03/2025: day-first or month-first." enum:",day-first,month-first" default:"" placeholder:"ORDER"`
	Strict          bool              `help:"Refuse lines with members that no field has, such as Text, and CSV with columns of which nothing is known. Otherwise they are left out, and told with how often they were met."`
	Default         map[string]string `help:"What lines have that lack a field, such as language=en. May be given several times." placeholder:"FIELD=VALUE" mapsep:"none"`
	Definitions     string            `help:"File of definitions of attributes, as export --definitions writes it: they take the place of those that its products and groups have, before anything else is written. It may be given without files of comments." type:"path" placeholder:"FILE"`
	InferAttributes bool              `help:"Define the attributes that the files have and that nobody has defined yet, before anything is written: types from the values, choices where few differ, labels from the names. Files are then read twice."`
	AttributeGroup  string            `help:"With --infer-attributes: the group of products that the attributes are of, and that the products are put into. The default is definitions of each product's own." placeholder:"NAME"`
	Orders          []string          `help:"File of orders, lines of JSON, plain or gzip, - for standard input; may be given several times, and not together with files of comments. Of an order that is there its status goes on, but never back." placeholder:"FILE" sep:"none"`
	Restart         bool              `help:"Start over instead of going on where an import that was stopped left off."`
}

// Validate is part of kong.Validatable.
func (i *importing) Validate() error {
	if len(i.Orders) > 0 && (len(i.Files) > 0 || i.Definitions != "") {
		return errors.New("--orders: import orders by themselves, without files of comments and definitions")
	}
	if ofComments := i.Format == transfer.FormatCSV || len(i.Map) > 0 || i.Dates != "" || len(i.Default) > 0 || i.InferAttributes || i.AttributeGroup != ""; len(i.Orders) > 0 && ofComments {
		return errors.New("--orders: --format=csv, --map, --dates, --default, --infer-attributes and --attribute-group are for files of comments: orders are lines of JSON")
	}
	if len(i.Files)+len(i.Orders) == 0 && i.Definitions == "" {
		return errors.New("no files are given: name files of comments, or - for standard input, or --definitions, or --orders")
	}
	return nil
}

// Run imports the files. Lines that were refused make its status exitFound.
func (i *importing) Run(ctx context.Context) (err error) {
	if err := ndjson.CheckDefaults(i.Default); err != nil {
		return fmt.Errorf("--default %w", err)
	}
	if err := i.checkAttributes(); err != nil {
		return err
	}
	columns, err := sheet.ParseMap(i.Map)
	if err != nil {
		return fmt.Errorf("--map has %w", err)
	}
	var definitions *transfer.Definitions
	if i.Definitions != "" {
		if definitions, err = transfer.ReadDefinitions(ctx, i.Definitions); err != nil {
			return fmt.Errorf("--definitions: %w", err)
		}
	}
	log := i.logger()
	opened, err := i.openWith(ctx, log, i.packFlags.apply(store.Options{}, log))
	if err != nil {
		return err
	}
	defer func() { err = closeAfter(err, opened.Close) }()
	var learning func(context.Context, []pack.Words) error
	if len(i.Orders) == 0 {
		if learning, err = learn(ctx, opened, log); err != nil {
			return err
		}
	}
	endpoint := opened.Endpoint
	if i.onThisMachine() {
		endpoint = i.DataDir // its port may be another one the next time
	}
	options := transfer.Options{
		DataDir: i.DataDir, Endpoint: endpoint, Rejects: i.Rejects, Restart: i.Restart, Strict: i.Strict, Defaults: i.Default, Format: i.Format, Map: columns, Dates: i.Dates, Learn: learning,
		Fit: opened.Store.FitAttributes, Attributes: opened.Store.Attributes(), Definitions: definitions, Infer: i.infer(),
		Progress: os.Stderr, Terminal: term.IsTerminal(int(os.Stderr.Fd())),
	}
	var summary transfer.Summary
	if len(i.Orders) > 0 {
		summary, err = transfer.ImportOrders(ctx, opened.Store, i.Orders, options)
	} else {
		summary, err = transfer.Import(ctx, opened.Store, i.Files, options)
	}
	fmt.Println(summary)
	if err == nil && summary.Refused > 0 {
		return errRefused
	}
	return err
}

// checkAttributes refuses flags that do not go together.
func (i *importing) checkAttributes() error {
	if i.AttributeGroup == "" {
		return nil
	}
	if !i.InferAttributes {
		return fmt.Errorf("--attribute-group needs --infer-attributes")
	}
	return attributes.ValidateGroup("--attribute-group", i.AttributeGroup)
}

// infer returns what defines attributes, nil if they are left as they are.
func (i *importing) infer() *transfer.Infer {
	if !i.InferAttributes {
		return nil
	}
	return &transfer.Infer{Group: i.AttributeGroup}
}
