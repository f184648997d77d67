{{/* Name of all objects: the release's, with the chart's where it is not in it. */}}
{{- define "turnproof.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods. */}}
{{- define "turnproof.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "turnproof.labels" -}}
{{ include "turnproof.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Path before all routes, without a slash at its end. */}}
{{- define "turnproof.base" -}}
{{- get .Values.environment "TURNPROOF_BASE_PATH" | trimSuffix "/" -}}
{{- end -}}

{{/*
Origins that the collector answers to: the public ones first, or a forwarded port without any; then
the names of the Service, and the address of the pod, which probes and Prometheus use. Any other Host
is refused.
*/}}
{{- define "turnproof.origins" -}}
{{- $name := include "turnproof.name" . -}}
{{- $own := list $name (printf "%s.%s" $name .Release.Namespace) -}}
{{- $own = append $own (printf "%s.%s.svc" $name .Release.Namespace) -}}
{{- $own = append $own (printf "%s.%s.svc.cluster.local" $name .Release.Namespace) -}}
{{- $origins := .Values.origins | default (list "http://127.0.0.1:4318") -}}
{{- range append $own "$(POD_IP)" -}}
{{- $origins = append $origins (printf "http://%s:4318" .) -}}
{{- end -}}
{{- join "," $origins -}}
{{- end -}}

{{/* Variables whose values are in Secrets. */}}
{{- define "turnproof.secrets" -}}
{{- range $name, $from := .Values.secrets }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $from.secret | quote }}, key: {{ $from.key | quote }} }
{{- end }}
{{- end -}}

{{- define "turnproof.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* The user of all pods. */}}
{{- define "turnproof.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
# Else every start would give the group rights on keys and the journal.
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "turnproof.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* A CronJob's name has 52 characters at most. */}}
{{- define "turnproof.retention" -}}
{{- printf "%s-retention" (include "turnproof.name" . | trunc 42 | trimSuffix "-") -}}
{{- end -}}

{{/* What pods may reach: the given peers and name servers. */}}
{{- define "turnproof.egress" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{ toYaml . }}
{{- end -}}
