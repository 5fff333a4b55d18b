package gate

import "net/http"

// FromOtherSite reports whether a browser says that a page of another site sends this
// request, and that site is not one of origins. Browsers say so in Sec-Fetch-Site, which
// pages cannot change (https://www.w3.org/TR/fetch-metadata/): none is a person who typed
// the address or followed a bookmark. A link or an image of another site comes without
// Origin, so that no origin is none that is allowed. A request without Sec-Fetch-Site is
// a program's.
func FromOtherSite(r *http.Request, origins Origins) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		origin := r.Header.Get("Origin")
		return origin == "" || !origins.Allow(origin)
	}
	return false
}
