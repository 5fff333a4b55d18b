package main

import "testing"

// oneWorld is an index with one partition and loads on it.
func oneWorld(t *testing.T, loads func(*index)) *world {
	c := parsed(t)
	x := newIndex("`all`", 1, c.Limits)
	loads(x)
	return newWorld(c, x)
}

func pointsAt(key string, sorts ...float64) points {
	var list []point
	for _, s := range sorts {
		list = append(list, point{placeOf(key, s), key, 1})
	}
	return newPoints(list)
}

func TestHeatDividesALoad(t *testing.T) {
	w := oneWorld(t, func(x *index) { x.add(write, 1600, 1, pointsAt("PRODUCT#1", 0.1, 0.2, 0.3, 0.4)) })
	w.run(20*60, 60, false)
	x := w.indexes[0]
	if w.refused > 0 || len(x.partitions) < 2 {
		t.Errorf("%g units are refused by %d partitions", w.refused, len(x.partitions))
	}
	if from := x.partitions[len(x.partitions)/2].from; from.sort != 0.3 {
		t.Errorf("it was divided at %v, want the middle of the collection", from)
	}
}

// A sort key that only grows sends everything to one place.
func TestHeatDoesNotHelpTheNewestEnd(t *testing.T) {
	w := oneWorld(t, func(x *index) {
		x.add(write, 1600, 1, pointsAt("PRODUCT#1", newest))
		x.add(write, 20, 1, pointsAt("PRODUCT#2", 0.1, 0.5))
	})
	w.run(60*60, 60, false)
	if n := len(w.indexes[0].partitions); n != 1 {
		t.Errorf("%d partitions: a split was made that helps nobody", n)
	}
	if w.refused == 0 {
		t.Error("1600 units a second went to one place of 1000")
	}
	if want := "`all`, `PRODUCT#1`"; w.first != want {
		t.Errorf("first refused %s, want %s", w.first, want)
	}
}

func TestHeatWaits(t *testing.T) {
	w := oneWorld(t, func(x *index) { x.add(read, 2700, 1, pointsAt("PRODUCT#1", 0.1, 0.2)) })
	w.run(5*60-1, 1, false)
	if n := len(w.indexes[0].partitions); n != 1 {
		t.Errorf("%d partitions before five minutes", n)
	}
	w.run(1, 1, false)
	if n := len(w.indexes[0].partitions); n != 2 {
		t.Errorf("%d partitions after five minutes near the limit", n)
	}
}

func TestHeatLeavesCoolPartitions(t *testing.T) {
	w := oneWorld(t, func(x *index) { x.add(read, 2100, 1, pointsAt("PRODUCT#1", 0.1, 0.2)) })
	w.run(60*60, 60, false)
	if n := len(w.indexes[0].partitions); n != 1 {
		t.Errorf("%d partitions at 70 %% of the limit", n)
	}
}

func TestSplitsLoseNoLoad(t *testing.T) {
	c := parsed(t)
	s := newShop(1000, 1)
	x := newIndex("`all`", 4, c.Limits)
	l := x.add(write, 9000, 1, s.all)
	w := newWorld(c, x)
	w.run(40*60, 60, false)
	if len(x.partitions) < 8 {
		t.Errorf("%d partitions for 9000 units a second", len(x.partitions))
	}
	sum := 0.0
	for i := range x.partitions {
		sum += l.share[i]
		if i > 0 && x.partitions[i].from.compare(x.partitions[i-1].from) <= 0 {
			t.Fatalf("partition %d begins at %v, before %v", i, x.partitions[i].from, x.partitions[i-1].from)
		}
	}
	if sum < 0.999999 || sum > 1.000001 {
		t.Errorf("the partitions get %g of the load", sum)
	}
	for _, p := range s.all.list {
		i := x.holder(p.place)
		if from, to := x.stretch(l, i); s.all.at(p.place) < from || s.all.at(p.place) >= to {
			t.Fatalf("%s is held by partition %d, which has points %d to %d", p.key, i, from, to)
		}
	}
}
