package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// FuzzToken sends headers as they come, and tokens with any head and claims that are
// signed with the right secret. A header that nobody signed is refused; whoever comes
// in has the subject of the claims; no refusal repeats what was sent.
func FuzzToken(f *testing.F) {
	f.Add("Bearer e30.e30.", "{}", "{}")
	f.Add("Basic YTpi", `{"alg":"HS256"}`, `{"sub":"alice","iss":"https://issuer.example/","aud":"comments","exp":4000000000,"role":"author"}`)
	f.Add("Bearer  ", `{"alg":"HS256","crit":["b64"],"b64":false}`, `{"sub":7,"exp":1e400,"aud":[[]]}`)
	f.Add("bearer a.b.c", `{"alg":"none","kid":"../../dev/null"}`, `{"sub":"a","sub":"b","exp":4000000000,"nbf":-1,"realm_access":{"roles":[]}}`)
	a := shop()
	f.Fuzz(func(t *testing.T, header, head, claims string) {
		if v, err := a.Viewer(t.Context(), []string{header}); err == nil {
			t.Fatalf("%q is %+v", header, v)
		} else {
			checkRefusal(t, err, header)
		}
		signed := b64([]byte(head)) + "." + b64([]byte(claims))
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(signed))
		token := signed + "." + b64(mac.Sum(nil))
		v, err := a.Viewer(t.Context(), []string{"Bearer " + token})
		if err != nil {
			checkRefusal(t, err, token)
			return
		}
		var said map[string]any
		_ = json.Unmarshal([]byte(claims), &said)
		testkit.Need(t, said["sub"] == v.Subject && CheckSubject(v.Subject) == nil, "%+v of %s", v, claims)
	})
}

func checkRefusal(t *testing.T, err error, sent string) {
	var refusal *Refusal
	testkit.Need(t, errors.As(err, &refusal) && refusal.Reason != "" && refusal.Message != "", "%q: %v", sent, err)
	testkit.Need(t, len(sent) <= 40 || !strings.Contains(refusal.Message, sent), "it repeats what was sent: %v", err)
}
