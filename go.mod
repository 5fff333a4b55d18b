module product-comments

go 1.26.0

toolchain go1.26.8

ignore ./web/node_modules // some of its packages have files of Go

require (
	github.com/99designs/gqlgen v0.17.95 // GraphQL from the schema, executed by generated code without reflection
	github.com/KimMachineGun/automemlimit v1.0.1 // the memory of the container or the machine
	github.com/MicahParks/jwkset v0.11.3 // the keys that verify tokens, with keyfunc
	github.com/MicahParks/keyfunc/v3 v3.9.0 // the keys that verify tokens
	github.com/agnivade/levenshtein v1.2.2 // the field that a misspelt name of an import probably means
	github.com/alecthomas/kong v1.17.0 // commands, flags, environment, help
	github.com/aws/aws-lambda-go v1.55.1 // Lambda's events and runtime
	github.com/aws/aws-sdk-go-v2 v1.47.6 // DynamoDB and its streams: endpoints, credentials, signing, retries
	github.com/aws/aws-sdk-go-v2/config v1.33.14
	github.com/aws/aws-sdk-go-v2/credentials v1.20.14
	github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue v1.21.18
	github.com/aws/aws-sdk-go-v2/service/dynamodb v1.73.0
	github.com/aws/aws-sdk-go-v2/service/dynamodbstreams v1.46.5
	github.com/aws/smithy-go v1.28.8
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.22.1 // tests: the browser
	github.com/cockroachdb/datadriven v1.0.3 // tests: golden files
	github.com/coreos/go-oidc/v3 v3.21.0 // the sign-in of the staff at a provider of OpenID Connect
	github.com/dustin/go-humanize v1.1.0 // numbers for people
	github.com/emersion/go-sasl v0.0.0-20241020182733-b788ff22d5a6 // tests: a mail server
	github.com/emersion/go-smtp v0.25.1 // tests: a mail server
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // reads answers of DynamoDB straight into comments, and requests
	github.com/goccy/go-yaml v1.19.2 // tests: the CloudFormation template
	github.com/golang-jwt/jwt/v5 v5.3.1 // tokens
	github.com/graph-gophers/dataloader/v7 v7.1.1 // reads of one request in batches
	github.com/hashicorp/golang-lru/v2 v2.0.7 // caches bounded by number
	github.com/johannesboyne/gofakes3 v1.2.0 // tests: an S3 bucket
	github.com/klauspost/compress v1.20.3 // gzip and zstd, of answers, files and texts
	github.com/maypok86/otter/v2 v2.4.0 // caches bounded by bytes, with expiry
	github.com/oklog/ulid/v2 v2.1.2 // ids of comments, requests and errors, sortable by time
	github.com/prometheus/client_golang v1.25.0 // metrics
	github.com/prometheus/common v0.72.0 // tests: reads metrics
	github.com/rivo/uniseg v0.4.7 // blocked words, as Unicode divides a text
	github.com/rs/cors v1.11.1 // CORS
	github.com/schollz/progressbar/v3 v3.19.1 // progress of long work on a terminal
	github.com/tink-crypto/tink-go/v2 v2.9.0 // AES-SIV for cursors
	github.com/vektah/gqlparser/v2 v2.5.64 // GraphQL documents and schemas
	github.com/willabides/kongplete v0.4.0 // completion in shells
	github.com/wneessen/go-mail v0.8.1 // mails: SMTP and MIME
	go.opentelemetry.io/otel v1.47.0 // traces, off by default
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp v1.47.0
	go.opentelemetry.io/otel/sdk v1.47.0
	go.opentelemetry.io/otel/trace v1.47.0
	go.opentelemetry.io/proto/otlp v1.11.0 // tests: a collector of traces
	gocloud.dev v0.47.0 // the photos: files of a folder, or objects of an S3 bucket
	golang.org/x/image v0.47.0 // decodes WebP
	golang.org/x/net v0.61.0 // domains of addresses in ASCII
	golang.org/x/oauth2 v0.38.0 // its code flow
	golang.org/x/sync v0.24.0 // parallel queries that fail together
	golang.org/x/term v0.47.0 // whether progress is shown on a terminal
	golang.org/x/text v0.43.0 // language tags, and the order of texts in a language
	golang.org/x/time v0.16.0 // bounded rates
	google.golang.org/protobuf v1.36.12 // tests: a collector of traces
	modernc.org/sqlite v1.60.1 // the file of the embedded engine
	mvdan.cc/xurls/v2 v2.6.0 // links in comments, as people write them
	pgregory.net/rapid v1.3.0 // tests: properties
)

require github.com/standard-webhooks/standard-webhooks/libraries v0.0.1

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/Khan/genqlient v0.8.1 // indirect
	github.com/alexflint/go-arg v1.5.1 // indirect
	github.com/alexflint/go-scalar v1.2.0 // indirect
	github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream v1.7.20 // indirect
	github.com/aws/aws-sdk-go-v2/feature/ec2/imds v1.20.6 // indirect
	github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager v0.4.3 // indirect
	github.com/aws/aws-sdk-go-v2/internal/configsources v1.5.9 // indirect
	github.com/aws/aws-sdk-go-v2/internal/endpoints/v2 v2.8.9 // indirect
	github.com/aws/aws-sdk-go-v2/internal/v4a v1.5.9 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/accept-encoding v1.13.24 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/checksum v1.11.2 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/endpoint-discovery v1.13.9 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/presigned-url v1.14.9 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/s3shared v1.20.2 // indirect
	github.com/aws/aws-sdk-go-v2/service/s3 v1.111.0 // indirect
	github.com/aws/aws-sdk-go-v2/service/signin v1.12.2 // indirect
	github.com/aws/aws-sdk-go-v2/service/sso v1.39.2 // indirect
	github.com/aws/aws-sdk-go-v2/service/ssooidc v1.44.2 // indirect
	github.com/aws/aws-sdk-go-v2/service/sts v1.51.7 // indirect
	github.com/beorn7/perks v1.0.1 // indirect
	github.com/bmatcuk/doublestar/v4 v4.6.1 // indirect
	github.com/cenkalti/backoff/v5 v5.0.3 // indirect
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/go-jose/go-jose/v4 v4.1.5 // indirect
	github.com/go-logr/logr v1.4.4 // indirect
	github.com/go-logr/stdr v1.2.2 // indirect
	github.com/go-viper/mapstructure/v2 v2.5.0 // indirect
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/google/wire v0.7.0 // indirect
	github.com/googleapis/gax-go/v2 v2.24.1 // indirect
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.30.0 // indirect
	github.com/hashicorp/errwrap v1.1.0 // indirect
	github.com/hashicorp/go-multierror v1.1.1 // indirect
	github.com/kr/text v0.2.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/munnerz/goautoneg v0.0.0-20191010083416-a7dc8b61c822 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/pbnjay/memory v0.0.0-20210728143218-7b4eea64cf58 // indirect
	github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2 // indirect
	github.com/posener/complete v1.2.3 // indirect
	github.com/prometheus/client_model v0.6.3 // indirect
	github.com/prometheus/procfs v0.22.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	github.com/riywo/loginshell v0.0.0-20200815045211-7d26008be1ab // indirect
	github.com/ryszard/goskiplist v0.0.0-20150312221310-2dfbae5fcf46 // indirect
	github.com/sosodev/duration v1.4.0 // indirect
	go.opentelemetry.io/auto/sdk v1.2.1 // indirect
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.47.0 // indirect
	go.opentelemetry.io/otel/log v1.47.0 // indirect
	go.opentelemetry.io/otel/metric v1.47.0 // indirect
	go.opentelemetry.io/otel/sdk/metric v1.47.0 // indirect
	go.shabbyrobe.org/gocovmerge v0.0.0-20230507111327-fa4f82cfbf4d // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/exp/typeparams v0.0.0-20231108232855-2478ac86f678 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/telemetry v0.0.0-20261010193011-f71dc92da45e // indirect
	golang.org/x/tools v0.52.0 // indirect
	golang.org/x/vuln v1.9.0 // indirect
	golang.org/x/xerrors v0.0.0-20240903120638-7835f813f4da // indirect
	google.golang.org/api v0.297.0 // indirect
	google.golang.org/genproto/googleapis/api v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/grpc v1.83.2 // indirect
	gopkg.in/yaml.v2 v2.4.0 // indirect
	honnef.co/go/tools v0.8.2 // indirect
	modernc.org/libc v1.79.0 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)

tool (
	github.com/Khan/genqlient
	golang.org/x/vuln/cmd/govulncheck
	honnef.co/go/tools/cmd/staticcheck
)
