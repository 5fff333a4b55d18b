{{- define "name" }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}

{{- define "selector" -}}
app.kubernetes.io/name: product-comments
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* Helm reads whole numbers as floats, and would write a million as 1e+06. */}}
{{- define "value" -}}
{{ if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- end }}
