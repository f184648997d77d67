/** @module What an update makes of a document, by the operators that the provider uses. */
import { isDeepStrictEqual } from "node:util";

import { Aggregator } from "mingo";

import { CommandError } from "./mongo-error.ts";
import type { Doc } from "./mongo-wire.ts";

type Operator = (held: unknown, value: unknown) => unknown;

/** What an operator makes of a field. */
const operators: { readonly [name: string]: Operator } = {
  $set: (_held, value) => value,
  $setOnInsert: (_held, value) => value,
  $unset: () => undefined,
  $inc: (held, by) => Number(held ?? 0) + Number(by),
  $min: (held, value) => (held === undefined ? value : Math.min(Number(held), Number(value))),
  $max: (held, value) => (held === undefined ? value : Math.max(Number(held), Number(value))),
  $addToSet: (held, value) => [
    ...new Set([...((held ?? []) as unknown[]), ...(value as { $each: unknown[] }).$each]),
  ],
};

/** The document after the change; `inserted` when an upsert makes it. */
export function changed(document: Doc, change: Doc, inserted: boolean): Doc {
  if (Array.isArray(change)) return new Aggregator(change as Doc[]).run<Doc>([document])[0] ?? {};
  if (!Object.keys(change).some((name) => name.startsWith("$"))) {
    return { ...("_id" in document ? { _id: document["_id"] } : {}), ...change };
  }
  const next = { ...document };
  const touched = new Set<string>();
  for (const [operator, fields] of Object.entries(change) as [string, Doc][]) {
    if (operator === "$rename") {
      renameFields(next, fields);
      continue;
    }
    const apply = operators[operator];
    if (apply === undefined) {
      throw new CommandError(9, "FailedToParse", `Unknown modifier: ${operator}`);
    }
    for (const [field, value] of Object.entries(fields)) {
      if (touched.has(field)) {
        const stated = `Updating the path '${field}' would create a conflict at '${field}'`;
        throw new CommandError(40, "ConflictingUpdateOperators", stated);
      }
      touched.add(field);
      if (operator === "$setOnInsert" && !inserted) continue;
      const result = apply(document[field], value);
      if (result === undefined) delete next[field];
      else next[field] = result;
    }
  }
  return next;
}

/** A field that is not there is no error; one that has the new name goes. */
function renameFields(document: Doc, names: Doc): void {
  for (const [from, to] of Object.entries(names) as [string, string][]) {
    if (!(from in document)) continue;
    document[to] = document[from];
    delete document[from];
  }
}

/** True when an update left the document as it was. */
export function isSame(before: Doc, after: Doc): boolean {
  return isDeepStrictEqual(before, after);
}

/** Fields that an upsert takes from its filter. */
export function insertedFields(filter: Doc): Doc {
  const found: Doc = {};
  for (const [field, condition] of Object.entries(filter)) {
    if (field === "$and") {
      for (const part of condition as Doc[]) Object.assign(found, insertedFields(part));
    } else if (typeof condition === "object" && condition !== null && "$eq" in condition) {
      found[field] = condition.$eq;
    }
  }
  return found;
}
