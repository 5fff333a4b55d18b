package model

// orNil returns nil for the zero value.
func orNil[T comparable](v *T) *T {
	if *v == *new(T) {
		return nil
	}
	return v
}

// each converts the elements of a list, which stay where they are.
func each[T, U any](list []T, convert func(*T) U) []U {
	out := make([]U, len(list))
	for i := range list {
		out[i] = convert(&list[i])
	}
	return out
}

// ifAny returns nil for a value that there is not.
func ifAny[T any](v T, there bool) *T {
	if !there {
		return nil
	}
	return &v
}
