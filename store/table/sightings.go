package table

import (
	"sync"
	"time"
)

// Sightings are when this process first saw what others noted in the table, by its own
// clock: what they say of the time may be hours ahead or behind. So a lease, or a time in
// which something settles, begins with the sighting: it never is too short, and no clock
// makes it longer. They are safe for concurrent use; the zero value is ready.
type Sightings[K comparable] struct {
	mu    sync.Mutex
	first map[K]time.Time
}

// See notes all that there is now, and forgets the rest.
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

// Age returns for how long this process has seen something, 0 if it has not.
func (s *Sightings[K]) Age(now time.Time, of K) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.first[of]
	if !ok {
		return 0
	}
	return max(0, now.Sub(at))
}

// Alone sees one thing and nothing else, and returns its age.
func (s *Sightings[K]) Alone(now time.Time, of K) time.Duration {
	s.See(now, of)
	return s.Age(now, of)
}
