/**
 * @module CheckWindows: the windows that `turnproof check` judges: a file, or the roots of turns
 * that a running collector lists.
 */
import { readFile } from "node:fs/promises";

import type { WindowMarks } from "@turnproof/contracts";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { decodeJwt } from "jose";

import { checkedWindow } from "../judge/checked-window.ts";
import { readStatement } from "../judge/statement.ts";
import type { TurnModel } from "../pages/turn/route.ts";
import type { TurnsModel } from "../pages/turns/route.ts";
import type { Client, Parameters } from "./client.ts";
import { readEvents } from "./reconcile.ts";

/** Events of one window and how it was read. */
export interface CheckedWindow {
  readonly events: readonly unknown[];
  readonly metadata?: WindowMetadata;
  readonly marks?: WindowMarks;
}

/** A window that its reader vouches for. */
const vouched: WindowMetadata = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
};

/**
 * The window of a file: pages, a list, bundles, or one of these per line. `whole`: the caller
 * vouches that nothing is missing. `statement`: path of a statement whose marks the events must
 * have; with them a list counts as whole.
 */
export async function fileWindow(
  file: string,
  { whole, statement }: { readonly whole: boolean; readonly statement?: string | undefined },
): Promise<CheckedWindow> {
  const { events, metadata: read } = readEvents(await readFile(file, "utf8"));
  const marks = statement === undefined ? undefined : await marksOf(statement);
  const given = read === undefined && (whole || marks !== undefined) ? vouched : read;
  return {
    events,
    ...(given === undefined ? {} : { metadata: given }),
    ...(marks === undefined ? {} : { marks }),
  };
}

/** Event count and digest of a statement; its signature is what `turnproof verify` checks. */
async function marksOf(path: string): Promise<WindowMarks> {
  const read = readStatement(decodeJwt((await readFile(path, "utf8")).trim()));
  if (read === undefined) throw new SyntaxError("not a statement");
  return { event_count: read.event_count, digest: read.digest };
}

/** The filters of the list of turns. */
export interface CheckFilters {
  readonly agent?: string;
  readonly thread?: string;
  readonly user?: string;
  readonly root?: string;
  readonly turn?: string;
  readonly since?: string;
  readonly until?: string;
  /** Further parameters of the list, for example those of the filter bar's terms. */
  readonly terms?: Readonly<Record<string, string | undefined>>;
}

/** Turns of one root that are judged together. */
export interface ListedWindow extends CheckedWindow {
  readonly events: readonly TurnEvent[];
}

/**
 * The windows of up to `turnsMax` of the newest matching turns, one root after the other. `more`
 * is true where further turns match.
 */
export async function* collectorWindows(
  client: Client,
  filters: CheckFilters,
  turnsMax: number,
): AsyncGenerator<{ readonly window: ListedWindow; readonly more: boolean }> {
  const { rows, more } = await listTurns(client, filters, turnsMax);
  const byRoot = new Map<string, Set<string>>();
  for (const { root_trace_id: root, turn_id: turn } of rows) {
    if (root === undefined) continue;
    const turns = byRoot.get(root) ?? new Set();
    turns.add(turn ?? "");
    byRoot.set(root, turns);
  }
  for (const [root, turns] of byRoot) {
    const model = await client.json<TurnModel>(`/traces/${encodeURIComponent(root)}.json`, {
      agent_id: filters.agent,
      thread_id: filters.thread,
      user_id: filters.user,
      turn_id: filters.turn,
    });
    const events = model.events.filter(({ turn_id: turn }) => turns.has(turn ?? ""));
    const metadata = checkedWindow(model.window, model.verdict);
    yield { window: { events, metadata }, more };
  }
}

async function listTurns(
  client: Client,
  filters: CheckFilters,
  turnsMax: number,
): Promise<{ readonly rows: TurnsModel["items"]; readonly more: boolean }> {
  const rows: TurnsModel["items"][number][] = [];
  let cursor: string | null = null;
  do {
    const parameters: Parameters = {
      agent_id: filters.agent,
      thread_id: filters.thread,
      user_id: filters.user,
      root_trace_id: filters.root,
      turn_id: filters.turn,
      start_time: filters.since,
      end_time: filters.until,
      ...filters.terms,
      limit: Math.min(1_000, turnsMax - rows.length),
      cursor: cursor ?? undefined,
    };
    const page: TurnsModel = await client.json<TurnsModel>("/traces/turns.json", parameters);
    rows.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null && rows.length < turnsMax);
  return { rows, more: cursor !== null };
}
