package main

import (
	"testing"

	"product-comments/store/key"
)

func TestUnitsRow(t *testing.T) {
	var r unitsRow
	r.add([3]pageCost{{units: 1, queries: 1, roundTrips: 1}, {units: 3, queries: 2, roundTrips: 1}, {units: 4, queries: 2, roundTrips: 1}})
	if r.worst != [2]float64{-3, -1} || r.planned != -1 {
		t.Errorf("below part 3: worst %v, planned %g", r.worst, r.planned)
	}
	r.add([3]pageCost{{units: 2, planning: 1.5, queries: 2, roundTrips: 3}, {units: 1, queries: 1, roundTrips: 1}, {units: 2, queries: 2, roundTrips: 1}})
	if r.worst != [2]float64{0, -1} || r.planned != 1.5 {
		t.Errorf("worst %v, planned %g", r.worst, r.planned)
	}
	if r.pages != 2 || r.mean(oursPacked) != 2.25 || r.mean(part3) != 3 || r.ratio(oursPacked) != 0.75 || r.ratio(oursPlain) != 4.0/6 {
		t.Errorf("%d pages, means %g and %g, ratios %g and %g", r.pages, r.mean(oursPacked), r.mean(part3), r.ratio(oursPacked), r.ratio(oursPlain))
	}
	if s := r.sums[oursPacked]; s.queries != 3 || s.roundTrips != 4 || s.planning != 1.5 {
		t.Errorf("%+v", s)
	}
}

func TestRatingSets(t *testing.T) {
	count := [6]int{}
	for _, set := range ratingSets() {
		count[len(set.List())]++
	}
	if count != [6]int{1, 5, 10, 10, 5, 0} {
		t.Errorf("sets by their size: %v", count)
	}
	if key.AllRatings.Canonical() != 0 {
		t.Error("all ratings are a filter")
	}
}
