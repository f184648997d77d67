/**
 * @module FailedTurns: turns that did not succeed, the worst first: failed, then partial, then
 * unknown ones in which something failed, then the other unknown ones; newest first in each. A
 * cursor names the group and the place in it, and the place is left out at a group's start.
 */
import { codes } from "@turnproof/semconv";

import type { TurnsModel } from "../pages/turns/route.ts";
import { Refused } from "./requester.ts";
import type { Requester, RequestParameters } from "./requester.ts";

/** The groups in their order; successes are walked only where that verdict is named. */
const groups = [
  { name: "failed", verdict: "failed", terms: "" },
  { name: "partial", verdict: "partial", terms: "" },
  { name: "error", verdict: "unknown", terms: "has:error" },
  { name: "unknown", verdict: "unknown", terms: "-has:error" },
  { name: "success", verdict: "success", terms: "" },
] as const;

/** A page of the walk over the groups. */
export type FailedPage = Pick<TurnsModel, "items" | "next_cursor" | "pending_frames">;

/** Up to `limit` turns from a cursor on; of one verdict where it is named. */
export async function failedTurns(
  request: Requester,
  filter: RequestParameters,
  page: {
    readonly limit: number;
    readonly verdict: string | undefined;
    readonly cursor: string | undefined;
  },
): Promise<FailedPage> {
  const { verdict } = page;
  const walked = groups.filter((group) =>
    verdict === undefined ? group.verdict !== "success" : group.verdict === verdict,
  );
  const { name, place } = startOf(page.cursor);
  let at = page.cursor === undefined ? 0 : walked.findIndex((group) => group.name === name);
  if (at < 0) throw new Refused("cursor_rejected", codes.cursor_rejected.sentence);
  let cursor = place;
  let pending = 0;
  const items: TurnsModel["items"][number][] = [];
  for (let group = walked[at]; group !== undefined; group = walked[at]) {
    const terms = [group.terms, String(filter["q"] ?? "")].join(" ").trim();
    const read: TurnsModel = await request.json<TurnsModel>("/traces/turns.json", {
      ...filter,
      verdict: group.verdict,
      q: terms === "" ? undefined : terms,
      limit: page.limit - items.length,
      cursor,
    });
    items.push(...read.items);
    pending = Math.max(pending, read.pending_frames);
    if (read.next_cursor === null) at += 1;
    cursor = read.next_cursor ?? undefined;
    if (items.length >= page.limit || cursor !== undefined) break;
  }
  const next = walked[at];
  const next_cursor =
    next === undefined ? null : cursor === undefined ? next.name : `${next.name}.${cursor}`;
  return { items, next_cursor, pending_frames: pending };
}

function startOf(cursor = ""): { readonly name: string; readonly place: string | undefined } {
  const [name = "", ...rest] = cursor.split(".");
  return { name, place: rest.length === 0 ? undefined : rest.join(".") };
}
