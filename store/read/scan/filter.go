package scan

import (
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// where sets the filter expression of a query, which passes the same comments as Passes.
func where(q *table.Query, only plan.Only) {
	var conditions []string
	name := func(attribute string) string {
		if q.Names == nil {
			q.Names, q.Values = map[string]string{}, table.Item{}
		}
		q.Names["#"+attribute] = attribute
		return "#" + attribute
	}
	oneOf := func(attribute string, values ...types.AttributeValue) {
		names := make([]string, len(values))
		in := name(attribute)
		for i, v := range values {
			names[i] = ":" + attribute + strconv.Itoa(i)
			q.Values[names[i]] = v
		}
		conditions = append(conditions, in+" IN ("+strings.Join(names, ", ")+")")
	}
	if !only.Ratings.Any() {
		var ratings []types.AttributeValue
		for _, rating := range only.Ratings.List() {
			ratings = append(ratings, table.N(rating))
		}
		oneOf(item.AttrRating, ratings...)
	}
	if !only.Languages.Any() {
		var languages []types.AttributeValue
		for _, tag := range only.Languages.List() {
			languages = append(languages, table.S(tag))
		}
		oneOf(item.AttrLanguage, languages...)
	}
	if only.Has(stats.Verified) {
		oneOf(item.AttrVerified, table.Bool(true))
	}
	if only.Has(stats.Photos) {
		conditions = append(conditions, "attribute_exists("+name(item.AttrPhotos)+")")
	}
	if only.Has(stats.Incentivized) {
		conditions = append(conditions, "attribute_exists("+name(item.AttrIncentive)+")")
	}
	if only.Has(stats.NotIncentivized) {
		conditions = append(conditions, "attribute_not_exists("+name(item.AttrIncentive)+")")
	}
	if only.Has(stats.Text) {
		exist := make([]string, len(item.AttrsOfText))
		for i, attribute := range item.AttrsOfText {
			exist[i] = "attribute_exists(" + name(attribute) + ")"
		}
		conditions = append(conditions, "("+strings.Join(exist, " OR ")+")")
	}
	q.Filter = strings.Join(conditions, " AND ")
}

// Passes reports whether a comment passes a filter.
func Passes(only plan.Only, c *item.Stored) bool {
	return only.Ratings.Has(c.Rating) && only.Languages.Has(c.Language) &&
		(!only.Has(stats.Verified) || c.IsVerified()) && (!only.Has(stats.Text) || c.HasText()) &&
		(!only.Has(stats.Photos) || len(c.Photos) > 0) &&
		(!only.Has(stats.Incentivized) || c.Incentive != "") && (!only.Has(stats.NotIncentivized) || c.Incentive == "")
}
