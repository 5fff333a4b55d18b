package table

import (
	"sync"
	"time"
)

// Sightings records when this process first saw each key, by its own clock. Times that other
// processes write into the table may be hours off. So a lease, or a time to settle, begins when
// this process first saw it: it is never too short, and no other clock makes it longer. The
// zero value is ready for use. Sightings is safe for concurrent use.
type Sightings[K comparable] struct {
	mu    sync.Mutex
	first map[K]time.Time
}

// See records all keys that exist and forgets the others.
func (s *Sightings[K]) See(now time.Time, all ...K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := make(map[K]time.Time, len(all))
	for _, k := range all {
		at, ok := s.first[k]
		if !ok || now.Before(at) { // a clock may be set back
			at = now
		}
		first[k] = at
	}
	s.first = first
}

// Age returns how long ago this process first saw a key, 0 if it has not.
func (s *Sightings[K]) Age(now time.Time, of K) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.first[of]
	if !ok {
		return 0
	}
	return max(0, now.Sub(at))
}

// Alone is See for a single key, and returns its age.
func (s *Sightings[K]) Alone(now time.Time, of K) time.Duration {
	s.See(now, of)
	return s.Age(now, of)
}
