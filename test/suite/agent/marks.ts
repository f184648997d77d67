/**
 * @module Marks: words that stand for content, one for each way in which content gets into a turn.
 * None may ever lie outside of memory; each is a word that nothing else contains.
 */

const ways = [
  "instructions",
  "persona",
  "toolDescription",
  "context",
  "provenanceField",
  "query",
  "refused",
  "answer",
  "history",
  "profile",
  "attributeName",
  "preference",
  "writingSample",
  "entity",
  "facts",
  "crossThread",
  "summary",
  "toolName",
  "toolInput",
  "toolResult",
  "toolError",
  "callbackError",
  "embedderError",
  "comment",
  "hashedComment",
  "hostError",
  "hostField",
  "skill",
  "sharedMemory",
  "spanName",
  "spanAttribute",
  "spanEvent",
  "spanStatus",
] as const;

/** A way in which content gets into a turn. */
export type Way = (typeof ways)[number];

/** The mark of each way. */
export const marks = Object.fromEntries(
  ways.map((way) => [way, `zq${way.toLowerCase()}qz`]),
) as Readonly<Record<Way, string>>;

/** The marks that stand in a text or in bytes. */
export function marksIn(stored: string | Buffer): readonly Way[] {
  return ways.filter((way) => stored.includes(marks[way]));
}
