/** @module TurnPlace: converts a turn's place in an order between ledger and cursor. */
import type { Keyset, TurnPlace } from "@turnproof/store";

/** A place in a cursor's form; an unknown value is absent. */
export function keysetOf({ key, value }: TurnPlace): Keyset {
  return value === null ? { key } : { key, value };
}

/** The place of an opened cursor. */
export function placeOf({ key, value }: Keyset): TurnPlace {
  return { key: String(key), value: typeof value === "number" ? value : null };
}
