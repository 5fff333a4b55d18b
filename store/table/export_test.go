package table

// Drain leaves a budget without a repetition.
func (b *Budget) Drain() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = 0
}
