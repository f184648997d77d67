/**
 * @module FoundVerdicts: what the judge says of the turns that an id leads to, so that whoever
 * looks for a customer's thread sees at once which of its turns went wrong.
 */
import { foldTurns } from "@turnproof/evidence";
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";

import type { Reading } from "../auth/grants.ts";
import type { Parts } from "../parts.ts";
import { withVerdicts } from "./turn-reading.ts";

/** One turn of a found root; null where nobody judged it, or not since it last spoke. */
export interface FoundVerdict {
  readonly turn_id: string | null;
  readonly verdict: string | null;
  readonly finding_codes: readonly string[];
}

/** Roots whose turns are read; beyond these, what the judge says is left to their own pages. */
const rootsMax = 100;
const rowsMax = 50_000;

/** By root, its turns in scope as the judge sees them; a root that was not looked at is left out. */
export async function verdictsOf(
  parts: Parts,
  { scope }: Reading,
  roots: readonly string[],
): Promise<ReadonlyMap<string, readonly FoundVerdict[]>> {
  const asked = roots.filter((root) => root !== "").slice(0, rootsMax);
  const events = await eventsOf(parts, scope, asked);
  const verdicts = await parts.store.verdicts(scope, [...events.keys()]);
  return new Map(
    [...events].map(([root, own]) => [root, withVerdicts(foldTurns(own), verdicts).map(said)]),
  );
}

/** Events by root; a root that is too large to be read here is left out. */
async function eventsOf(
  { store }: Parts,
  scope: Reading["scope"],
  roots: readonly string[],
): Promise<ReadonlyMap<string, readonly TurnEvent[]>> {
  const limit = limits.rootEventsMax;
  const slices =
    (await store.roots?.(scope, roots, { limit, budgetRows: rowsMax })) ??
    new Map(
      await Promise.all(
        roots.map(async (root) => [root, await store.root(scope, root, { limit })] as const),
      ),
    );
  return new Map(
    [...slices].flatMap(([root, { events, next }]) => (next === null ? [[root, events]] : [])),
  );
}

function said({ turn_id, verdict, finding_codes }: TurnRow): FoundVerdict {
  return { turn_id: turn_id ?? null, verdict, finding_codes: finding_codes ?? [] };
}
