package requests

import "time"

// Policy is when requests are sent.
type Policy struct {
	After time.Duration // from the delivery to the first message
	// Reminder is the time from the first message to the second; 0 for none.
	Reminder time.Duration
	Hours    Hours
	Zone     *time.Location // of Hours; UTC if nil
}

// Hours are the hours of the day in which messages are sent: from the first to before the second. The
// zero value permits all.
type Hours struct{ From, To int }

// Good returns the first time at or after a time at which messages are sent.
func (p Policy) Good(at time.Time) time.Time {
	if p.Hours == (Hours{}) || p.Hours.From == 0 && p.Hours.To == 24 {
		return at
	}
	zone := p.Zone
	if zone == nil {
		zone = time.UTC
	}
	at = at.In(zone)
	for at.Hour() < p.Hours.From || at.Hour() >= p.Hours.To { // a day may lack an hour, or have it twice
		past := time.Duration(at.Minute())*time.Minute + time.Duration(at.Second())*time.Second + time.Duration(at.Nanosecond())
		at = at.Add(time.Hour - past)
	}
	return at.UTC()
}
