package sortable

import "testing"

func TestWeightsHaveAName(t *testing.T) {
	if len(Weights()) != 16 || Weights() != Weights() {
		t.Errorf("it is %q", Weights())
	}
}
