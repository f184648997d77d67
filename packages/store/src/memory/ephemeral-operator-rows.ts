/** @module EphemeralOperatorRows: what operators write, in the memory of the process. */
import type { OperatorPlace, OperatorRow, OperatorTable } from "../operator-rows.ts";

/** No rows. @param open throws once the store is closed */
export function ephemeralOperatorRows(open: () => void): OperatorTable {
  const held = new Map<string, OperatorRow>();
  const standing = (of: OperatorPlace): OperatorRow | undefined => {
    open();
    const row = held.get(of.id);
    const same = row?.kind === of.kind && row.tenant === of.tenant && row.place === of.place;
    return same ? row : undefined;
  };
  return {
    async list(kind, tenants, place) {
      open();
      return [...held.values()].filter(
        (row) => row.kind === kind && row.place === place && tenants.includes(row.tenant),
      );
    },
    async write(row) {
      const before = standing(row);
      if (row.version === 1 ? held.has(row.id) : before?.version !== row.version - 1) return false;
      held.set(row.id, { ...row });
      return true;
    },
    async remove(of) {
      return standing(of)?.version === of.version && held.delete(of.id);
    },
    async after(id, limit) {
      open();
      const rows = [...held.values()].filter((row) => row.id > id);
      return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
    },
    async forget(ids) {
      open();
      for (const id of ids) held.delete(id);
    },
  };
}
