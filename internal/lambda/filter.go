package lambda

import (
	"encoding/json"

	"product-comments/store/index"
)

// Filters returns the patterns of an event source mapping that passes the records of some
// items, and no others: those that a projector watches. A mapping takes five at most.
func Filters(watched []index.Keys) ([]string, error) {
	type attribute struct {
		S []map[string]string
	}
	var out []string
	for _, of := range watched {
		keys := map[string]attribute{}
		for name, prefix := range map[string]string{"PK": of.PK, "SK": of.SK} {
			if prefix != "" {
				keys[name] = attribute{[]map[string]string{{"prefix": prefix}}}
			}
		}
		pattern, err := json.Marshal(map[string]any{"dynamodb": map[string]any{"Keys": keys}})
		if err != nil {
			return nil, err
		}
		out = append(out, string(pattern))
	}
	return out, nil
}
