package reviews

import (
	"bytes"
	"encoding/json"
	"html/template"
)

// object is an object of JSON-LD.
type object map[string]any

// structured returns the JSON-LD of a section by Google's rules for review snippets: a product of
// the catalogue, its rating, and the comments of the page that have an author; empty for none.
func structured(s *section) template.HTML {
	e, p := s.Entry, s.Product
	if e == nil || p.Stats == nil || p.Stats.AverageRating == nil || p.Comments == nil {
		return ""
	}
	product := object{"@context": "https://schema.org", "@type": "Product", "name": e.Name,
		"aggregateRating": object{
			"@type": "AggregateRating", "ratingValue": *p.Stats.AverageRating, "reviewCount": p.Stats.TotalCount,
			"bestRating": 5, "worstRating": 1,
		}}
	for name, value := range map[string]string{"url": e.URL, "image": e.Image, "sku": e.SKU} {
		if value != "" {
			product[name] = value
		}
	}
	if e.Brand != "" {
		product["brand"] = object{"@type": "Brand", "name": e.Brand}
	}
	var list []object
	for _, c := range p.Comments.Nodes {
		if c.Author == "" {
			continue
		}
		one := object{"@type": "Review", "author": object{"@type": "Person", "name": c.Author},
			"datePublished": c.CreatedAt, "inLanguage": c.Language,
			"reviewRating": object{"@type": "Rating", "ratingValue": c.Rating, "bestRating": 5, "worstRating": 1}}
		if c.Title != "" {
			one["name"] = c.Title
		}
		if c.Text != "" {
			one["reviewBody"] = c.Text
		}
		list = append(list, one)
	}
	if len(list) > 0 {
		product["review"] = list
	}
	var b bytes.Buffer
	b.WriteString(`<script type="application/ld+json">`)
	if err := json.NewEncoder(&b).Encode(product); err != nil { // escapes <, > and &
		return ""
	}
	b.WriteString("</script>")
	return template.HTML(b.String()) // no part is unescaped
}
