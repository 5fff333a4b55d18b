package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"product-comments/internal/delivery/outbound"
	"product-comments/internal/files/ndjson"
	pictures "product-comments/internal/files/photos"
	"product-comments/internal/files/progress"
	"product-comments/internal/files/sheet"
	"product-comments/internal/files/transfer"
	"product-comments/internal/server/admission"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/errs"
)

type importCmd struct {
	storeFlags
	keyFlags
	photoFlags
	Files           []string          `arg:"" optional:"" help:"Files of comments, plain or gzip; - is standard input." name:"file"`
	Rejects         string            `help:"File for the lines that are refused. The default is FILE.rejects.ndjson in the current directory, for each FILE." type:"path" placeholder:"FILE"`
	Format          transfer.Format   `help:"Format of the files: ndjson, or csv with a header. The default is csv for names that end in .csv or .csv.gz, else ndjson." enum:",ndjson,csv" default:""`
	Map             []string          `help:"Field of a CSV column whose name does not say it, such as sku=productId; attributes keeps the column as an attribute, published (or unpublished, of a column such as hidden) refuses rows that are not published, - ignores it. Or a ready map for a review app's files: judge.me, yotpo, loox or stamped. Comma-separated." placeholder:"COLUMN=FIELD"`
	Dates           ndjson.Dates      `help:"The meaning of ambiguous dates in CSV: day-first or month-first for 02/03/2025, unix (seconds), unix-ms or spreadsheet (days) for numbers." enum:",day-first,month-first,unix,unix-ms,spreadsheet" default:"" placeholder:"HOW"`
	Ratings         ndjson.Ratings    `help:"How CSV's ratings are read that are not whole ones from 1 to 5: half-up (4.5 is 5) or half-down (4.5 is 4) is the nearest one; out-of-10 and percent are the scale of numbers that name none, and round as half-up does." enum:",half-up,half-down,out-of-10,percent" default:"" placeholder:"HOW"`
	Null            []string          `help:"What CSV has in cells without a value; such cells are empty, and counted. The default is NULL, None, \\N, #N/A and nan, also null and NaN; --null= has none. Comma-separated." placeholder:"WORD"`
	Strict          bool              `help:"Refuse lines with unknown members, such as Text, and CSV with unknown columns, where only exact names are known. Otherwise they are ignored, counted and reported."`
	Default         map[string]string `help:"Value of a field for lines that lack it, such as language=en. May be given several times." placeholder:"FIELD=VALUE" mapsep:"none"`
	Definitions     string            `help:"File of attribute definitions, as export --definitions writes it. They replace the definitions of its products and groups before anything else is written. It may be given without files of comments." type:"path" placeholder:"FILE"`
	InferAttributes bool              `help:"Define the files' attributes that have no definition yet, before anything is written: types from the values, choices where few differ, labels from the names. Files are then read twice."`
	AttributeGroup  string            `help:"With --infer-attributes: the product group that gets the definitions, and that the products are assigned to. The default is separate definitions for each product." placeholder:"NAME"`
	Orders          []string          `help:"File of orders, NDJSON, plain or gzip, - for standard input; may be given several times, but not with files of comments. The status of an existing order advances and never goes back." placeholder:"FILE" sep:"none"`
	Events          bool              `help:"Send webhooks for the comments that are written, as for others. By default an import sends none."`
	FetchPhotos     bool              `help:"Download the pictures that lines name by a url, by https and from public addresses only: 10 MB and 15 seconds each, four at once. What a comment has already is not downloaded again. By default they are left out."`
	Restart         bool              `help:"Start from the beginning instead of continuing an import that was stopped."`
}

// Validate implements kong.Validatable.
func (i *importCmd) Validate() error {
	if len(i.Orders) > 0 && (len(i.Files) > 0 || i.Definitions != "") {
		return errors.New("--orders excludes files of comments and definitions: import orders with a command of their own")
	}
	if ofComments := i.Format == transfer.FormatCSV || len(i.Map) > 0 || i.Null != nil || i.Dates != "" || i.Ratings != "" || len(i.Default) > 0 || i.InferAttributes || i.AttributeGroup != "" || i.FetchPhotos; len(i.Orders) > 0 && ofComments {
		return errors.New("--orders excludes --format=csv, --map, --null, --dates, --ratings, --default, --infer-attributes, --attribute-group and --fetch-photos: files of orders are always NDJSON")
	}
	if len(i.Files)+len(i.Orders) == 0 && i.Definitions == "" {
		return errors.New("nothing to import: name files of comments, - for standard input, --definitions or --orders")
	}
	return nil
}

// Run imports the files. The exit status is exitFound if lines or pictures were refused.
func (i *importCmd) Run(ctx context.Context) (err error) {
	admission.Memory{Total: admission.DefaultMemory()}.Apply(gcPercent)
	if err := ndjson.CheckDefaults(i.Default); err != nil {
		return fmt.Errorf("--default %w", err)
	}
	if i.AttributeGroup != "" {
		if !i.InferAttributes {
			return errors.New("--attribute-group needs --infer-attributes")
		}
		if err := attributes.ValidateGroup("--attribute-group", i.AttributeGroup); err != nil {
			return err
		}
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
	bucket, err := i.bucket(ctx, &i.storeFlags)
	if err != nil {
		return err
	}
	if bucket != nil {
		defer func() { err = errors.Join(err, bucket.Close()) }()
	} else if i.FetchPhotos {
		return errors.New("--fetch-photos needs --photos, where photos are: give what the servers have")
	}
	return i.withKeysIfAny(ctx, &i.storeFlags, store.Options{ImportEvents: i.Events}, func(opened *openStore) error {
		endpoint := opened.Endpoint
		if i.onThisMachine() {
			endpoint = i.DataDir
		}
		options := transfer.Options{
			DataDir: i.DataDir, Endpoint: endpoint, Rejects: i.Rejects, Restart: i.Restart, Format: i.Format,
			Options: sheet.Options{Strict: i.Strict, Defaults: i.Default, Map: columns, Nulls: i.Null, Dates: i.Dates, Ratings: i.Ratings},
			Fit:     opened.Store.FitAttributes, Attributes: opened.Store.Attributes(), Families: opened.Families(), Definitions: definitions,
			Infer: i.InferAttributes, Group: i.AttributeGroup,
			Progress: progress.Stderr(),
		}
		if bucket != nil {
			options.Album = &transfer.Album{Store: opened.Store, Bucket: bucket, Reader: pictures.NewReader(pictures.DefaultMemory)}
			if i.FetchPhotos {
				client := outbound.New(outbound.Options{Redirects: true})
				defer client.Close()
				options.Album.Fetch = func(ctx context.Context, url string) ([]byte, error) {
					return client.Fetch(ctx, url, pictures.MaxBytes)
				}
			}
		}
		var summary transfer.Summary
		if len(i.Orders) > 0 {
			summary, err = transfer.ImportOrders(ctx, opened.Store, i.Orders, options)
		} else {
			summary, err = transfer.Import(ctx, opened.Store, i.Files, options)
		}
		fmt.Println(summary)
		if err == nil && summary.Refused+summary.PicturesRefused > 0 {
			return errRefused
		}
		return err
	})
}

// formatGoogle is the format of a feed.
const formatGoogle = "google-reviews"

type exportCmd struct {
	storeFlags
	feedFlags
	Format      string   `help:"Format of the output: ndjson, or google-reviews for Google's product review feed, an XML file of the products in --catalogue." enum:"ndjson,google-reviews" default:"ndjson" placeholder:"ndjson|google-reviews"`
	Rate        float64  `help:"With --orders, which reads the whole table: maximum capacity units a second; 0 is no limit." default:"0" env:"RATE" placeholder:"UNITS"`
	Product     []string `help:"The shop's product id; may be given several times." placeholder:"ID" sep:"none" type:"product"`
	Unpublished bool     `help:"Also print the products' unpublished comments, with moderators' decisions."`
	Orders      bool     `help:"Print all orders instead of comments, in the format of import --orders."`
	Photos      string   `help:"Folder to write the photos of the comments to, each in its greatest size as ID.jpg, and name them in the lines. A photo that is there already is not read again. Put the folder next to the file of comments to import both." type:"path" placeholder:"DIR"`
	PhotosFrom  string   `help:"With --photos: where photos are, as serve's --photos has it." name:"photos-from" env:"PHOTOS" placeholder:"FOLDER|s3://BUCKET"`
	Definitions string   `help:"File to write the attribute definitions of the products and their groups to, for import --definitions." type:"path" placeholder:"FILE"`
}

// Validate implements kong.Validatable.
func (e *exportCmd) Validate() error {
	if err := e.checkFeed(); err != nil || e.Format == formatGoogle {
		return err
	}
	switch {
	case e.Orders && (len(e.Product) > 0 || e.Definitions != "" || e.Unpublished):
		return errors.New("--orders excludes --product, --definitions and --unpublished: export orders with a command of their own")
	case e.Orders && e.Photos != "":
		return errors.New("--orders excludes --photos: orders have none")
	case !e.Orders && len(e.Product) == 0:
		return errors.New("missing flags: --product=ID or --orders")
	}
	return nil
}

// Run prints the comments or the orders to standard output.
func (e *exportCmd) Run(ctx context.Context) error {
	return e.withStore(ctx, func(opened *openStore) error { return e.export(ctx, opened, e.logger()) })
}

func (e *exportCmd) export(ctx context.Context, opened *openStore, log *slog.Logger) (err error) {
	if e.Format == formatGoogle {
		return e.feed(ctx, opened, log)
	}
	if e.Orders {
		bar := beginProgress(ctx, opened.Store, "export")
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
		log.Warn("the products have attribute definitions, which are not exported with comments: export them with --definitions")
	}
	album, err := e.album(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, album.Close()) }()
	n, err := transfer.Export(ctx, opened.Store, e.Product, album, os.Stdout)
	hidden, any := 0, false
	switch {
	case err != nil:
	case e.Unpublished:
		hidden, err = transfer.ExportHidden(ctx, opened.Store, e.Product, album, os.Stdout)
	default:
		any, err = transfer.AnyHidden(ctx, opened.Store)
	}
	if any && err == nil {
		log.Warn("unpublished comments are not exported: add --unpublished to include them")
	}
	if album != nil && album.Missing > 0 {
		log.Warn("the bucket lacks photos, whose lines name no file: photos verify names them", "photos", album.Missing)
	}
	log.Info("exported", "comments", n+hidden)
	return err
}

// album returns where photos are written to; nil for nowhere.
func (e *exportCmd) album(ctx context.Context) (*transfer.PhotoFolder, error) {
	if e.Photos == "" {
		return nil, nil
	}
	from := photoFlags{Photos: e.PhotosFrom}
	bucket, err := from.bucket(ctx, &e.storeFlags)
	if err == nil && bucket == nil {
		err = errors.New("--photos needs --photos-from, where photos are: give what the servers have as --photos")
	}
	if err != nil {
		return nil, err
	}
	return transfer.NewPhotoFolder(bucket, e.Photos)
}

// definitions writes the attribute definitions to the file.
func (e *exportCmd) definitions(ctx context.Context, opened *openStore) error {
	f, err := os.Create(e.Definitions)
	if err != nil {
		return err
	}
	_, err = transfer.ExportDefinitions(ctx, opened.Store, e.Product, f)
	return errors.Join(err, f.Close())
}

// defined reports whether any of the products has attribute definitions.
func (e *exportCmd) defined(ctx context.Context, opened *openStore) (bool, error) {
	for _, id := range e.Product {
		if d, err := opened.Store.Attributes().Definitions(ctx, id); err != nil || d.Any() {
			return err == nil, err
		}
	}
	return false, nil
}

type users struct {
	Export userExport `cmd:"" help:"Print everything in the table that names a person, one JSON object a line. It reads the whole table."`
	Erase  userErase  `cmd:"" help:"Erase a person: their comments or these comments' author, their votes and reports, and the user of their orders. It reads the whole table. If stopped, it continues when it is run again."`
}

// person is the argument that names a person.
type person struct {
	Subject string `arg:"" help:"The subject of their tokens, which their orders have, too." placeholder:"SUBJECT" type:"person"`
}

type userExport struct {
	storeFlags
	keyFlags
	rateFlag
	person
}

// Run prints the lines to standard output.
func (u *userExport) Run(ctx context.Context) error {
	return u.withKeysIfAny(ctx, &u.storeFlags, store.Options{}, func(opened *openStore) error {
		bar := beginProgress(ctx, opened.Store, "export")
		n, err := transfer.ExportPerson(ctx, opened.Store, u.Subject, store.ScanOptions{Rate: u.Rate, Progress: bar.Set}, os.Stdout)
		bar.End(err == nil)
		u.logger().Info("exported", "comments", n[store.TraceComment], "orders", n[store.TraceOrder],
			"votes", n[store.TraceVote],
			"reports", n[store.TraceReport], "decisions", n[store.TraceDecision])
		return err
	})
}

type userErase struct {
	storeFlags
	rateFlag
	person
	Comments string `help:"What happens to their comments: remove deletes them, anonymous keeps published ones without their author. Unpublished comments are always deleted." enum:"remove,anonymous" required:"" placeholder:"remove|anonymous"`
}

// Run erases the person and prints the result without the name.
func (u *userErase) Run(ctx context.Context) error {
	return u.withStore(ctx, func(opened *openStore) error {
		bar := beginProgress(ctx, opened.Store, "erase")
		did, err := opened.Erase(ctx, store.Erasure{
			Subject: u.Subject, Anonymous: u.Comments == "anonymous",
			ScanOptions: store.ScanOptions{Rate: u.Rate, Progress: bar.Set},
		})
		bar.End(err == nil)
		if errs.CodeOf(err) == errs.BadUserInput { // before anything was erased
			return err
		}
		fmt.Printf("removed %s, and the name from %d more; erased %s and %s; anonymized %s and %s\n",
			progress.Counted(did.Removed, "comment"), did.Anonymous, progress.Counted(did.Votes, "vote"),
			progress.Counted(did.Reports, "report"),
			progress.Counted(did.Orders, "order"), progress.Counted(did.Decisions, "decision"))
		if did.Photos > 0 {
			fmt.Printf("deleted %s that no comment had\n", progress.Counted(did.Photos, "photo"))
		}
		if err != nil { // what was erased is said all the same
			return hintRerun(err)
		}
		fmt.Printf("This is erasure %s, recorded in the table without the name. docs/security.md says what streams and backups still contain, and for how long.\n", did.ID)
		return nil
	})
}
