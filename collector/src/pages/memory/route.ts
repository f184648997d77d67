/**
 * @module Memory: number of memory rows of one tenant, by kind, without content. A tenant is
 * always given: the principal's own, or the one that an unbound principal names.
 */
import { Hono } from "hono";
import { z } from "zod";
import { CodedError, memoryCollections, scopedKinds, sharedKinds } from "@turnproof/semconv";
import type { Identity, ScopedKind, SharedKind } from "@turnproof/semconv";
import type { MemoryStore } from "@turnproof/store";

import type { Reading } from "../../access/grants.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { filters, readParameters } from "../../http/parameters.ts";
import { readingFor } from "../../http/query.ts";
import { respond } from "../../http/respond.tsx";
import { tenantOf } from "../../memory/memory-events.ts";
import { memoryFilter } from "../../memory/memory-filter.ts";
import { withTwin } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { fileEndpoints, mountFiles } from "../../tables/list-files.ts";
import type { Parts } from "../../parts.ts";
import { memoryPage } from "./page.tsx";

const { user_id, scope, agent_id, memory_id, thread_id } = filters;

/** Parameters of the memory view. */
const memoryParameters = z
  .strictObject({ user_id, scope, agent_id, memory_id, thread_id })
  .partial();

/** Rows of one kind. */
export interface KindRow {
  readonly kind: ScopedKind;
  readonly collection: string;
  /** Null until a tenant is given, or when the memory did not answer. */
  readonly count: number | null;
  readonly latest_at: string | null;
}

/** Rows of a shared kind, counted up to a bound. */
export interface SharedRow {
  readonly kind: SharedKind;
  readonly collection: string;
  readonly count: number | null;
  /** True when there may be more than were counted. */
  readonly bounded: boolean;
}

/** Body of `/memory.json`. */
export interface MemoryModel {
  /** False until a tenant is given: nothing was read. */
  readonly requested: boolean;
  /** The tenant, null for the anonymous rows; absent until one is given. */
  readonly user_id?: Identity["user_id"];
  readonly memory: { readonly name: string; readonly ok: boolean; readonly code: string | null };
  readonly kinds: readonly KindRow[];
  readonly total: number | null;
  /** Kinds without a tenant; null for a principal bound to one. */
  readonly shared: readonly SharedRow[] | null;
}

const sharedCountedMax = 1_000;

/** Its JSON, by route. */
export interface MemoryAnswers {
  readonly "GET /memory.json": MemoryModel;
}

const memoryFile = {
  evidence: false,
  path: "/memory",
  name: "memory",
  rows: "`kinds`: one line per kind of memory rows",
  query: memoryParameters,
} as const;

/** Memory: what each route needs, records and answers. */
export const memoryGroup: RouteGroup<MemoryAnswers> = {
  tag: "Learning and memory",
  rail: { order: 11, href: "/memory", name: "Memory", icon: "memory", key: "m" },
  endpoints: {
    ...withTwin("/memory", {
      needs: "trace.read",
      audit: "memory.read",
      id: "getMemory",
      summary: "Memory rows of one tenant, by kind",
      text: "Counts and times alone; no row is shown.",
      query: memoryParameters,
      returns: "Counts by kind; unknown until a tenant is named.",
      failures: ["not_configured", "scope_forbidden"],
    }),
    ...fileEndpoints(memoryFile),
  },
  routes: memoryRoutes,
};

/** GET `/memory`, its twin and its files. */
function memoryRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const read = (c: AppContext): Promise<MemoryModel> => {
    const reading = readingFor(c, readParameters(c, memoryParameters));
    const { memory } = parts;
    if (memory === undefined) throw new CodedError("not_configured");
    return modelOf(memory, reading);
  };
  app.on("GET", ["/memory", "/memory.json"], async (c) =>
    respond(c, { model: await read(c), view: memoryPage }),
  );
  mountFiles<KindRow>(app, parts, {
    ...memoryFile,
    fields: { kind: "text", collection: "text", count: "number", latest_at: "time" },
    async *pages(c) {
      yield (await read(c)).kinds;
    },
  });
  return app;
}

async function modelOf(memory: MemoryStore, reading: Reading): Promise<MemoryModel> {
  const { scope, query } = reading;
  const tenant = tenantOf(scope, query);
  const unbound = "operator" in scope && scope.operator.applicationId === undefined;
  // Rows have no application, so a principal bound to an application may count none of them.
  if (tenant === undefined && !unbound) throw new CodedError("scope_forbidden");
  const { ok, code } = await memory.check();
  const kinds = await Promise.all(
    scopedKinds.map(async (kind): Promise<KindRow> => {
      const collection = memoryCollections[kind];
      if (tenant === undefined || !ok) return { kind, collection, count: null, latest_at: null };
      const filter = memoryFilter(tenant, query);
      const [count, newest] = await Promise.all([
        memory.count(filter, kind),
        memory.list(filter, kind, { limit: 1 }),
      ]);
      return { kind, collection, count, latest_at: newest.records[0]?.created_at ?? null };
    }),
  );
  const known = kinds.every(({ count }) => count !== null);
  return {
    requested: tenant !== undefined,
    ...(tenant === undefined ? {} : { user_id: tenant }),
    memory: { name: memory.name, ok, code: code ?? null },
    kinds,
    total: known ? kinds.reduce((sum, { count }) => sum + (count ?? 0), 0) : null,
    shared: unbound && ok ? await sharedRows(memory) : null,
  };
}

function sharedRows(memory: MemoryStore): Promise<readonly SharedRow[]> {
  return Promise.all(
    sharedKinds.map(async (kind) => {
      const { records, next } = await memory.shared.list(kind, { limit: sharedCountedMax });
      const collection = memoryCollections[kind];
      return { kind, collection, count: records.length, bounded: next !== null };
    }),
  );
}
