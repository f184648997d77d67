/** @module TurnWrites: writes of turns, each key once. */
import type { HeldTurn } from "./turn-query.ts";
import { compareVersions } from "./turn-record.ts";
import type { TurnRecord } from "./turn-record.ts";

/** A deleted turn. */
export type TurnEnd = HeldTurn;

/** The ledger's fields of a record. */
export function heldOf({ key, version, first_received, row }: TurnRecord): HeldTurn {
  return { key, version, first_received, root_trace_id: row.root_trace_id ?? "" };
}

/** A record, or its deletion. */
export type TurnWrite = { readonly put: TurnRecord } | { readonly drop: TurnEnd };

/** The newest write of each key; of two equal versions the later. */
export function newestWrites(writes: readonly TurnWrite[]): readonly TurnWrite[] {
  const newest = new Map<string, TurnWrite>();
  for (const write of writes) {
    const { key, version } = endOf(write);
    const held = newest.get(key);
    if (held !== undefined && compareVersions(endOf(held).version, version) > 0) continue;
    newest.set(key, write);
  }
  return [...newest.values()];
}

/** Key and version of a write. */
export function endOf(write: TurnWrite): Pick<TurnRecord, "key" | "version"> {
  return "put" in write ? write.put : write.drop;
}

/** Epoch, rows and settled flag in 64 bits, with the same order. */
export function versionNumber({ epoch, rows, settled }: TurnRecord["version"]): bigint {
  return (BigInt(epoch) << 40n) | (BigInt(rows) << 1n) | (settled ? 1n : 0n);
}

/** The version from {@link versionNumber}. */
export function versionOfNumber(number: bigint): TurnRecord["version"] {
  return {
    epoch: Number(number >> 40n),
    rows: Number((number >> 1n) & 0x7fff_ffffffn),
    settled: (number & 1n) === 1n,
  };
}
