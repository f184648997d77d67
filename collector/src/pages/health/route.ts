/**
 * @module Health: the state of the evidence in the principal's scope, and of this collector's own
 * path from receiver to store (requirements: Endpoints; evidence: Health; evidence: Loss
 * accounting).
 */
import { Hono } from "hono";
import { z } from "zod";
import { buildTraceHealth, readCompleteness, readLosses } from "@turnproof/evidence";
import type {
  NormalizationError,
  QueryTiming,
  SourceStore,
  TraceHealth,
  TurnEvent,
} from "@turnproof/evidence";
import { CodedError, limits } from "@turnproof/semconv";

import { isNarrowed } from "../../access/principal.ts";
import type { Reading } from "../../access/grants.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { filters, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import { timelineOf } from "./health-timeline.ts";
import type { HealthTimeline } from "./health-timeline.ts";
import { producerReports } from "../../judge/losses.ts";
import { withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { collectNewest, settle } from "../../turns/window.ts";
import type { SettledMark, Window } from "../../turns/window.ts";
import { healthRange } from "./range.ts";
import type { ProducerRange } from "./range-rows.ts";
import type { HealthRange } from "./range.ts";
import { collectorHealth } from "./collector-health.ts";
import type { CollectorHealth } from "./collector-health.ts";
import { contractCounts } from "./contract-counts.ts";
import type { ContractsHealth } from "./contract-counts.ts";
import { healthPage } from "./page.tsx";
import { wholeRoots } from "./whole-roots.ts";

/** Parameters of the health view. */
const healthParameters = z
  .strictObject({
    agent_id: filters.agent_id,
    thread_id: filters.thread_id,
    user_id: filters.user_id,
    scope: filters.scope,
    start_time: filters.start_time.describe(
      "Start of the range, ISO 8601 or before now (`-24h`); default everything that is recorded.",
    ),
    end_time: filters.end_time.describe("End of the range, exclusive; default now."),
    limit: filters.limit.describe(`Rows per store, at most ${limits.healthRowsMax} (default).`),
  })
  .partial();

/** Body of `/traces/health.json`. */
export interface HealthModel extends TraceHealth {
  /** Most rows read per store. */
  readonly limit: number;
  readonly window_complete: boolean;
  /** Attributes refused on entry, by dialect and then by reason. */
  readonly dropped_by_dialect: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** The window over time; slices without events are included, with zero of what was read. */
  readonly timeline: HealthTimeline;
  /** Exact numbers of the requested range; null where the turns could not be read. */
  readonly range: HealthRange | null;
  /** The standing contracts; null without a folder of them. */
  readonly contracts: ContractsHealth | null;
  readonly collector: CollectorHealth | null;
}

/** Its JSON, by route. */
export interface HealthAnswers {
  readonly "GET /traces/health.json": HealthModel;
}

const servicesFile = {
  path: "/traces/health",
  name: "services",
  rows: "`range.producers`: one line per service in a range",
  query: healthParameters.omit({ limit: true }),
} as const;

/** Health: what each route needs, records and answers. */
export const healthGroup: RouteGroup<HealthAnswers> = {
  tag: "Traces",
  rail: { order: 8, href: "/traces/health", name: "Health", icon: "health", key: "h" },
  endpoints: {
    ...withTwin("/traces/health", {
      needs: "trace.read",
      audit: "health.read",
      reads: true,
      process: true,
      id: "getHealth",
      summary: "Health of the evidence, and of this collector",
      text:
        "Not a probe of a deployment: write failures are unknown unless every producer reported. " +
        "`range` is exact over the whole range; the other counts are of the newest rows in it. While " +
        "the audit log cannot be written no row is read, and only `collector` is known.",
      query: healthParameters,
      returns: "Counts, failures, orphans, timing, losses, conservation.",
      failures: ["scope_forbidden"],
    }),
    ...fileEndpoints(servicesFile),
  },
  routes: healthRoutes,
};

/** GET `/traces/health` and its twin. */
function healthRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.on("GET", ["/traces/health", "/traces/health.json"], async (c) => {
    const parameters = readParameters(c, healthParameters);
    const reading = readingFor(c, parameters);
    const limit = parameters.limit ?? limits.healthRowsMax;
    if (c.get("unrecorded") === true) {
      const model = await processModel(parts, limit);
      return respond(c, { model, view: healthPage });
    }
    const settled = await settle(parts);
    const reads = await Promise.all(
      parts.store.sources.map((source) => readSource(parts, { reading, source, limit, settled })),
    );
    const filtered = isFiltered(parameters) || isNarrowed(principalOf(c));
    const model = await modelOf(c, parts, { reads, limit, filtered, reading, settled });
    return respond(c, { model, view: healthPage });
  });
  mountFiles<ProducerRange>(app, parts, {
    ...servicesFile,
    fields: {
      service: "text",
      turns: "integer",
      turns_with_error: "integer",
      items: "integer",
      processes: "integer",
      lost_state: "text",
      lost: "integer",
      reasons: "json",
      sampled_out: "integer",
      write_failures: "integer",
      last_report_at: "time",
      what_to_do: "text",
    },
    async *pages(c) {
      const reading = readingFor(c, readParameters(c, servicesFile.query));
      const reports = isNarrowed(principalOf(c)) ? undefined : await reportsOf(parts);
      yield (await healthRange(parts, reading, reports, c.req.raw.signal)).producers;
    },
  });
  return app;
}

interface SourceRead {
  readonly window: Window | undefined;
  readonly timing: QueryTiming;
  readonly errors: readonly NormalizationError[];
}

interface SourceQuestion {
  readonly reading: Reading;
  readonly source: SourceStore;
  /** Most rows. */
  readonly limit: number;
  readonly settled: SettledMark;
}

/** A store that does not answer is a finding of the health view, not its failure. */
async function readSource(
  parts: Parts,
  { reading, source, limit, settled }: SourceQuestion,
): Promise<SourceRead> {
  const started = performance.now();
  const elapsed = (): number => Math.round((performance.now() - started) * 1000) / 1000;
  try {
    const query = { ...reading.query, store: source };
    const window = await collectNewest(parts, { ...reading, query }, limit, settled);
    const timing = { source_store: source, duration_ms: elapsed(), rows: window.source_rows };
    return { window, timing: { ...timing, failed: false }, errors: window.errors };
  } catch (error) {
    if (!isStoreFailure(error)) throw error;
    return {
      window: undefined,
      timing: { source_store: source, duration_ms: elapsed(), rows: 0, failed: true },
      errors: [{ code: "provider_query_failed", count: 1, source_store: source }],
    };
  }
}

async function modelOf(
  c: AppContext,
  parts: Parts,
  read: {
    readonly reads: readonly SourceRead[];
    readonly limit: number;
    readonly filtered: boolean;
    readonly reading: Reading;
    readonly settled: SettledMark;
  },
): Promise<HealthModel> {
  const windows = read.reads.flatMap(({ window }) => window ?? []);
  const events = windows.flatMap((window) => window.events);
  const errors = read.reads.flatMap((source) => source.errors);
  const complete = read.reads.every(({ window }) => window?.complete === true);
  const total = (field: "source_rows" | "bundle_count" | "duplicates_removed"): number =>
    windows.reduce((sum, window) => sum + window[field], 0);
  // In a part of a process's events a missing number may be another principal's event, not a loss.
  const numbered = read.filtered ? events.map(withoutNumber) : events;
  const whole =
    read.filtered || !complete
      ? ((await unlessAway(wholeRoots(parts, { ...read, events }))) ?? new Set<string>())
      : undefined;
  const health = buildTraceHealth(numbered, {
    ...(whole === undefined ? {} : { isWhole: (root: string) => whole.has(root) }),
    normalizationMetadata: {
      window_complete: complete,
      truncated: windows.some((window) => window.bounded),
      normalization_errors: errors,
      read_completeness: readCompleteness({ failed: errors.length > 0, partial: !complete }),
    },
    errors,
    sourceRows: total("source_rows"),
    bundleCount: total("bundle_count"),
    duplicatesRemoved: total("duplicates_removed"),
    queries: read.reads.map(({ timing }) => timing),
    compatibilityFallback: !parts.store.name.startsWith("clickhouse"),
    filtered: read.filtered || !complete,
  });
  const narrowed = isNarrowed(principalOf(c));
  const reports = narrowed ? undefined : await reportsOf(parts);
  const { signal } = c.req.raw;
  const shared = {
    limit: read.limit,
    window_complete: complete,
    dropped_by_dialect: droppedByDialect(events),
    timeline: timelineOf(events),
    range: await unlessAway(healthRange(parts, read.reading, reports, signal)),
    contracts: await unlessAway(contractCounts(parts, read.reading, narrowed)),
  };
  if (reports === undefined) return { ...health, ...shared, collector: null };
  // A producer's report may be outside of the rows that were read; its totals apply all the same.
  const known = new Set(events.map((event) => event.event_id));
  const others = (reports ?? [])
    .filter((event) => !known.has(event.event_id))
    // Its number is outside of the rows that were read, so it would count as a gap.
    .map(withoutNumber);
  return {
    ...health,
    ...readLosses([...numbered, ...others], {
      filtered: read.filtered || !complete || reports === null,
    }),
    ...shared,
    collector: await collectorHealth(parts),
  };
}

/** The state of the process alone: an access that is not recorded reads no row. */
async function processModel(parts: Parts, limit: number): Promise<HealthModel> {
  const errors = [{ code: "audit_unavailable", count: 1 }] as const;
  const health = buildTraceHealth([], {
    normalizationMetadata: {
      window_complete: false,
      truncated: false,
      normalization_errors: errors,
      read_completeness: readCompleteness({ failed: true, partial: true }),
    },
    errors,
    sourceRows: 0,
    bundleCount: 0,
    duplicatesRemoved: 0,
    queries: [],
    compatibilityFallback: !parts.store.name.startsWith("clickhouse"),
    filtered: true,
  });
  return {
    ...health,
    limit,
    window_complete: false,
    dropped_by_dialect: {},
    timeline: timelineOf([]),
    range: null,
    contracts: null,
    collector: withoutRoots(await collectorHealth(parts)),
  };
}

/** Without ids of rows: this answer is in no audit log. */
function withoutRoots(of: CollectorHealth): CollectorHealth {
  const { missing, damaged } = of.ingest;
  return {
    ...of,
    ingest: {
      ...of.ingest,
      missing: missing === null ? null : { ...missing, roots_named: [] },
      damaged: { ...damaged, roots_named: [] },
    },
  };
}

/** Null without an answer of the store: losses are unknown then. */
function reportsOf(parts: Parts): Promise<readonly TurnEvent[] | null> {
  return unlessAway(producerReports(parts));
}

/** A ledger that does not answer or is damaged leaves it unknown; the page shows which it is. */
async function unlessAway<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch((error: unknown) => {
    if (!isStoreFailure(error)) throw error;
    return null;
  });
}

/** True for a store that does not answer, or whose files are damaged: Health shows either. */
function isStoreFailure(error: unknown): boolean {
  return CodedError.is(error) && (error.retryable || error.code === "store_corrupt");
}

function withoutNumber(event: TurnEvent): TurnEvent {
  const { producer_seq: _seq, ...unnumbered } = event;
  return unnumbered;
}

function droppedByDialect(events: readonly TurnEvent[]): HealthModel["dropped_by_dialect"] {
  const table: Record<string, Record<string, number>> = {};
  for (const { dialect = "unknown", dropped = {} } of events) {
    for (const [code, count] of Object.entries(dropped)) {
      const row = (table[dialect] ??= {});
      row[code] = (row[code] ?? 0) + count;
    }
  }
  return table;
}

function isFiltered(parameters: z.output<typeof healthParameters>): boolean {
  const { limit: _limit, ...rest } = parameters;
  return Object.keys(rest).length > 0;
}
