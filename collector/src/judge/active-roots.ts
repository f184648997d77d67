/**
 * @module ActiveRoots: roots that are never quiet. They are judged as far as they are stored, and
 * their rows stay provisional until the root is quiet. A window without the events after the mark
 * is not complete: it can show failures and no success.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { compareTimes, limits } from "@turnproof/semconv";
import { judgeSoFar } from "@turnproof/store";
import type { WholeRoot } from "@turnproof/store";

import { TurnsOfRoot } from "./judge-roots.ts";
import type { JudgeInput, JudgeMemory } from "./judge-input.ts";
import type { JudgeParts } from "../parts.ts";
import { metadataOf } from "./verdict.ts";
import { windowOf } from "../turns/window.ts";

/**
 * Judges the rows of these roots received before the mark; returns how many turns. A root that is
 * not in memory waits until it is quiet.
 */
export async function judgeBusy(
  parts: JudgeParts,
  roots: readonly string[],
  { mark, reports }: JudgeInput,
  { losses }: JudgeMemory,
): Promise<number> {
  const { recorder } = parts;
  if (recorder === undefined || roots.length === 0) return 0;
  const isReadable = ({ received_at: at }: TurnEvent): boolean =>
    at !== undefined && compareTimes(at, mark) <= 0;
  const whole: WholeRoot[] = [];
  const judges = new Map<string, TurnsOfRoot>();
  for (const [root, stands] of await parts.store.standing(roots)) {
    const held = recorder.whole(root, stands, limits.rootEventsMax);
    if (held === undefined) continue;
    const { slice, turns } = held;
    const events = slice.events.filter(isReadable);
    if (events.length === 0) continue;
    const bounded = slice.bounded || slice.next !== null;
    const pending = events.length < slice.events.length ? 1 : 0;
    const manner = { started: performance.now(), mark, pending, bounded };
    const window = windowOf([{ ...slice, events }], manner);
    judges.set(root, new TurnsOfRoot(parts, window, await metadataOf(parts, window, reports)));
    losses.judged(events);
    const known = turns === undefined ? {} : { held: turns };
    whole.push({ root, events: slice.events, ...stands, ...known });
  }
  const found = await judgeSoFar(parts.store.ledger, whole, ({ root }) => (_row, own) => {
    const readable = own.filter(isReadable);
    return readable.length === 0 ? undefined : judges.get(root)?.judge(readable);
  });
  let judged = 0;
  for (const [root, soFar] of found) {
    recorder.judgedSoFar(root, mark, soFar);
    judged += soFar.size;
  }
  return judged;
}
