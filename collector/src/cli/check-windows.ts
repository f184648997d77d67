/**
 * @module CheckWindows: the windows that `turnproof check` judges: a file, or the roots of turns
 * that a running collector lists.
 */
import { readFile } from "node:fs/promises";

import type { WindowMarks } from "@turnproof/contracts";
import { turnKey } from "@turnproof/evidence";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import { decodeJwt } from "jose";

import { checkedWindow } from "../judge/checked-window.ts";
import { readStatement } from "../judge/statement.ts";
import type { FirstStatement, Statement } from "../judge/statement.ts";
import type { TurnModel } from "../pages/turn/turn-reading.ts";
import type { WindowsModel } from "../pages/windows/route.ts";
import type { Client } from "./client.ts";
import { readEventFile } from "./event-file.ts";
import { pageAddress } from "../ui/display/page-address.ts";

/** Events of one window and how it was read. */
export interface CheckedWindow {
  readonly events: readonly unknown[];
  readonly metadata?: WindowMetadata;
  readonly marks?: WindowMarks;
}

/** A window that is complete by the option `--whole`. */
const wholeWindow: WindowMetadata = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete",
};

/**
 * The window of a file: pages, a list, bundles, or one of these per line. `whole`: it is
 * treated as complete. `statement`: path of a statement whose marks the events must have, and whose
 * window is theirs: its losses and gaps count.
 */
export async function fileWindow(
  file: string,
  { whole, statement }: { readonly whole: boolean; readonly statement?: string | undefined },
): Promise<CheckedWindow> {
  const { events, metadata: read } = await readEventFile(file);
  if (statement === undefined) {
    const given = read ?? (whole ? wholeWindow : undefined);
    return { events, ...(given === undefined ? {} : { metadata: given }) };
  }
  const signed = await statementOf(statement);
  const stated: WindowMetadata = "window" in signed ? signed.window : wholeWindow;
  return {
    events,
    metadata: read === undefined ? stated : bothWindows(read, stated),
    marks: { event_count: signed.event_count, digest: signed.digest },
  };
}

/**
 * A statement; its signature is what `turnproof verify` checks.
 *
 * @throws CodedError `parameter_invalid` for a file that is none
 */
async function statementOf(path: string): Promise<Statement | FirstStatement> {
  const text = (await readFile(path, "utf8")).trim();
  const read = readStatement(payloadOf(text));
  if (read === undefined) throw new CodedError("parameter_invalid", { field: "statement" });
  return read;
}

function payloadOf(text: string): unknown {
  try {
    return decodeJwt(text);
  } catch {
    // Not a signed text at all.
    return undefined;
  }
}

/** What pages and a statement of the same events state: a gap or a loss in one is in both. */
function bothWindows(pages: WindowMetadata, stated: WindowMetadata): WindowMetadata {
  const both = <T>(a: readonly T[] | undefined, b: readonly T[] | undefined): readonly T[] => [
    ...(Array.isArray(a) ? (a as readonly T[]) : []),
    ...(Array.isArray(b) ? (b as readonly T[]) : []),
  ];
  const isWhole = stated.window_complete === true && stated.truncated === false;
  return {
    ...stated,
    ...pages,
    ...(isWhole ? {} : { window_complete: false, truncated: true }),
    quarantined_roots: both(pages.quarantined_roots, stated.quarantined_roots),
    losses: both(pages.losses, stated.losses),
  };
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
export interface EventWindow extends CheckedWindow {
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
): AsyncGenerator<{ readonly window: EventWindow; readonly more: boolean }> {
  let cursor: string | null = null;
  let count = 0;
  do {
    const page: WindowsModel = await client.json<WindowsModel>("/traces/windows.json", {
      agent_id: filters.agent,
      thread_id: filters.thread,
      user_id: filters.user,
      root_trace_id: filters.root,
      turn_id: filters.turn,
      start_time: filters.since,
      end_time: filters.until,
      ...filters.terms,
      limit: Math.min(pageTurns, turnsMax - count),
      cursor: cursor ?? undefined,
    });
    count += page.turns;
    cursor = page.next_cursor;
    const more = cursor !== null && count >= turnsMax;
    for (const { events, metadata } of page.items) yield { window: { events, metadata }, more };
    for (const one of page.alone) {
      yield { window: await largeWindow(client, one, filters.user), more };
    }
  } while (cursor !== null && count < turnsMax);
}

/** Turns of one request. */
const pageTurns = 200;

/** The listed turns of a root that is too large to be read with others; it is read whole. */
async function largeWindow(
  client: Client,
  { root_trace_id: root, turns }: WindowsModel["alone"][number],
  user: string | undefined,
): Promise<EventWindow> {
  const path = `${pageAddress("traces", root)}.json`;
  const model = await client.json<TurnModel>(path, { user_id: user, read: "whole" });
  const wanted = new Set(turns.map((turn) => turnKey({ ...turn, root_trace_id: root })));
  const events = model.events.filter((event) => wanted.has(turnKey(event)));
  return { events, metadata: checkedWindow(model.window, model.verdict) };
}
