package summary

import "product-comments/store/key/sortable"

// Value is a value that a summary counts. The zero value is a text or date: a summary does not
// distinguish them.
type Value struct {
	number   sortable.Number
	choice   string
	isNumber bool
	isChoice bool
}

// NumberValue returns the value of a number.
func NumberValue(n sortable.Number) Value { return Value{number: n, isNumber: true} }

// ChoiceValue returns the value of a choice, or of true or false.
func ChoiceValue(choice string) Value { return Value{choice: choice, isChoice: true} }

// Times returns the summary of the value that occurs n times.
func (v Value) Times(n int) Summary {
	switch {
	case v.isNumber:
		return Summary{
			Numbers: n, Sum: Times(v.number, n),
			buckets: map[bucket]int{bucketOf(v.number): n}, values: map[string]int{v.number.String(): n},
		}
	case v.isChoice:
		return Summary{Choices: map[string]int{v.choice: n}}
	}
	return Summary{Others: n}
}

// With returns the summary with a value added, or subtracted if taken. A subtraction may come
// before the addition that it belongs to: then With returns the summary unchanged, and no count
// falls below zero.
func (s Summary) With(v Value, taken bool) Summary {
	if !taken {
		return s.Plus(v.Times(1))
	}
	if !s.has(v) {
		return s
	}
	after, err := s.After(v.Times(-1))
	if err != nil { // possible for numbers that are not counted one by one
		return s
	}
	return after
}

// has reports whether the summary may count a value. For numbers that are not counted one by one,
// it looks at the bucket.
func (s Summary) has(v Value) bool {
	switch {
	case v.isNumber && s.over:
		return s.buckets[bucketOf(v.number)] > 0
	case v.isNumber:
		return s.values[v.number.String()] > 0
	case v.isChoice:
		return s.Choices[v.choice] > 0
	}
	return s.Others > 0
}
