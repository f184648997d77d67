/** @module TurnPosition: the order of lists of turns, and a turn's place in it as a cursor. */
import type { Keyset, TurnOrder, TurnPosition } from "@turnproof/store";

/**
 * The order of a list that names none: the turns' own time, by which rows are dated, charts drawn
 * and times filtered. A turn that goes on moves to the front.
 */
export const usualOrder = { by: "own_time" } as const satisfies TurnOrder;

/** A position in a cursor's form; an unknown value is absent. */
export function keysetOf({ key, value }: TurnPosition): Keyset {
  return value === null ? { key } : { key, value };
}

/** The position of an opened cursor. */
export function positionOf({ key, value }: Keyset): TurnPosition {
  return { key: String(key), value: value ?? null };
}
