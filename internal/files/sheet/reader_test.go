package sheet

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/files/ndjson"
	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

func parseMap(t *testing.T, entries ...string) Map {
	t.Helper()
	m := testkit.Value(ParseMap(entries))(t)
	return m
}

// Rows with the header that each review app writes become comments, without a column that is unknown.
func TestReadyMaps(t *testing.T) {
	const (
		judgeMe = "title,body,rating,review_date,source,curated,reviewer_name,reviewer_email,product_id,product_handle,reply,reply_date,picture_urls,ip_address,location,metaobject_handle"
		yotpo   = "appKey,Review ID,Review Creation Date,Review Type,Review Status,Status Details,Review Source,Review Score,Review Title,Review Content,Sentiment Score,Profanity Flag," +
			"Published Image Url,Unpublished Image URL,Published Video URL,Unpublished Video URL,Comment Date,Comment Content,Comment Public,Review Tags,Thumbs Up,Thumbs Down,Order ID,Order Date," +
			"Pushed to Social,Reviewer Display Name,Reviewer Email,Reviewer Type,Reviewer Country,Reviewer Device Type,Product ID,Product Title,Product Description,Product URL,Product Image URL," +
			"Product Handle,Product Group,Product Category,Product UPC,Product SKU,Product Brand,Product MPN,Product ISBN"
		loox = "id,status,rating,email,nickname,full_name,review,date,productId,handle,img,variant,verified_purchase"
	)
	for _, test := range []struct{ name, header, row, want string }{
		{"judge.me", judgeMe,
			`Top,"Good, fast",5,2025-03-02 10:12:00 UTC,web,ok,Camille R.,c@shop.example,701,face-cream,Thanks!,2025-03-03 08:00:00 UTC,"https://a.example/1.jpg,https://a.example/2.jpg",192.0.2.1,FR,m-1`,
			`{"productId":"701","commentId":"csv-","rating":5,"language":"en","createdAt":"2025-03-02T10:12:00Z","author":"Camille R.","title":"Top","text":"Good, fast",` +
				`"attributes":{"source":"web","product_handle":"face-cream","reply":"Thanks!","reply_date":"2025-03-03 08:00:00 UTC","location":"FR"}} https://a.example/1.jpg https://a.example/2.jpg`},
		// A product without an id has its handle.
		{"judge.me", judgeMe, `Top,Fine,5,2025-03-02 10:12:00 UTC,web,ok,Ann,,,face-cream,,,,,,`,
			`{"productId":"face-cream","commentId":"csv-","rating":5,"language":"en","createdAt":"2025-03-02T10:12:00Z","author":"Ann","title":"Top","text":"Fine",` +
				`"attributes":{"source":"web","product_handle":"face-cream"}}`},
		{"judge.me", "title;body;rating;review_date;product_handle;reviewer_name", `;"He said ""no""";4.0;25/03/2024;rug;`,
			`{"productId":"rug","commentId":"csv-","rating":4,"language":"en","createdAt":"2024-03-25T00:00:00Z","text":"He said \"no\""}`},
		{"yotpo", yotpo,
			"k,9,\"Jan 2, 2025 03:04 AM\",product_review,Published,,Automatic,2,Meh,Not for me,0.2,false,https://a.example/1.jpg,https://a.example/2.jpg,,,2025-01-03 08:00:00,Sorry,true,fit," +
				"12,3,77,2024-12-24,false,Ana L.,a@shop.example,Verified Buyer,FR,mobile,999,Bag,A bag,https://shop.example/bag,https://shop.example/bag.png,bag,g,c,1,2,3,4,5",
			`{"productId":"999","commentId":"9","rating":2,"language":"en","createdAt":"2025-01-02T03:04:00Z","author":"Ana L.","title":"Meh","text":"Not for me","verifiedPurchase":true,"helpful":12,"unhelpfulVotes":3,` +
				`"attributes":{"Review Type":"product_review","Review Source":"Automatic","Comment Date":"2025-01-03 08:00:00","Comment Content":"Sorry","Comment Public":"true",` +
				`"Review Tags":"fit","Reviewer Country":"FR","Product Handle":"bag"}} https://a.example/1.jpg`},
		{"yotpo", "published,review_title,review_content,review_score,date,product_id,display_name,email,comment_content,user_type", "true,A,B,1,2020-01-02 03:04:05,7,Bo,b@shop.example,Sorry,site_review",
			`{"productId":"7","commentId":"csv-","rating":1,"language":"en","createdAt":"2020-01-02T03:04:05Z","author":"Bo","title":"A","text":"B","attributes":{"comment_content":"Sorry"}}`},
		{"loox", loox,
			"1,Active,5,a@shop.example,Julie,Julie Martin,Perfect,2024-11-05T08:00:00.000Z,8123,dress,https://a.example/x.jpg,M,true",
			`{"productId":"8123","commentId":"1","rating":5,"language":"en","createdAt":"2024-11-05T08:00:00Z","author":"Julie","text":"Perfect","verifiedPurchase":true,"attributes":{"handle":"dress","variant":"M"}} https://a.example/x.jpg`},
		{"loox", loox, "2,Active,4,,,,Nice,2024-11-05,,dress,,,N/A",
			`{"productId":"dress","commentId":"2","rating":4,"language":"en","createdAt":"2024-11-05T00:00:00Z","text":"Nice","attributes":{"handle":"dress"}}`},
		{"loox", "product_handle,rating,author,email,body,created_at,photo_url,verified_purchase",
			"dress,5,Julie,a@shop.example,Perfect,2024-11-05,https://a.example/x.jpg,f",
			`{"productId":"dress","commentId":"csv-","rating":5,"language":"en","createdAt":"2024-11-05T00:00:00Z","author":"Julie","text":"Perfect","verifiedPurchase":false} https://a.example/x.jpg`},
		{"loox", "product_handle,rating,body,created_at,incentivized", "dress,5,Perfect,2024-11-05,true",
			`{"productId":"dress","commentId":"csv-","rating":5,"language":"en","createdAt":"2024-11-05T00:00:00Z","text":"Perfect","incentive":"DISCOUNT"}`},
		{"loox", "product_handle,rating,body,created_at,incentivized,experiencedAt", "dress,5,Perfect,2024-11-05,false,2024-11-01",
			`{"productId":"dress","commentId":"csv-","rating":5,"language":"en","createdAt":"2024-11-05T00:00:00Z","text":"Perfect","experiencedAt":"2024-11-01T00:00:00Z"}`},
		{"loox", "product_handle,rating,body,created_at,incentivized", "dress,5,Perfect,2024-11-05,Free product",
			`{"productId":"dress","commentId":"csv-","rating":5,"language":"en","createdAt":"2024-11-05T00:00:00Z","text":"Perfect","incentive":"FREE_PRODUCT"}`},
		{"loox", "product_handle,rating,body,created_at,incentivized", "dress,5,Perfect,2024-11-05,N/A",
			`{"productId":"dress","commentId":"csv-","rating":5,"language":"en","createdAt":"2024-11-05T00:00:00Z","text":"Perfect"}`},
		{"stamped", "product_id,product_handle,productUrl,productImageUrl,productTitle,photoFilenames,rating,title,author,email,body,created_at,published",
			"5,mug,https://shop.example/mug,https://shop.example/mug.png,Mug,a.jpg,3,So so,Tom,t@shop.example,It leaks,2023-06-01 10:00:00,TRUE",
			`{"productId":"5","commentId":"csv-","rating":3,"language":"en","createdAt":"2023-06-01T10:00:00Z","author":"Tom","title":"So so","text":"It leaks","attributes":{"product_handle":"mug"}} a.jpg`},
	} {
		r, err := NewReader([]byte(test.header), Options{Map: parseMap(t, test.name), Defaults: map[string]string{"language": "en"}, Strict: true})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		c, unknown, err := r.Read([]byte(test.row), 2)
		if strings.HasPrefix(c.ID, "csv-") {
			c.ID = "csv-" // see TestIDs
		}
		got := strings.TrimSpace(string(ndjson.Append(nil, &c)))
		for _, p := range r.Pictures {
			got += " " + p.URL + p.File
		}
		testkit.Check(t, err == nil && got == test.want && unknown == nil, "%s: %v %q\ngot  %s\nwant %s", test.name, err, unknown, got, test.want)
	}
}

// Whether a purchase is verified is said in the words of review apps, too. A word that does not say
// it leaves it to the default.
func TestPurchases(t *testing.T) {
	r := testkit.Value(NewReader([]byte("productId,commentId,rating,language,createdAt,verifiedPurchase"),
		Options{Defaults: map[string]string{"verifiedPurchase": "true"}}))(t)
	for word, want := range map[string]bool{
		"Verified Buyer": true, "verified_buyer": true, "verified-purchase": true, "buyer": true, "t": true, "on": true, "YES": true,
		"Verified Reviewer": false, "anonymous": false, "Anonymous User": false, "nothing": false, "f": false, "off": false, "0": false,
		"N/A": true, "site_review": true, "": true,
	} {
		c, _, err := r.Read([]byte("p,c,5,en,2026-01-02,"+word), 2)
		testkit.Check(t, err == nil && *c.VerifiedPurchase == want, "%q: %v, %v", word, c.VerifiedPurchase, err)
	}
	_, _, err := r.Read([]byte("p,c,5,en,2026-01-02,perhaps"), 2)
	testkit.Fails(t, err, `verifiedPurchase: "perhaps" is not a boolean`)
}

// Ratings are read as the options say.
func TestRatingsOfRows(t *testing.T) {
	for how, want := range map[ndjson.Ratings]int{ndjson.RatingsUnknown: 0, ndjson.HalfUp: 5, ndjson.HalfDown: 4, ndjson.OutOfTen: 2, ndjson.Percent: 1} {
		r := testkit.Value(NewReader([]byte("productId;commentId;rating;language;createdAt"), Options{Ratings: how}))(t)
		c, _, err := r.Read([]byte("p;c;4,5;en;2026-01-02"), 2)
		testkit.Check(t, (err == nil) == (want > 0) && c.Rating == want, "%q: %d, %v", how, c.Rating, err)
	}
}

// NewReader reads a header in the first line.
func NewReader(header []byte, o Options) (*Reader, error) {
	return newReader(header, 1, Commas, o)
}

const (
	header = "product_id,commentId,rating,language,createdAt,title,note"
	row    = "42,c-1,5,en,2026-01-02,Good,"
)

func TestReadRefuses(t *testing.T) {
	r, err := NewReader([]byte(header), Options{Map: parseMap(t, "product_id=productId", "note=published")})
	testkit.Need(t, err == nil, "%v", err)
	for _, test := range []struct{ row, field, message string }{
		{strings.Replace(row, "42", "", 1), "product_id", "it is missing"},
		{strings.Replace(row, "c-1", "", 1), "commentId", "it is missing"},
		{strings.Replace(row, ",5,", ",7,", 1), "rating", "7 is not a rating"},
		{strings.Replace(row, ",5,", ",4.5,", 1), "rating", "is not a whole rating from 1 to 5: round it with --ratings half-up"},
		{strings.Replace(row, ",5,", `,"1,000",`, 1), "rating", "may be 1000 or 1.000"},
		{strings.Replace(row, ",5,", ",2.000,", 1), "rating", "may be 2000 or 2.000"},
		{strings.Replace(row, "en", "English", 1), "language", "is not a BCP 47"},
		{strings.Replace(row, "2026-01-02", "02/01/2026", 1), "createdAt", "--dates day-first or month-first"},
		{strings.Replace(row, "Good", strings.Repeat("x", 301), 1), "title", "the limit is 300"},
		{row + "spam", "note", "not published"},
		{row + ",", "", "the row has 8 cells, but the header has 7 columns"},
		{strings.Replace(row, "Good", `5" screen`, 1), "", "line 7, character 25: a cell has a quotation mark"},
		{strings.Replace(row, "Good", "\"\n\"Good", 1), "", "line 7, character 24: a cell begins with a quotation mark"},
		{strings.Replace(row, "Good", `"Good`, 1), "", "line 7, character"},
		{strings.Replace(row, "Good", "caf\xe9", 1), "", "line 7: it is not valid UTF-8"},
	} {
		_, _, err := r.Read([]byte(test.row), 7)
		var coded *errs.Error
		if !errors.As(err, &coded) || coded.Code != errs.BadUserInput || coded.Field != test.field || !strings.Contains(coded.Message, test.message) {
			t.Errorf("%.60q: %v, want %q %q", test.row, err, test.field, test.message)
		}
	}
	twice := testkit.Value(NewReader([]byte(header+",size,Size"), Options{Map: parseMap(t, "product_id=productId", "size=attributes.size", "Size=attributes.size")}))(t)
	_, _, err = twice.Read([]byte(row+",M,L"), 7)
	testkit.Check(t, err != nil && err.Error() == "attributes.size: it is given twice: give it once", "two columns with one attribute: %v", err)
	_, unknown, err := r.Read([]byte(row), 7)
	testkit.Check(t, err == nil && unknown == nil, "%v %v", unknown, err)
}

func TestHeaderRefuses(t *testing.T) {
	for _, test := range []struct {
		header  string
		entries []string
		strict  bool
		message string // "" if it is taken
	}{
		{header, nil, true, `no column has productId: name it with --map COLUMN=productId`},
		{header, []string{"product_id=productId"}, false, ""},
		{header, []string{"product_id=productId"}, true, `unknown column "note"`},
		{header, []string{"product_id=productId", "note=attributes.remark"}, true, ""},
		{header, []string{"Product ID=productId", "note=-"}, true, ""},
		{header, []string{"sku=productId"}, false, `the header has no column "sku", which the map names; it has "product_id", "commentId"`},
		{header, []string{"product_id=productId", "note=productId"}, false, `"product_id" and "note" are both mapped to productId`},
		{header + ",product_handle", []string{"judge.me", "product_handle=productId", "createdAt=createdAt"}, false, ""},
		{"productId,commentId,rating,language,createdAt,Text", nil, true, `did you mean "text"?`},
		{`"productId","commentId",rating,"language",createdAt`, nil, true, ""},
		{`"productId";rating;language;"createdAt, in UTC"`, []string{"createdAt, in UTC=createdAt"}, true, ""},
		{`productId|"rating"|language|createdAt`, nil, true, ""},
		{"caf\xe9", nil, false, "save the file as UTF-8"},
		{`"productId`, nil, false, "line 1"},
	} {
		r, err := NewReader([]byte(test.header), Options{Map: parseMap(t, test.entries...), Strict: test.strict})
		switch {
		case test.message == "" && err != nil, test.message != "" && (err == nil || !strings.Contains(err.Error(), test.message)):
			t.Errorf("%s %q: %v, want %q", test.header, test.entries, err, test.message)
		case err == nil && len(test.entries) == 3 && r.headers["productId"] != "product_handle":
			t.Errorf("what is given does not win over a ready map: %v", r.headers)
		}
	}
	for entry, message := range map[string]string{
		"judgeme": `"judgeme" is neither COLUMN=FIELD nor the name of a ready map: judge.me, loox, stamped, yotpo`,
		"a=Text":  `did you mean "text"?`, "a=": "unknown field", "a=attributes.": "unknown field",
	} {
		_, err := ParseMap([]string{entry})
		testkit.Check(t, err != nil && strings.Contains(err.Error(), message), "%s: %v", entry, err)
	}
}

// The same row has the same id in other files; what identifies a comment changes it.
func TestIDs(t *testing.T) {
	ids := map[string]bool{}
	for _, row := range []string{
		"1,5,en,2026-01-02,A,T,X,", "1,4,de,2026-01-02,A,T,X,thanks", "2,5,en,2026-01-02,A,T,X,", "1,5,en,2026-01-03,A,T,X,", "1,5,en,2026-01-02,AT,,X,",
		"1,5,en,2026-01-02,A,,,", "1,5,en,2026-01-02,A,,,thanks", "1,4,en,2026-01-02,A,,,", "1,5,de,2026-01-02,A,,,",
	} {
		r := testkit.Value(NewReader([]byte("productId,rating,language,createdAt,author,title,text,attributes.reply"), Options{}))(t)
		c, _, err := r.Read([]byte(row), 2)
		testkit.Need(t, err == nil, "%v", err)
		ids[c.ID] = true
	}
	testkit.Check(t, len(ids) == 7, "%d ids of 7 comments", len(ids))
}

// All rows of a file have different ids, however alike they are, and the same ones when the file
// is read again, even if a row is read twice.
func TestRowsWithoutIDsAreToldApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.StringMatching(`m,[15],(en|de),2025-01-0[12],(Anonymous)?,(Good)?,x?`), 2, 40).Draw(t, "rows")
		var ids [2][]string
		for again := range ids {
			r := testkit.Value(NewReader([]byte("productId,rating,language,createdAt,author,text,attributes.size"), Options{}))(t)
			for i, row := range rows {
				for range 1 + again {
					c, _, err := r.Read([]byte(row), int64(i)+2)
					testkit.Need(t, err == nil, "%v", err)
					ids[again] = append(ids[again][:i], c.ID)
				}
			}
		}
		testkit.Need(t, slices.Equal(ids[0], ids[1]), "%q, then %q", ids[0], ids[1])
		slices.Sort(ids[0])
		testkit.Need(t, len(slices.Compact(ids[0])) == len(rows), "%d rows have the ids %q", len(rows), ids[1])
	})
}

// Ids that a spreadsheet has rounded are refused, and no other ones.
func TestRoundedIDs(t *testing.T) {
	for id, refused := range map[string]bool{
		"1.23457E+14": true, "1,23457E+14": true, "1.23457e+14": true, "1E+14": true, "-1.5E+20": true, "1.23457E14": true, "1.E-05": true, "9.22337E+018": true,
		"123457000000000": false, "E+14": false, "12E3": false, "7E-10": false, "1.5": false, "1.5E": false, "a1E+14": false, "1E+14x": false,
	} {
		for i, column := range []string{"product_id", "commentId"} {
			r := testkit.Value(NewReader([]byte(header), Options{Map: parseMap(t, "product_id=productId")}))(t)
			_, _, err := r.Read([]byte(strings.Replace(row, []string{"42", "c-1"}[i], `"`+id+`"`, 1)), 2)
			want := fmt.Sprintf("%s: %q is an id that a spreadsheet has rounded, so other rows may have it, too: format the column as text", column, id)
			testkit.Check(t, (err != nil) == refused && (!refused || strings.HasPrefix(err.Error(), want)), "%s: %v", id, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(header), []byte(row))
	f.Add([]byte("title;body;rating;review_date;product_handle"), []byte("a;\"b\nc\";5;25/03/2024;rug"))
	f.Fuzz(func(t *testing.T, header, row []byte) {
		m := parseMap(t, "judge.me")
		r, err := NewReader(header, Options{Map: m, Defaults: map[string]string{"language": "en", "rating": "5", "createdAt": "2020-01-01", "productId": "p"}})
		if err != nil {
			return
		}
		c, _, err := r.Read(row, 1)
		if err != nil {
			return
		}
		again, err := ndjson.Parse(ndjson.Append(nil, &c))
		testkit.Need(t, err == nil && again.ID == c.ID, "%q: %v", row, err)
	})
}
