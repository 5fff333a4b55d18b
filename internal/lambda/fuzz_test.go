package lambda

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"product-comments/internal/testkit"
	"product-comments/store/index"
	"product-comments/store/projector"
)

// FuzzEvent reads events as Lambda may give them, and deals their records: each is
// refused or of use, and none ends the process. The stream's own records take the
// same way from there on.
func FuzzEvent(f *testing.F) {
	files, err := filepath.Glob("testdata/*.json")
	testkit.Need(f, err == nil && len(files) > 0, "no events: %v", err)
	for _, name := range files {
		text := testkit.Value(os.ReadFile(name))(f)
		f.Add(text, byte(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, groups byte) {
		var event events.DynamoDBTimeWindowEvent
		if json.Unmarshal(text, &event) != nil {
			return
		}
		if len(event.Records) > 0 {
			_ = streamOf(event)
		}
		records, err := recordsOf(event.Records)
		if err != nil {
			return
		}
		n := 1 + int(groups)%64
		for _, r := range records {
			dealt := 0
			err := projector.New(nil, nil).Deal(r, n, func(group int, c index.Change) {
				if dealt++; group < 0 || group >= n || c.Before == nil && c.After == nil {
					t.Errorf("group %d of %d gets %+v", group, n, c)
				}
			})
			if err != nil && dealt > 0 || dealt > 2 {
				t.Errorf("%d groups have a change, and %v", dealt, err)
			}
		}
	})
}
