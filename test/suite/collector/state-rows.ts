/**
 * @module StateRows: rows that collectors share, in memory, and a store that is away on request.
 */
import { CodedError } from "@turnproof/semconv";
import type { CollectorState, StateRow } from "@turnproof/store";

/** Rows, and whether the store answers. */
export interface StateRows extends CollectorState {
  away: boolean;
}

/** No rows. */
export function stateRows(): StateRows {
  const kept = new Map<string, StateRow>();
  const key = (kind: string, name: string): string => `${kind} ${name}`;
  const requireStore = (): void => {
    if (rows.away) throw new CodedError("store_unavailable");
  };
  const rows: StateRows = {
    away: false,
    async read(kind, name) {
      requireStore();
      return kept.get(key(kind, name));
    },
    async list(kind) {
      requireStore();
      return [...kept].flatMap(([at, row]) => (at.startsWith(`${kind} `) ? row : []));
    },
    async write(kind, { name, version, value }) {
      requireStore();
      const at = key(kind, name);
      if ((kept.get(at)?.version ?? -1) < version) kept.set(at, { name, version, value });
    },
  };
  return rows;
}
