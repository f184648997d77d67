/**
 * @module Metrics: counters of this process for Prometheus. Labels are route templates, codes and
 * names of our own.
 */
import { Hono } from "hono";
import { Counter, Gauge, Registry } from "prom-client";

import type { Receiver } from "../receive/otlp/receiver-contract.ts";
import { auditState } from "../access/audit/audit-state.ts";
import type { Audit } from "../access/audit/contract.ts";
import type { ForwardState } from "../receive/forward/forward.ts";
import type { ConservationSnapshot } from "../receive/conservation.ts";
import { descriptors } from "./descriptors.ts";
import type { AppEnv } from "./environment.ts";
import type { RouteGroup } from "./endpoint.ts";
import { storeReadiness } from "../backend/store-readiness.ts";
import type { Parts } from "../parts.ts";

/** Metrics: endpoint declarations. */
export const metricsGroup: RouteGroup = {
  endpoints: {
    "GET /metrics": {
      needs: "trace.read",
      audit: "metrics.read",
      unbound: true,
      process: true,
      id: "getMetrics",
      summary: "Metrics of this process",
      returns: "Prometheus text.",
      answers: "text/plain",
      failures: ["scope_forbidden"],
    },
  },
  routes: metricsRoutes,
};

/** GET `/metrics`, for unbound principals. */
function metricsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/metrics", async (c) => {
    const registry = Registry.merge([parts.requests.registry, await measure(parts)]);
    return c.body(await registry.metrics(), 200, { "Content-Type": registry.contentType });
  });
  return app;
}

type Kind = typeof Counter | typeof Gauge;
type Samples = number | Readonly<Record<string, number>>;

/** Current values of the parts. They count themselves, so the registry is created per response. */
async function measure(parts: Parts): Promise<Registry> {
  const { audit, ingest, sessions, store, streams, version } = parts;
  const registry = new Registry();
  const put = (kind: Kind, name: string, help: string, samples: Samples): void =>
    putMetric(registry, kind, { name, help, samples });
  const { user, system } = process.cpuUsage();
  const state = await storeReadiness(parts);
  const report = ingest.report();
  new Gauge({
    name: "turnproof_info",
    help: "1; its labels are the version and the store.",
    labelNames: ["version", "store"],
    registers: [registry],
  }).set({ version, store: store.name }, 1);
  put(
    Gauge,
    "turnproof_store_up",
    "1 when the store answers and did not refuse the last batch.",
    Number(state.ok),
  );
  put(Gauge, "turnproof_ingest_up", "1 when the journal can be written.", Number(ingest.healthy()));
  put(
    Gauge,
    "turnproof_disk_full",
    "1 while the journal or the audit log finds its disk full.",
    Number([report.journal.failure, audit?.failure].includes("disk_full")),
  );
  put(
    Gauge,
    "turnproof_journal_pending_frames",
    "Frames that are acknowledged and not yet readable.",
    report.journal.pending_frames,
  );
  put(Counter, "turnproof_audit_records_total", "Records of the audit log.", audit?.records ?? 0);
  putJournal(put, report.journal, parts.now());
  if (audit !== undefined) putAudit(put, audit);
  putEvidence(put, report, state.code === "store_corrupt");
  if (report.forward !== null) putForward(put, report.forward);
  put(Gauge, "turnproof_sessions", "Sessions that are kept.", sessions.size);
  put(Gauge, "turnproof_streams", "Streams that are open.", streams.size);
  put(Gauge, "process_resident_memory_bytes", "Resident memory.", process.memoryUsage.rss());
  putDescriptors(put);
  put(Counter, "process_cpu_seconds_total", "CPU time, user and system.", (user + system) / 1e6);
  put(
    Gauge,
    "process_start_time_seconds",
    "When the process started, seconds since 1970.",
    performance.timeOrigin / 1_000,
  );
  for (const [field, [kind, help]] of Object.entries(ingested)) {
    const value = report.conservation[field as keyof ConservationSnapshot];
    const name = `turnproof_ingest_${field}${kind === Counter ? "_total" : ""}`;
    put(kind, name, help, typeof value === "boolean" ? Number(value) : value);
  }
  return registry;
}

type Put = (kind: Kind, name: string, help: string, samples: Samples) => void;

/** By the names that exporters of other languages use. */
function putDescriptors(put: Put): void {
  const found = descriptors();
  if (found === undefined) return;
  put(Gauge, "process_open_fds", "Open files and sockets.", found.open);
  put(Gauge, "process_max_fds", "Most files and sockets that can be open.", found.max);
}

/** Stored evidence that is gone or damaged. */
function putEvidence(
  put: Put,
  { missing, damaged }: ReturnType<Receiver["report"]>,
  isDamaged: boolean,
): void {
  const { rows_missing: rows = null, events_missing: events } = missing ?? {};
  const gone = Math.max(rows ?? 0, events ?? 0);
  // What a damaged store lost, or one that is not compared yet, is unknown: no sample.
  if (gone > 0 || (rows !== null && !isDamaged)) {
    put(
      Gauge,
      "turnproof_evidence_missing_rows",
      "Stored rows that are gone without a deletion; absent until the store is compared, and while it is damaged.",
      gone,
    );
  }
  put(
    Gauge,
    "turnproof_evidence_damaged_traces",
    "Traces with rows that reads of this process could not decode.",
    damaged.traces,
  );
  if (missing === null) return;
  put(
    Gauge,
    "turnproof_evidence_account_damaged",
    "1 until the damaged account of stored evidence, which was set aside, is moved away; absent until the store is counted.",
    Number(missing.account === "damaged"),
  );
  put(
    Gauge,
    "turnproof_evidence_parts_set_aside",
    "Parts of an embedded ClickHouse that are damaged and not served; absent until the store is counted.",
    missing.parts_set_aside,
  );
}

/** The journal: how full and how old it is, and what was damaged in it. */
function putJournal(
  put: Put,
  journal: ReturnType<Receiver["report"]>["journal"],
  now: number,
): void {
  const { bytes_max, corrupt_ranges, disk_bytes, lost_frames, oldest_pending_at: oldest } = journal;
  const age = oldest === null ? 0 : Math.max(0, (now - Date.parse(oldest)) / 1_000);
  put(Gauge, "turnproof_journal_bytes", "Bytes of the journal on the disk.", disk_bytes);
  put(Gauge, "turnproof_journal_bytes_max", "Bound of the journal.", bytes_max);
  put(
    Gauge,
    "turnproof_journal_oldest_pending_seconds",
    "Age of the oldest frame that the store has not confirmed.",
    age,
  );
  // Counted since the directory was made, so that a restart resets neither.
  put(
    Counter,
    "turnproof_journal_lost_frames_total",
    "Acknowledged frames that were lost by damage in this directory.",
    lost_frames,
  );
  put(
    Counter,
    "turnproof_journal_corrupt_ranges_total",
    "Damaged ranges that were set aside in this directory.",
    corrupt_ranges,
  );
}

/** The way to another endpoint: what waits, what was sent, what was given up. */
function putForward(put: Put, forward: ForwardState): void {
  // Before the first attempt has ended it is unknown, and a sample would be a guess.
  if (forward.failing !== null) {
    put(
      Gauge,
      "turnproof_forward_up",
      "1 while its last attempt succeeded; absent until the first one since the start has ended.",
      Number(!forward.failing),
    );
  }
  put(
    Gauge,
    "turnproof_forward_pending_spans",
    "Spans that are stored and not yet sent to the other endpoint.",
    forward.pending_spans,
  );
  put(Gauge, "turnproof_forward_bytes", "Bytes of its queue on the disk.", forward.disk_bytes);
  put(Gauge, "turnproof_forward_bytes_max", "Bound of its queue.", forward.bytes_max);
  put(Counter, "turnproof_forward_sent_spans_total", "Spans it has taken.", forward.sent_spans);
  put(
    Counter,
    "turnproof_forward_unconfirmed_spans_total",
    "Of these, spans of requests whose answer could not be read: some may have been rejected.",
    forward.unconfirmed_spans,
  );
  put(Counter, "turnproof_forward_failures_total", "Attempts it did not take.", forward.failures);
  put(
    Gauge,
    "turnproof_forward_account_damaged",
    "1 until the damaged account of the forward, which was set aside, is moved away.",
    Number(forward.account_damaged),
  );
  // Counted since the directory was made, so that a restart does not reset it.
  put(
    Counter,
    "turnproof_forward_lost_spans_total",
    "Spans that were given up in this directory, by reason.",
    forward.lost_spans,
  );
}

/** The audit log: whether it is written, whole and known elsewhere. */
function putAudit(put: Put, audit: Audit): void {
  const { damage, healthy, records, shipping } = auditState(audit);
  put(Gauge, "turnproof_audit_up", "1 when the audit log can be written.", Number(healthy));
  put(
    Gauge,
    "turnproof_audit_damaged",
    "Findings in the records that were there at the start.",
    damage?.total ?? 0,
  );
  if (shipping.targets === 0) return;
  put(
    Gauge,
    "turnproof_audit_unshipped_records",
    "Records that no checkpoint elsewhere covers.",
    Math.max(0, records - (shipping.shipped ?? 0)),
  );
  put(
    Counter,
    "turnproof_audit_ship_failures_total",
    "Checkpoints that a target did not take.",
    shipping.failures,
  );
}

/** The fields of the conservation report: ones that only grow are counters. */
const ingested: Readonly<Record<keyof ConservationSnapshot, readonly [Kind, string]>> = {
  received: [Counter, "Spans, log records and metric points that arrived."],
  recovered: [Counter, "Items found in the journal at the start."],
  stored: [Counter, "Items that the store holds and that were read back."],
  pending: [Gauge, "Items that are durable or in flight, and not stored."],
  in_flight: [Gauge, "Items of requests without an answer yet."],
  quarantined: [Gauge, "Items that the store refuses, set aside."],
  lost: [Counter, "Durable items that were damaged before they were stored."],
  lost_frames_uncounted: [Counter, "Damaged frames whose number of items is unknown."],
  loss_is_lower_bound: [Gauge, "1 when the counts of what was lost are lower bounds."],
  refused: [Counter, "Items of requests that were answered with an error."],
  refused_reasons: [Counter, "The same by code."],
  rejected: [Counter, "Items that a partial success named."],
  rejected_reasons: [Counter, "The same by code."],
  balanced: [Gauge, "1 when every received item is in exactly one place."],
  requests: [Counter, "Export requests."],
  requests_refused: [Counter, "Export requests that were answered with an error, by code."],
  dropped_attributes: [Counter, "Attributes that were not let in, by reason."],
};

function putMetric(
  registry: Registry,
  Metric: Kind,
  of: { readonly name: string; readonly help: string; readonly samples: Samples },
): void {
  const { name, help, samples } = of;
  if (typeof samples === "number") {
    new Metric({ name, help, registers: [registry] }).inc(samples);
    return;
  }
  const metric = new Metric({ name, help, labelNames: ["code"], registers: [registry] });
  for (const [code, value] of Object.entries(samples)) metric.inc({ code }, value);
}
