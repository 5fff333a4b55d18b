package main

func (r *report) printTexts(p printer) {
	if len(r.texts) == 0 {
		return
	}
	p("")
	p("What packing saves, a comment on average:")
	p("")
	p("| comments | texts | comments | item, bytes | packed | in an index | packed | read units, page without a filter | packed | write units | packed |")
	p("| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
	for _, t := range r.texts {
		p("| %s | %s | %d | %.0f | %.0f | %.0f | %.0f | %.2f | %.2f | %.2f | %.2f |", t.set, t.texts, t.plain.comments,
			t.plain.itemBytes, t.packed.itemBytes, t.plain.indexBytes, t.packed.indexBytes, t.pages[0], t.pages[1], t.plain.units, t.packed.units)
	}
}
