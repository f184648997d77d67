/**
 * @module Windows: the events of listed turns with how they were read, for contracts that are
 * judged outside of the collector, as by `turnproof check` and `turnproof gate`.
 */
import { Hono } from "hono";
import { z } from "zod";
import { reconcileOutcome, turnKey } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import type { Identity } from "@turnproof/semconv";

import { pageFailures } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { AppEnv } from "../../http/environment.ts";
import { pagingOf } from "../../http/paging.ts";
import { filters, readParameters } from "../../http/parameters.ts";
import { respondJson } from "../../http/respond.tsx";
import { checkedWindow } from "../../judge/checked-window.ts";
import type { CheckedMetadata } from "../../judge/checked-window.ts";
import { producerReports } from "../../judge/losses.ts";
import { metadataOf } from "../../judge/verdict.ts";
import type { Parts } from "../../parts.ts";
import { knownNames } from "../../turns/free-text.ts";
import { listParameters } from "../../turns/list-parameters.ts";
import { rootWindows } from "../../turns/root-windows.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";
import { keysetOf, positionOf, usualOrder } from "../../turns/turn-position.ts";
import { windowModel } from "../../turns/window.ts";

/** Most turns of an answer, because the events of each are in it. */
const turnsMax = 200;

const { chart: _chart, ...listed } = listParameters.shape;
const windowsParameters = z
  .strictObject({
    ...listed,
    limit: filters.limit.describe(`Turns of the page, at most ${turnsMax}, which is the default.`),
    cursor: filters.cursor,
  })
  .partial();

/** What distinguishes a listed turn from the others of its root. */
export type ListedTurn = Partial<Pick<Identity, "turn_id" | "agent_id" | "thread_id" | "user_id">>;

/** Listed turns of one root. */
export interface ListedWindow extends Pick<Identity, "root_trace_id"> {
  /** Events of these turns, oldest first. */
  readonly events: readonly TurnEvent[];
  readonly metadata: CheckedMetadata;
}

/** Body of `/traces/windows.json`. */
export interface WindowsModel {
  readonly items: readonly ListedWindow[];
  /** Roots with too many events to be read with others: `/traces/{root_trace_id}.json` has each. */
  readonly alone: readonly (Pick<Identity, "root_trace_id"> & {
    readonly turns: readonly ListedTurn[];
  })[];
  readonly turns: number;
  readonly next_cursor: string | null;
}

/** Its JSON, by route. */
export interface WindowsAnswers {
  readonly "GET /traces/windows.json": WindowsModel;
}

/** Windows: what the route needs, records and answers. */
export const windowsGroup: RouteGroup<WindowsAnswers> = {
  tag: "Traces",
  endpoints: {
    "GET /traces/windows.json": {
      needs: "trace.read",
      audit: "windows.read",
      reads: true,
      id: "listWindows",
      summary: "Turns with their events, newest first, and how they were read",
      text:
        "For contracts that are judged outside of the collector: `metadata` states whether each " +
        "window is whole, known losses included. The filters are those of `/traces/turns.json`.",
      query: windowsParameters,
      returns: "Events of the turns by root, with a cursor.",
      failures: pageFailures,
    },
  },
  routes: windowsRoutes,
};

/** GET `/traces/windows.json`. */
function windowsRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/traces/windows.json", async (c) => {
    const parameters = readParameters(c, windowsParameters);
    const paging = await pagingOf(c, parts, { ...parameters, view: "windows" });
    const { reading } = paging;
    const { ledger } = parts.store;
    const names = await knownNames(ledger, reading.scope, parameters.q);
    const query = turnQueryOf(reading, parameters, { typed: c.get("typed"), names });
    const { records, next } = await ledger.listTurns(
      { ...query, signal: c.req.raw.signal },
      {
        order: usualOrder,
        limit: Math.min(parameters.limit ?? turnsMax, turnsMax),
        ...(paging.after === undefined ? {} : { after: positionOf(paging.after) }),
      },
    );
    const reports = await producerReports(parts);
    const items: ListedWindow[] = [];
    const alone: WindowsModel["alone"][number][] = [];
    for await (const { root, window, wanted } of rootWindows(parts, reading, records)) {
      if (window === undefined) {
        const own = records.filter(({ row }) => row.root_trace_id === root);
        alone.push({ root_trace_id: root, turns: own.map(({ row }) => listedTurn(row)) });
        continue;
      }
      const metadata = await metadataOf(parts, window, reports);
      const events = window.events.filter((event) => wanted.has(turnKey(event)));
      const verdict = reconcileOutcome(events, { normalizationMetadata: metadata });
      const checked = checkedWindow(windowModel(window), verdict);
      items.push({ root_trace_id: root, events, metadata: checked });
    }
    const model: WindowsModel = {
      items,
      alone,
      turns: records.length,
      next_cursor: await paging.seal(next === null ? null : keysetOf(next), undefined),
    };
    return respondJson(c, model);
  });
  return app;
}

function listedTurn({ turn_id, agent_id, thread_id, user_id }: ListedTurn): ListedTurn {
  const ids = Object.entries({ turn_id, agent_id, thread_id, user_id });
  return Object.fromEntries(ids.filter(([, id]) => id !== undefined));
}
