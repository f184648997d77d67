/**
 * @module Capabilities: the configured capabilities of this collector, and its public vocabulary.
 */
import { Hono } from "hono";
import { z } from "zod";
import { eventKinds, eventStatuses, legacyKinds, limits } from "@turnproof/semconv";

import { permits } from "../../access/principal.ts";
import { principalOf } from "../../http/environment.ts";
import type { AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { respondJson } from "../../http/respond.tsx";
import { none } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";

/** Body of `/traces/capabilities.json`. */
export interface CapabilitiesModel {
  readonly store: { readonly name: string; readonly sources: readonly string[] };
  readonly content_mode: string;
  readonly read_only: boolean;
  readonly ingest: boolean;
  readonly live: boolean;
  readonly signed_statements: boolean;
  readonly replay_plan: boolean;
  readonly reveal: boolean;
  /** Name of the memory store, or null without one. */
  readonly memory: string | null;
  readonly replays: boolean;
  readonly account_resolver: boolean;
  readonly artifact_resolver: boolean;
  readonly agents: boolean;
  readonly event_kinds: readonly string[];
  /** Current kind of each older name. */
  readonly legacy_event_kinds: Readonly<Record<string, string>>;
  readonly event_statuses: readonly string[];
  readonly limits: {
    readonly page_events_default: number;
    readonly page_events_max: number;
    readonly health_rows_max: number;
    readonly root_events_max: number;
    readonly cursor_age_seconds_max: number;
  };
}

/** Its JSON, by route. */
export interface CapabilitiesAnswers {
  readonly "GET /traces/capabilities.json": CapabilitiesModel;
}

/** Capabilities: what each route needs, records and answers. */
export const capabilitiesGroup: RouteGroup<CapabilitiesAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/capabilities.json": {
      needs: "trace.read",
      audit: "capabilities.read",
      id: "getCapabilities",
      summary: "What this collector can do",
      query: none,
      returns: "Capabilities, vocabulary and limits.",
    },
  },
  routes: capabilitiesRoutes,
};

/** GET `/traces/capabilities.json`. */
function capabilitiesRoutes(parts: Parts): Hono<AppEnv> {
  const { config, hooks, memory, store, signer } = parts;
  const app = new Hono<AppEnv>();
  app.get("/traces/capabilities.json", (c) => {
    readParameters(c, z.strictObject({}));
    const principal = principalOf(c);
    const model: CapabilitiesModel = {
      store: { name: store.name, sources: store.sources },
      content_mode: config.contentMode,
      read_only: config.readOnly,
      ingest: config.ingest === "on",
      live: true,
      signed_statements: signer.keys.keys.length > 0,
      replay_plan: permits(principal, "replay.create"),
      reveal: memory !== undefined && config.contentMode !== "metadata",
      memory: memory?.name ?? null,
      replays: memory !== undefined && !config.readOnly,
      account_resolver: hooks.resolveAccount !== undefined,
      artifact_resolver: hooks.resolveArtifact !== undefined,
      agents: hooks.agents !== undefined,
      event_kinds: eventKinds,
      legacy_event_kinds: Object.fromEntries(
        Object.entries(legacyKinds).map(([name, { kind }]) => [name, kind]),
      ),
      event_statuses: eventStatuses,
      limits: {
        page_events_default: limits.pageEventsDefault,
        page_events_max: limits.pageEventsMax,
        health_rows_max: limits.healthRowsMax,
        root_events_max: limits.rootEventsMax,
        cursor_age_seconds_max: limits.cursorAgeSecondsMax,
      },
    };
    return respondJson(c, model);
  });
  return app;
}
