package sortable

import "testing"

// Another name than that of the release before makes columns of texts in a language
// and of votes unavailable until someone rebuilds them: whoever changes it tells operators.
func TestWeightsAreThoseOfTheReleaseBefore(t *testing.T) {
	if got, before := Weights(), "43b22a05e2efe83c"; got != before {
		t.Errorf("they are called %q, before it was %q", got, before)
	}
}
