package model

// PageInfo tells where a page lies in its list.
type PageInfo struct {
	HasNextPage, HasPreviousPage bool

	start, end func() (string, error) // of the first and the last edge; nil on an empty page
}

// StartCursor returns the first edge's cursor, nil on an empty page.
func (p PageInfo) StartCursor() (*string, error) { return orNone(p.start) }

// EndCursor returns the last edge's cursor, nil on an empty page.
func (p PageInfo) EndCursor() (*string, error) { return orNone(p.end) }

func orNone(cursor func() (string, error)) (*string, error) {
	if cursor == nil {
		return nil, nil
	}
	token, err := cursor()
	if err != nil {
		return nil, err
	}
	return &token, nil
}
