/**
 * @module ReconcileCauses: which event is an effect of which, by parents, links and `caused_by`
 * (evidence: Reconcile, Order). Used only for events of different producers: within one, its
 * sequence orders.
 */
import { compareTimes, elapsedMs } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { stampOf } from "./reconcile-clock.ts";
import { parentKey, spanKey } from "../event/span-key.ts";
import type { TurnEvidence } from "./turn-evidence.ts";
import type { CauseIndex } from "./turn-evidence.ts";

/** Largest skew between two clocks that is bridged where something else orders the pair. */
export const bridgedSkewMs = 500;

/** Most causes that are followed from one event; a longer chain orders nothing. */
const causesMax = 256;

/** True when the event names a cause. */
export function namesCause(event: TurnEvent): boolean {
  return (
    event.parent_span_id !== undefined ||
    event.caused_by_event_id !== undefined ||
    (event.links?.length ?? 0) > 0
  );
}

/** The spans that an event names as its causes. */
export function causeSpans(event: TurnEvent): readonly string[] {
  const parent = parentKey(event);
  const linked = event.links?.map(({ span_id }) => span_id) ?? [];
  return parent === undefined ? linked : [parent, ...linked];
}

/**
 * True when `cause` is among the causes of `effect`. A result is the end of its span, which may
 * come after its effects, so it orders none of them.
 */
export function isEffectOf(turn: TurnEvidence, effect: TurnEvent, cause: TurnEvent): boolean {
  if (cause.phase === "result" || !namesCause(effect)) return false;
  turn.causes ??= indexOf(turn.events);
  let causes = turn.causes.known.get(effect);
  if (causes === undefined) {
    causes = causesOf(turn.causes, effect);
    turn.causes.known.set(effect, causes);
  }
  return causes.has(cause);
}

function indexOf(events: readonly TurnEvent[]): CauseIndex {
  const bySpan = new Map<string, TurnEvent[]>();
  const byEvent = new Map<string, TurnEvent[]>();
  const add = (map: Map<string, TurnEvent[]>, key: string, event: TurnEvent): void => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [event]);
    else known.push(event);
  };
  for (const event of events) {
    const span = spanKey(event);
    if (span !== undefined) add(bySpan, span, event);
    add(byEvent, event.event_id, event);
  }
  return { bySpan, byEvent, known: new Map() };
}

function causesOf(index: CauseIndex, effect: TurnEvent): ReadonlySet<TurnEvent> {
  const found = new Set<TurnEvent>();
  const open = [effect];
  for (let event = open.pop(); event !== undefined; event = open.pop()) {
    const named = [
      ...causeSpans(event).flatMap((span) => index.bySpan.get(span) ?? []),
      ...(index.byEvent.get(event.caused_by_event_id ?? "") ?? []),
    ];
    for (const cause of named) {
      if (cause === effect || found.has(cause)) continue;
      if (found.size >= causesMax) return found;
      found.add(cause);
      open.push(cause);
    }
  }
  return found;
}

/** Direct causes of an event that begin after it by more than the bridged skew. */
export function laterCauses(turn: TurnEvidence, effect: TurnEvent): readonly TurnEvent[] {
  if (!namesCause(effect)) return none;
  const began = effect.started_at ?? stampOf(effect);
  const found: TurnEvent[] = [];
  for (const span of causeSpans(effect)) {
    const first = startOfSpan(turn, span);
    if (first === undefined || !isBeyondSkew(began, first)) continue;
    found.push(...(turn.bySpan.get(span) ?? none).slice(0, 2));
  }
  if (effect.caused_by_event_id === undefined) return found;
  turn.causes ??= indexOf(turn.events);
  for (const cause of turn.causes.byEvent.get(effect.caused_by_event_id) ?? none) {
    const start = startOf(cause);
    if (cause !== effect && start !== undefined && isBeyondSkew(began, start)) found.push(cause);
  }
  return found;
}

const none: readonly TurnEvent[] = [];

function isBeyondSkew(effect: string, cause: string): boolean {
  // Hardly any effect begins before its cause; the distance is computed only for one that does.
  if (compareTimes(cause, effect) <= 0) return false;
  return (elapsedMs(effect, cause) ?? 0) > bridgedSkewMs;
}

/** When an event began; unknown for a result with only an end time. */
function startOf(event: TurnEvent): string | undefined {
  if (event.started_at !== undefined) return event.started_at;
  return event.phase === "result" && event.span_id !== undefined ? undefined : stampOf(event);
}

/** Read once per span, however many events name it. */
function startOfSpan(turn: TurnEvidence, span: string): string | undefined {
  const known = turn.startOfSpan.get(span);
  if (known !== undefined) return known ?? undefined;
  const first = firstStart(turn.bySpan.get(span) ?? none);
  turn.startOfSpan.set(span, first ?? null);
  return first;
}

function firstStart(events: readonly TurnEvent[]): string | undefined {
  let first: string | undefined;
  for (const event of events) {
    const start = startOf(event);
    if (start === undefined) continue;
    if (first === undefined || compareTimes(start, first) < 0) first = start;
  }
  return first;
}
