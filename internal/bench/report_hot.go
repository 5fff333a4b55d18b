package main

func (r *report) printHot(p printer) {
	if len(r.hot) == 0 {
		return
	}
	p("")
	p("One and the same page for %d clients, the first without a filter:", hotClients)
	p("")
	p("| asked | pages/s | by part 3's | p50 ms | p99 ms | CPU µs/page |")
	p("| --- | --: | --: | --: | --: | --: |")
	for _, h := range r.hot {
		p("| %s | %.0f | %.2f | %s | %s | %s |", h.name, median(h.rates), r.hotRatio(h), h.percentile(50), h.percentile(99), h.cpuPerPage())
	}
}

// hotRatio is the rate of a way to ask by that of part 3, which is the first.
func (r *report) hotRatio(h hotFigures) float64 { return medianRatio(h.rates, r.hot[0].rates) }
