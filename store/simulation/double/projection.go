package double

// projected returns the parts of an item that some paths lead to; the whole
// item if there are no paths.
func projected(it item, paths []path) item {
	if paths == nil || it == nil {
		return it
	}
	out := item{}
	for _, p := range paths {
		if v := p.in(bindings{}, it); v != nil {
			out[p[0].name] = grown(out[p[0].name], p[1:], v)
		}
	}
	return out
}

// grown adds a value at a path to what is projected so far. The elements of a
// list that are projected follow each other.
func grown(so value, p path, v value) value {
	if len(p) == 0 {
		return v
	}
	if p[0].index < 0 {
		in, _ := so.(*document)
		if in == nil {
			in = &document{Value: item{}}
		}
		in.Value[p[0].name] = grown(in.Value[p[0].name], p[1:], v)
		return in
	}
	in, _ := so.(*list)
	if in == nil {
		in = &list{}
	}
	in.Value = append(in.Value, grown(nil, p[1:], v))
	return in
}
