/** @module TurnPlace: the order of lists of turns, and a turn's place in it as a cursor. */
import type { Keyset, TurnOrder, TurnPlace } from "@turnproof/store";

/**
 * The order of a list that names none: the turns' own time, by which rows are dated, charts drawn
 * and times filtered. A turn that goes on moves to the front.
 */
export const usualOrder = { by: "own_time" } as const satisfies TurnOrder;

/** A place in a cursor's form; an unknown value is absent. */
export function keysetOf({ key, value }: TurnPlace): Keyset {
  return value === null ? { key } : { key, value };
}

/** The place of an opened cursor. */
export function placeOf({ key, value }: Keyset): TurnPlace {
  return { key: String(key), value: value ?? null };
}
