/**
 * @module Memo: texts that passed already. Labels are few and stored in a set. Ids are many, so
 * they share a fixed number of slots where a new one replaces an old one and a miss costs little.
 */
import type { Shape } from "../registry/row.ts";

/** Labels held per shape before the set starts again. */
const labelsMax = 4_096;

/** Slots for ids of a shape. */
const idSlots = 2_048;

/** Texts of one shape that passed. */
export interface Memo {
  readonly labels: Set<string>;
  /** Empty for a shape of labels. */
  readonly ids: (string | undefined)[];
}

/** Shapes of which nearly every text is new. */
const manyShapes: ReadonlySet<Shape> = new Set(["id", "tenant", "fingerprint", "time"] as const);

/** An empty memo for a shape. */
export function createMemo(shape: Shape): Memo {
  const many = manyShapes.has(shape);
  return { labels: new Set(), ids: Array.from({ length: many ? idSlots : 0 }, () => undefined) };
}

/** True when the memo holds the text. */
export function remembers(memo: Memo, text: string): boolean {
  return memo.ids.length > 0 ? memo.ids[slotOf(text)] === text : memo.labels.has(text);
}

/** Adds a text that passed. */
export function remember(memo: Memo, text: string): void {
  if (memo.ids.length > 0) {
    memo.ids[slotOf(text)] = text;
    return;
  }
  if (memo.labels.size >= labelsMax) memo.labels.clear();
  memo.labels.add(text);
}

/** The slot of an id, from its length and its last characters, where ids differ most. */
function slotOf(text: string): number {
  const { length } = text;
  let hash = length;
  for (let at = length > 6 ? length - 6 : 0; at < length; at++) {
    hash = (hash * 31 + text.charCodeAt(at)) | 0;
  }
  return (hash ^ (hash >>> 11)) & (idSlots - 1);
}
