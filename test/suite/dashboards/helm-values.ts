/** @module HelmValues: values that the tests of the Helm chart render it with. */

const from = (key: string): object => ({ secret: "turnproof", key });
/** The least sign-in that the chart accepts. */
export const signIn = {
  TURNPROOF_UI_AUTH_TOKEN: from("operator"),
  TURNPROOF_INGEST_TOKENS: from("ingest"),
};
const keys = ["UI_SESSION_SECRET", "IDENTITY_KEY", "SIGNING_KEY", "UI_PSEUDONYM_KEY"];
/** Keys that several collectors share. */
export const shared = Object.fromEntries(keys.map((name) => [`TURNPROOF_${name}`, from(name)]));

/** The least values. */
export const least = { secrets: signIn };
/** All values. */
export const full = {
  image: { repository: "registry.example.com/turnproof", tag: "1", pullSecrets: ["pull"] },
  replicas: 3,
  environment: {
    TURNPROOF_BASE_PATH: "/evidence/",
    TURNPROOF_CLICKHOUSE_URL: "http://clickhouse:8123/turnproof",
    TURNPROOF_ALERT_RULES: "/etc/turnproof/alerts.yaml",
  },
  secrets: { ...signIn, ...shared, TURNPROOF_CLICKHOUSE_PASSWORD: from("clickhouse") },
  origins: ["https://turnproof.example.com"],
  files: { configMap: "turnproof-files" },
  persistence: { storageClass: "fast" },
  retention: { enabled: true, schedule: "5 4 * * *" },
  nodeSelector: { disk: "fast" },
  tolerations: [{ key: "disk", operator: "Exists", effect: "NoSchedule" }],
  affinity: { podAntiAffinity: {} },
  ingress: {
    enabled: true,
    className: "nginx",
    annotations: { "nginx.ingress.kubernetes.io/proxy-body-size": "16m" },
    host: "turnproof.example.com",
    tlsSecret: "turnproof-tls",
  },
  networkPolicy: {
    from: [{ namespaceSelector: {} }],
    egress: [{ to: [{ ipBlock: { cidr: "10.0.0.0/8" } }], ports: [{ port: 8123 }] }],
  },
  serviceMonitor: { enabled: true, token: from("scrape") },
  prometheusRule: { enabled: true },
};
