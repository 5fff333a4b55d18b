package projector_test

import (
	"testing"

	"product-comments/store/index"
	"product-comments/store/storetest"
)

// A stream may deliver records again before the batch ends.
func TestARecordDeliveredTwice(t *testing.T) {
	s := newStore(t, 1)
	storetest.Project(t, s.Projector())
	a := arrivals(4)
	sh := open(t, s, "shard")
	projectAll(t, s, sh, []index.Record{a[0], a[1], a[1], a[0], a[1], a[2], a[3]})
	wantOnce(t, s, 4)
}
