package storetest

import (
	"time"

	"product-comments/store/comment/item"
)

// SetOptionals gives a comment a value of each optional member that it lacks.
func SetOptionals(c *item.Comment) {
	for _, o := range item.Optionals {
		switch to := o.In(c).(type) {
		case **bool:
			setIfNil(to, true)
		case **int:
			setIfNil(to, 3)
		case **string:
			setIfNil(to, "some")
		case **time.Time:
			setIfNil(to, c.CreatedAt.Add(-time.Hour))
		}
	}
}

func setIfNil[V any](to **V, v V) {
	if *to == nil {
		*to = &v
	}
}
