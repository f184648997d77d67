/**
 * @module Matching and order of the test server: ranges and sorting by the order of BSON, strings
 * by the bytes of UTF-8 as a real server compares them; every other operator is mingo's.
 */
import { Query } from "mingo";

import type { Doc } from "./mongo-wire.ts";

const typeRank = (value: unknown): number => {
  if (value === undefined || value === null) return 1;
  if (typeof value === "number" || typeof value === "bigint") return 2;
  if (typeof value === "string") return 3;
  if (typeof value === "boolean") return 5;
  return 4;
};

/** Order of BSON values as far as the provider sorts them: strings by the bytes of UTF-8. */
function compare(a: unknown, b: unknown): number {
  const [left, right] = [typeRank(a), typeRank(b)];
  if (left !== right) return left - right;
  if (typeof a === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
}

/** Documents in the order of a sort document. */
export function sorted(documents: readonly Doc[], order: Doc | undefined): Doc[] {
  const keys = Object.entries(order ?? {});
  return documents.toSorted((a, b) => {
    for (const [field, direction] of keys) {
      const by = compare(a[field], b[field]) * Number(direction);
      if (by !== 0) return by;
    }
    return 0;
  });
}

/** Range comparisons of strings go by bytes; the rest of a filter is mingo's. */
export function matcher(filter: Doc): (document: Doc) => boolean {
  const parts: ((document: Doc) => boolean)[] = [];
  const rest: Doc = {};
  for (const [field, condition] of Object.entries(filter)) {
    if (field === "$and" || field === "$or") {
      const inner = (condition as Doc[]).map(matcher);
      parts.push((document) =>
        field === "$and"
          ? inner.every((part) => part(document))
          : inner.some((part) => part(document)),
      );
    } else if (isRange(condition)) {
      for (const [operator, bound] of Object.entries(condition))
        parts.push(range(field, operator, bound));
    } else rest[field] = condition;
  }
  const query = new Query(rest);
  return (document) => parts.every((part) => part(document)) && query.test(document);
}

function isRange(condition: unknown): condition is Doc {
  if (typeof condition !== "object" || condition === null) return false;
  const names = Object.keys(condition);
  return names.length > 0 && names.every((name) => ["$gt", "$gte", "$lt", "$lte"].includes(name));
}

function range(field: string, operator: string, bound: unknown): (document: Doc) => boolean {
  return (document) => {
    const value = document[field];
    if (typeRank(value) !== typeRank(bound)) return false;
    const by = compare(value, bound);
    if (operator === "$gt") return by > 0;
    if (operator === "$gte") return by >= 0;
    return operator === "$lt" ? by < 0 : by <= 0;
  };
}
