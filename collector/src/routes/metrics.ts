/**
 * @module Metrics: what this process did, as Prometheus reads it. Labels are route templates, codes
 * and names of our own.
 */
import { Hono } from "hono";

import type { AppEnv } from "../http/environment.ts";
import type { Parts } from "../parts.ts";

/** GET `/metrics`, for readers that are bound to nobody. */
export function metricsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/metrics", async (c) =>
    c.body(await exposition(parts), 200, {
      "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
    }),
  );
  return app;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

async function exposition(parts: Parts): Promise<string> {
  const { audit, ingest, requests, sessions, store, streams } = parts;
  const counts = [...requests.counts.values()];
  const usage = process.memoryUsage();
  const check = await store.check();
  const report = ingest.report();
  const sections = [
    metric("turnproof_info", "gauge", "Version and store.", [
      [{ version: parts.version, store: store.name }, 1],
    ]),
    metric(
      "turnproof_http_requests_total",
      "counter",
      "Answers by route and class of status.",
      counts.map(({ route, status, count }): Sample => [{ route, status }, count]),
    ),
    metric(
      "turnproof_http_request_seconds_total",
      "counter",
      "Time spent on answers.",
      counts.map(({ route, status, seconds }): Sample => [{ route, status }, seconds]),
    ),
    metric("turnproof_store_up", "gauge", "1 when the store answers.", [[{}, check.ok ? 1 : 0]]),
    metric("turnproof_ingest_up", "gauge", "1 when the journal can be written.", [
      [{}, ingest.healthy() ? 1 : 0],
    ]),
    metric("turnproof_journal_pending_frames", "gauge", "Acknowledged, not yet readable.", [
      [{}, report.journal.pending_frames],
    ]),
    metric("turnproof_audit_records_total", "counter", "Records of the audit log.", [
      [{}, audit?.records ?? 0],
    ]),
    metric("turnproof_sessions", "gauge", "Sessions that are kept.", [[{}, sessions.size]]),
    metric("turnproof_streams", "gauge", "Streams that are open.", [[{}, streams.size]]),
    metric("process_resident_memory_bytes", "gauge", "Resident memory.", [[{}, usage.rss]]),
    metric("process_uptime_seconds", "gauge", "Age of the process.", [[{}, process.uptime()]]),
    ...conservation(report.conservation),
  ];
  return `${sections.join("\n")}\n`;
}

/** Numbers of the conservation report; tables of reasons become labels. */
function conservation(balance: object): readonly string[] {
  return Object.entries(balance).flatMap(([name, value]) => {
    const metricName = `turnproof_ingest_${name}`;
    if (typeof value === "number") {
      return [metric(metricName, "gauge", "See the health view.", [[{}, value]])];
    }
    if (typeof value === "boolean") {
      return [metric(metricName, "gauge", "1 when so.", [[{}, value ? 1 : 0]])];
    }
    if (typeof value !== "object" || value === null) return [];
    const samples = Object.entries(value as Record<string, number>).map(([code, count]): Sample => [
      { code },
      count,
    ]);
    return [metric(metricName, "gauge", "By code.", samples)];
  });
}

function metric(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([labels, value]) => {
    const inside = Object.entries(labels)
      .map(([label, text]) => `${label}="${text.replace(/[\\"\n]/g, "\\$&")}"`)
      .join(",");
    return `${name}${inside === "" ? "" : `{${inside}}`} ${String(value)}`;
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join("\n");
}
