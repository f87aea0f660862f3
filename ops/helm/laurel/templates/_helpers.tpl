{{- define "laurel.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "laurel.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "laurel.labels" -}}
{{ include "laurel.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "laurel.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* What a pod may do on its node: nothing but run. */}}
{{- define "laurel.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "laurel.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* What follows from the other values. Settings win. */}}
{{- define "laurel.env" -}}
{{- $derived := dict -}}
{{- $settings := .Values.settings | default dict -}}
{{- if .Values.metrics.enabled -}}
  {{- $_ := set $derived "LAUREL_METRICS" "direct" -}}
{{- end -}}
{{- if .Values.ingress.enabled -}}
  {{- $scheme := ternary "https" "http" (not (empty .Values.ingress.tlsSecret)) -}}
  {{- $host := required "Set ingress.host to the name that people reach Laurel at." .Values.ingress.host -}}
  {{- $_ := set $derived "LAUREL_PUBLIC_URL" (printf "%s://%s" $scheme $host) -}}
  {{- if not (hasKey $settings "LAUREL_TRUST_PROXY") -}}
    {{- fail "Set settings.LAUREL_TRUST_PROXY to the network of the ingress controller's pods: without it all visitors share one address." -}}
  {{- end -}}
{{- end -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.database.secret }}
      key: {{ .Values.database.key }}
- name: LAUREL_SECRET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secretKey.secret }}
      key: {{ .Values.secretKey.key }}
- name: LAUREL_PROCESSES
  value: {{ .Values.processes | quote }}
{{- range $name, $value := merge (dict) $settings $derived }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "laurel.envFrom" -}}
{{- with .Values.firstKeys.secret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
{{- end -}}

{{- define "laurel.mounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- end -}}

{{- define "laurel.volumes" -}}
- name: data
  emptyDir:
    sizeLimit: 64Mi
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
{{- end -}}
