package main

import "fmt"

// dearer is what a write unit costs in read units, at on-demand prices.
const dearer = 5

func (r *report) printForms(p printer) {
	if r.forms == nil {
		return
	}
	p("")
	p("Forms, %d comments, texts not packed:", formsComments)
	p("")
	p("| form | write units a comment | projector, a comment alone | projector, %d together | read units a page, 2 ratings | 3 ratings | 4 ratings | by part 3's, 2 ratings | 3 ratings | 4 ratings |", formsComments)
	p("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
	for i, f := range r.forms.forms {
		p("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |", f.name, f.write, f.alone, f.together, f.pageUnits[0], f.pageUnits[1], f.pageUnits[2],
			r.forms.ratio(i, 0), r.forms.ratio(i, 1), r.forms.ratio(i, 2))
	}
	plain, power := r.forms.forms[0], r.forms.forms[1]
	more := power.write + power.alone - plain.write - plain.alone
	p("")
	p("The power set costs %.1f write units more a comment. With a write unit at the price of %d read units it pays above so many filtered pages a comment: 2 ratings %s, 3 ratings %s, 4 ratings %s.", more, dearer,
		breakEven(more, plain.pageUnits[0]-power.pageUnits[0]), breakEven(more, plain.pageUnits[1]-power.pageUnits[1]), breakEven(more, plain.pageUnits[2]-power.pageUnits[2]))
}

// ratio is the read units of a form's pages by those of part 3.
func (f *formsFigures) ratio(form, ratings int) float64 {
	return f.forms[form].pageUnits[ratings] / f.part3[ratings]
}

func breakEven(more, saved float64) string {
	if saved <= 0 {
		return "never"
	}
	return fmt.Sprintf("%.0f", more*dearer/saved)
}
