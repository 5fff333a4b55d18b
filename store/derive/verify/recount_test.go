package verify_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/index/attributestats"
	"product-comments/store/index/counts/ranking"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// settle projects everything, and lets indexes run scheduled maintenance, until no backfill is left.
func (r *run) settle() {
	for left, n := true, 0; left; n++ {
		testkit.Need(r, n < 100, "backfills do not end")
		r.catchUp()
		r.maintain()
		left = n == 0 || slices.ContainsFunc(r.db.Items(), func(it table.Item) bool {
			return slices.Contains([]string{key.AttributeFills, key.PowerSetFills}, table.Text(it, key.PK))
		})
	}
	r.catchUp()
}

// maintain lets indexes run scheduled maintenance, and time pass.
func (r *run) maintain() {
	storetest.Maintain(r, r.s.Projector())
	time.Sleep(5 * time.Second)
}

// catchUp lets a new process project everything: shards before the ones that follow them.
func (r *run) catchUp() {
	r.living = [2]*process{}
	for before, after := -1, 0; before < after; before, after = after, len(r.living[0].shards) {
		r.project(0, true)
	}
}

// published returns the comments that everybody sees.
func (r *run) published() (all []item.Stored) {
	for _, it := range r.db.Items() {
		if _, ok := key.CommentID(table.Text(it, key.PK)); ok && !item.IsDeleted(it) {
			if c := testkit.Value(item.Read(it, ""))(r.T); c.State == item.Published {
				all = append(all, c)
			}
		}
	}
	return all
}

// valuesOf returns a comment's values under the definitions of its product, and their types;
// of a product that has definitions, or a comment that was found helpful, also of key.Helpful.
func (r *run) valuesOf(c *item.Stored) (defined, values map[string]string) {
	d := testkit.Value(r.s.Attributes().CurrentDefinitions(r.Context(), c.ProductID))(r.T)
	var given map[string]any
	if c.Attributes != nil {
		testkit.Must(r, json.Unmarshal(c.Attributes, &given))
	}
	defined, values = map[string]string{}, map[string]string{}
	if d.Version() != "" || slices.ContainsFunc(r.published(), func(o item.Stored) bool { return o.ProductID == c.ProductID && o.HelpfulCount() > 0 }) {
		defined[key.Helpful] = ""
	}
	for _, a := range d.List() {
		defined[a.Key] = string(a.Type)
		switch v := given[a.Key].(type) {
		case float64:
			values[a.Key] = fmt.Sprint(v)
		case string:
			if slices.ContainsFunc(a.Options, func(o attributes.Option) bool { return o.Value == v }) {
				values[a.Key] = v
			}
		}
	}
	return defined, values
}

// counts compares counts and attribute statistics with a recount.
func (r *run) counts() {
	want := map[string]int{}
	for _, c := range r.published() {
		_, values := r.valuesOf(&c)
		for _, language := range []string{"", c.Language} {
			at := c.ProductID + " " + language
			want[fmt.Sprint(at, " rated ", c.Rating)]++
			if len(c.Photos) > 0 && language != "" {
				want[at+" with photos"]++
			}
			for attribute, value := range values {
				want[fmt.Sprint(at, " ", attribute, "=", value)]++
			}
		}
	}
	got := map[string]int{}
	for _, product := range products {
		for _, language := range append([]string{""}, languages...) {
			at := product + " " + language
			counted := testkit.Value(r.s.Statistics(r.Context(), []stats.Scope{{ProductID: product, Language: language}}))(r.T)[0]
			for i, n := range counted.Tally {
				got[fmt.Sprint(at, " rated ", i+1)] = n
			}
			if language == "" {
				by, _ := counted.Counted("", 0, stats.Photos)
				for of, tally := range by {
					got[product+" "+of+" with photos"] = tally.Total()
				}
			}
			for _, attribute := range []string{fit, size} {
				of := testkit.Value(r.s.AttributeStats().Read(r.Context(), []attributestats.Attribute{{ProductID: product, Language: language, Key: attribute}}))(r.T)[0]
				for choice, n := range of.Choices {
					got[fmt.Sprint(at, " ", attribute, "=", choice)] = n
				}
				if ones, twos := want[at+" fit=1"], want[at+" fit=2.5"]; attribute == fit {
					testkit.Check(r, of.Numbers == ones+twos && testkit.Value(strconv.ParseFloat(of.Sum.String(), 64))(r.T) == float64(ones)+2.5*float64(twos), "%s: %d numbers, sum %s, want %d and %d", at, of.Numbers, of.Sum, ones, twos)
				}
			}
		}
	}
	maps.DeleteFunc(got, func(_ string, n int) bool { return n == 0 })
	maps.DeleteFunc(want, func(at string, _ int) bool { return strings.Contains(at, fit+"=") })
	testkit.Check(r, maps.Equal(got, want), "it counts\n%v, the comments are\n%v", got, want)
}

// photos checks that a record says for each photo of a comment, in any state, that it is the comment's,
// and for all others when they are deleted.
func (r *run) photos() {
	want := map[string]string{}
	for _, it := range r.db.Items() {
		if _, ok := key.CommentID(table.Text(it, key.PK)); ok && !item.IsDeleted(it) {
			c := testkit.Value(item.Read(it, ""))(r.T)
			for _, p := range c.Photos {
				testkit.Check(r, want[p.ID] == "", "two comments have the photo %s", p.ID)
				want[p.ID] = c.ID
			}
		}
	}
	for _, it := range r.db.Items() {
		if id, ok := key.PhotoOf(table.Text(it, key.PK)); ok {
			of, due := table.Text(it, "of"), table.Text(it, key.GSISK)
			testkit.Check(r, of == want[id] && (of == "") == (due != ""), "the photo %s is of %q, not of %q, and is deleted %q", id, of, want[id], due)
			delete(want, id)
		}
	}
	testkit.Check(r, len(want) == 0, "there are no records of %v", want)
}

// names checks that the sums of a product have the names of writes that change them, or
// entries of it: by these a process knows what of its own is projected.
func (r *run) names() {
	sums := map[string]index.Head{}
	for _, it := range r.db.Items() {
		if product, ok := key.ProductID(table.Text(it, key.PK)); ok && table.Text(it, key.SK) == key.StatisticsSK("") {
			sums[product] = testkit.Value(index.ParseHead(it))(r.T)
		}
	}
	for _, sh := range r.shards {
		for _, rec := range sh.records {
			whole, _, err := index.ChangeOf(rec)
			testkit.Must(r, err)
			for _, c := range whole.ByProduct() {
				one, both := cmp.Or(c.After, c.Before), c.Before != nil && c.After != nil
				changes := one != nil && (one.Defined != "" || !both || c.Before.Rating != c.After.Rating || c.Before.Language != c.After.Language || len(c.Before.Photos) > 0 != (len(c.After.Photos) > 0))
				product := c.Subject().Product
				testkit.Check(r, !changes || !c.Name.IsNumbered() || sums[product].Names.MayHave(c.Name, rec.Created), "%s: a write of %s, %s, is not among the names", product, c.ID, rec.Created)
			}
		}
	}
}

// lists compares entries of the attribute index, copies of power sets and places of the leaderboard
// with the expected ones of the comments.
func (r *run) lists() {
	want, order := map[string]bool{}, map[string]string{} // by column and place: what entries sort by
	places, counts, sums := map[string]int{}, map[string]int{}, map[string]int{}
	now := testkit.Value(r.s.Settings().Read(r.Context()))(r.T)
	for _, c := range r.published() {
		at := c.Position().SortKey()
		for _, of := range []string{" " + c.ProductID, "#" + c.Language + " " + c.ProductID} {
			if c.Rating == 5 {
				places["LEADERS"+of]++
			}
			counts[of]++
			sums[of] += c.Rating
		}
		defined, values := r.valuesOf(&c)
		bare := len(values) == 0
		if n := c.HelpfulCount(); n > 0 {
			values[key.Helpful] = fmt.Sprint(ranking.LowerBound(n, c.Down))
		}
		for attribute := range defined {
			column := key.ColumnMissing(c.ProductID, attribute).Value
			if value, has := values[attribute]; has {
				column = key.ColumnValues(c.ProductID, attribute).Value
				order[column+" "+at] = fmt.Sprintf("%12s %s", strings.NewReplacer("S", "0", "M", "1").Replace(value), at)
			} else if bare && attribute != key.Helpful {
				column = key.ColumnBare(c.ProductID).Value
			}
			want[column+" "+at] = true
		}
		for mask := 1; mask < 32 && now.PowerSets[c.ProductID] == settings.IndexReadable; mask++ {
			if mask>>(c.Rating-1)&1 == 1 {
				want[fmt.Sprintf("PRODUCT#%s/%s/%d %s", c.ProductID, c.Language, mask, at)] = true
				want[fmt.Sprintf("PRODUCT#%s/~/%d %s", c.ProductID, mask, at)] = true
			}
		}
	}
	got, ranks := map[string]bool{}, map[string]int{}
	sorted := map[string][][2]string{} // by column: sort key, and what it is by
	for _, it := range r.db.Items() {
		pk, sk := table.Text(it, key.PK), table.Text(it, key.SK)
		switch {
		case strings.HasPrefix(pk, "COLUMN#"):
			b := string(table.Bytes(it, key.SK))
			at := pk + " " + b[strings.LastIndex(b, "#")-23:]
			got[at] = true
			sorted[pk] = append(sorted[pk], [2]string{b, order[at]})
		case strings.HasPrefix(pk, "PRODUCT#") && strings.Contains(pk, "/"):
			got[pk+" "+sk] = true
		case strings.HasPrefix(table.Text(it, key.GSIPK), "LEADERS"), strings.HasPrefix(table.Text(it, key.GSIPK), "SCORES"):
			rank, _ := key.ParseRank(table.Text(it, key.GSISK))
			ranks[table.Text(it, key.GSIPK)+" "+rank.ProductID] = rank.Number
		}
	}
	for _, at := range slices.Concat(slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got))) {
		testkit.Check(r, want[at] == got[at], "%s: demanded %t, there %t", at, want[at], got[at])
	}
	for column, entries := range sorted {
		slices.SortFunc(entries, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
		testkit.Check(r, slices.IsSortedFunc(entries, func(a, b [2]string) int { return cmp.Compare(a[1], b[1]) }), "the order of %s: %q", column, entries)
	}
	by := testkit.Value(r.s.Settings().Read(r.Context()))(r.T).Scoring.OrDefault()
	for of, n := range counts {
		if n >= by.Least {
			places["SCORES"+of] = ranking.Score(by.Mean, by.Weight, n, sums[of])
		}
	}
	testkit.Check(r, maps.Equal(ranks, places), "places are %v, want %v", ranks, places)
}
