package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"product-comments/graph"
	"product-comments/internal/files/progress"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

type explainCmd struct {
	storeFlags
	Product        string     `help:"The shop's own product id." type:"product" placeholder:"ID" xor:"subject" required:""`
	Family         string     `help:"The shop's own id of a family, for the list of all its products." placeholder:"ID" xor:"subject" required:""`
	Languages      []string   `name:"language" aliases:"languages" help:"Only comments in one of these languages, BCP 47 tags." placeholder:"TAG"`
	IncludeRegions bool       `help:"Languages also match themselves with a script or a region: en matches en-GB."`
	Ratings        []int      `help:"Only comments with one of these ratings, such as 1,4,5." placeholder:"RATING"`
	WithText       bool       `help:"Only comments with a text."`
	VerifiedOnly   bool       `help:"Only comments of verified purchases."`
	WithPhotos     bool       `help:"Only comments with photos."`
	Incentivized   *bool      `help:"Only comments with an incentive; with false, only those without one."`
	CreatedAfter   *time.Time `help:"Only comments that were written at this time or later, such as 2026-03-09T08:07:06Z." placeholder:"TIME"`
	CreatedBefore  *time.Time `help:"Only comments that were written before this time." placeholder:"TIME"`
	Order          string     `help:"The order of the list: newest, oldest, highest-rating, lowest-rating, most-helpful, least-helpful, or the key of an attribute with :asc or :desc." default:"newest" placeholder:"ORDER"`
	Attributes     []string   `name:"attribute" help:"Only comments with these values of an attribute: key=value, key=value|value, or key=min..max of numbers and dates, where min or max may be left out." placeholder:"KEY=VALUES" sep:"none"`
	First          *int       `help:"Size of the page, 0 to 100; 20 if neither this nor --last is given." placeholder:"N" xor:"window"`
	Last           *int       `help:"Size of a page from the end of the list." placeholder:"N" xor:"window"`
	Analyze        bool       `help:"Also read the page and show its actual cost."`
}

// Run prints the plan as a tree, and the read units of planning.
func (e *explainCmd) Run(ctx context.Context) error {
	f, err := e.filter()
	if err != nil {
		return err
	}
	w, err := e.window()
	if err != nil {
		return err
	}
	return e.withStore(ctx, func(opened *openStore) error {
		if e.Family != "" {
			found, err := opened.Families().Get(ctx, []string{e.Family})
			if err != nil {
				return err
			}
			if found[0] == nil {
				return errs.Errorf(errs.NotFound, "there is no family %s", item.Printable(e.Family))
			}
			f.Family = store.FilterOf(found[0]).Family
		}
		if f.Attributes, err = e.attributes(ctx, opened.Store, f); err != nil {
			return err
		}
		if f.Order.Field == plan.ByAttribute {
			if f.Order.Sorting, err = opened.Store.Lists().Order(ctx, f, "--order", f.Order.Attribute); err != nil {
				return err
			}
		}
		planning, planned := table.WithMeter(ctx)
		p, err := opened.Explain(planning, f, w) // with empty caches
		if err != nil {
			return err
		}
		tree, read := p.String(), "read nothing"
		if units, roundTrips := planned.Read(); units > 0 || roundTrips > 0 {
			read = fmt.Sprintf("%.2f read units in %s, which a server caches for some seconds", units,
				progress.Counted(int64(roundTrips), "round trip"))
		}
		if e.Analyze {
			page, err := opened.Page(ctx, f, w)
			if err != nil {
				return err
			}
			tree = page.Tree()
		}
		fmt.Printf("%splanning: %s\n", tree, read)
		return nil
	})
}

// orders are the values of --order.
var orders = map[string]plan.Order{
	"newest": {}, "oldest": {Ascending: true}, "highest-rating": {Field: plan.ByRating},
	"lowest-rating": {Field: plan.ByRating, Ascending: true},
	"most-helpful":  {Field: plan.ByHelpful}, "least-helpful": {Field: plan.ByHelpful, Ascending: true},
}

// order parses --order.
func (e *explainCmd) order() (plan.Order, error) {
	if o, ok := orders[e.Order]; ok {
		return o, nil
	}
	for direction, ascending := range map[string]bool{":asc": true, ":desc": false} {
		if attribute, ok := strings.CutSuffix(e.Order, direction); ok && attribute != "" {
			return plan.Order{Field: plan.ByAttribute, Attribute: attribute, Ascending: ascending}, nil
		}
	}
	return plan.Order{}, errs.Invalid("--order", "%q is not an order: use newest, oldest, highest-rating, lowest-rating, most-helpful, least-helpful, or an attribute such as fit:asc", e.Order)
}

// attributes parses --attribute.
func (e *explainCmd) attributes(ctx context.Context, s *store.Store, f plan.Filter) (plan.Attributes, error) {
	filters := make([]plan.AttributeFilter, len(e.Attributes))
	for i, given := range e.Attributes {
		attribute, wanted, ok := strings.Cut(given, "=")
		if !ok {
			return "", errs.Invalid("--attribute", "%q is not of the form key=value", given)
		}
		filters[i].Key = attribute
		least, greatest, ranged := strings.Cut(wanted, "..")
		switch {
		case !ranged:
			filters[i].Equals = strings.Split(wanted, "|")
			continue
		case least != "":
			filters[i].Min = &least
		}
		if greatest != "" {
			filters[i].Max = &greatest
		}
	}
	return s.Lists().Filters(ctx, f, "--attribute", filters)
}

// filter returns the filter that the flags describe. Its errors name the flag.
func (e *explainCmd) filter() (f plan.Filter, err error) {
	if f.ProductID = e.Product; e.Family == "" {
		if err := item.ValidateProductID("--product", e.Product); err != nil {
			return f, err
		}
	}
	tags := make([]string, len(e.Languages))
	for i, tag := range e.Languages {
		if tags[i], err = item.CanonicalLanguage("--language", tag); err != nil {
			return f, err
		}
	}
	f.Languages = key.LanguagesOf(tags...)
	f.Regions = e.IncludeRegions && len(tags) > 0
	f.WithText, f.VerifiedOnly, f.WithPhotos = e.WithText, e.VerifiedOnly, e.WithPhotos
	f.Incentives = plan.IncentivesOf(e.Incentivized)
	f.Created = key.TimesOf(item.Border(e.CreatedAfter), item.Border(e.CreatedBefore))
	if f.Order, err = e.order(); err != nil {
		return f, err
	}
	f.Ratings, err = item.ValidateRatings("--ratings", e.Ratings)
	return f, err
}

func (e *explainCmd) window() (store.Window, error) {
	w, flag := store.Window{Limit: graph.PageSize}, "--first"
	switch {
	case e.First != nil:
		w.Limit = *e.First
	case e.Last != nil:
		w.Limit, w.Backward, flag = *e.Last, true, "--last"
	}
	if w.Limit < 0 || w.Limit > graph.MaxPageSize {
		return w, errs.Invalid(flag, "%d is not from 0 to %d", w.Limit, graph.MaxPageSize)
	}
	return w, nil
}
