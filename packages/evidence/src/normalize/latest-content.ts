/**
 * @module LatestContent: which of the contents of one event is the latest (vocabulary: Envelopes).
 * The latest is decided by timestamp, then received_at, then the number that one producer gave to
 * its records. Where these leave several contents, no order is known: the event is `contested`, and
 * one of them is kept by its hash, so that every reader shows the same one.
 */
import { compareTimes } from "@turnproof/semconv";

import { contentOf, stableHash } from "./content-hash.ts";
import type { TurnEvent } from "../event/event.ts";
import { compareText } from "../event/text-order.ts";

/** All contents of one event; each is represented by its earliest receipt. */
export interface Copies {
  readonly byContent: Map<string, TurnEvent>;
  /** Contents of which an earlier reader knew no order. */
  readonly contested: Set<string>;
  seenRevision: number;
}

/** Nothing yet. */
export function noCopies(): Copies {
  return { byContent: new Map(), contested: new Set(), seenRevision: 1 };
}

/** Whether its contents were counted. */
export function hasRevision(event: TurnEvent): boolean {
  return event.revision !== undefined;
}

/** The event with revision 1, unless it has a revision already. */
export function withRevision(event: TurnEvent): TurnEvent {
  return event.revision === undefined ? { ...event, revision: 1 } : event;
}

/** Adds a copy of the event. */
export function addCopy(met: Copies, event: TurnEvent): void {
  const content = contentOf(event);
  const same = met.byContent.get(content);
  if (event.contested === true) met.contested.add(content);
  met.seenRevision = Math.max(met.seenRevision, event.revision ?? 1);
  if (same === undefined || compareCopies(event, same) < 0) met.byContent.set(content, event);
}

/** Order of two copies of one content: first receipt, first number, then any other difference. */
function compareCopies(a: TurnEvent, b: TurnEvent): number {
  return (
    compareReceipt(a, b) ||
    compareText(a.producer_id ?? "", b.producer_id ?? "") ||
    (a.producer_seq ?? -1) - (b.producer_seq ?? -1) ||
    (JSON.stringify(copyMark(a)) < JSON.stringify(copyMark(b)) ? -1 : 1)
  );
}

/**
 * Fields that {@link contentOf} leaves out, in a fixed order, so that a tie never depends on
 * arrival.
 */
function copyMark(event: TurnEvent): readonly unknown[] {
  return [event.source_store ?? null, event.identity_derived ?? null, event.revision ?? null];
}

function compareReceipt(a: TurnEvent, b: TurnEvent): number {
  const left = a.received_at;
  const right = b.received_at;
  if (left === undefined || right === undefined) {
    return left === right ? 0 : left === undefined ? -1 : 1;
  }
  return compareTimes(left, right);
}

/** The latest content with its revision. */
export function latest(event: TurnEvent, met: Copies | undefined): TurnEvent {
  if (met === undefined) return withRevision(event);
  const open = latestContents(met);
  const first = open[0]?.[1] ?? event;
  const contested = open.length > 1 || open.some(([content]) => met.contested.has(content));
  const revision = Math.max(met.byContent.size, met.seenRevision);
  const { contested: before = false } = first;
  if (first.revision === revision && before === contested) return first;
  const { contested: _, ...rest } = first;
  return { ...rest, revision, ...(contested ? { contested } : undefined) };
}

/** A content and its first copy. */
type Content = readonly [content: string, copy: TurnEvent];

/** The contents of which none is known to be earlier than another, in the order of their hashes. */
function latestContents({ byContent }: Copies): readonly Content[] {
  let last: Content[] = [];
  for (const one of byContent) {
    const [other] = last;
    const order = other === undefined ? 1 : compareKnown(one[1], other[1]);
    if (order > 0) last = [one];
    else if (order === 0) last.push(one);
  }
  const [known] = last;
  if (known === undefined) return last;
  // Without a receipt it is unknown whether a content is earlier.
  for (const one of byContent) {
    const [, copy] = one;
    const lacks = copy.received_at === undefined && known[1].received_at !== undefined;
    if (lacks && compareTimes(copy.timestamp, known[1].timestamp) === 0) last.push(one);
  }
  return last.length < 2 ? last : byHash(last.filter((one) => !isNumberedBefore(one, last)));
}

function compareKnown(a: TurnEvent, b: TurnEvent): number {
  return compareTimes(a.timestamp, b.timestamp) || compareReceipt(a, b);
}

/** Whether the producer of a content gave a higher number to another one. */
function isNumberedBefore([, copy]: Content, all: readonly Content[]): boolean {
  const { producer_id: producer, producer_seq: number } = copy;
  if (producer === undefined || number === undefined) return false;
  return all.some(
    ([, other]) => other.producer_id === producer && (other.producer_seq ?? number) > number,
  );
}

function byHash(contents: readonly Content[]): readonly Content[] {
  const marked = contents.map((one) => ({ one, hash: stableHash(one[0]) }));
  marked.sort((a, b) => compareText(b.hash, a.hash) || compareText(b.one[0], a.one[0]));
  return marked.map(({ one }) => one);
}
