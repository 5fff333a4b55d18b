package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Keys adds the age of the keys that verify tokens; nil is that of a server without any.
func (t *Telemetry) Keys(age func() time.Duration) {
	if age == nil {
		return
	}
	t.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "product_comments_auth_keys_age_seconds", Help: "Seconds since the published keys that verify tokens could be read last.",
	}, func() float64 { return age().Seconds() }))
}
