/**
 * @module TurnPlace: the place of a turn in an order, as the ledger and as a cursor hold it.
 */
import type { Keyset, TurnPlace } from "@turnproof/store";

/** A place as a cursor holds it; an unknown value is absent. */
export function keysetOf({ key, value }: TurnPlace): Keyset {
  return value === null ? { key } : { key, value };
}

/** The place of an opened cursor. */
export function placeOf({ key, value }: Keyset): TurnPlace {
  return { key: String(key), value: typeof value === "number" ? value : null };
}
