/**
 * @module A collection of the test server: documents in memory, its unique indexes, and the changes
 * that a real server allows. Equalities on a few fields are answered by a hash, so that a long run
 * of random operations stays linear.
 */
import { calculateObjectSize, EJSON } from "bson";

import { CommandError } from "./mongo-error.ts";
import { matcher } from "./mongo-match.ts";
import type { Doc } from "./mongo-wire.ts";

/** Bytes of a document at most. */
const documentBytesMax = 16_777_216;

interface UniqueRule {
  readonly name: string;
  readonly fields: readonly string[];
  readonly partial: ((document: Doc) => boolean) | undefined;
}

/** Values that are equal have the same key, whatever their type. */
export function keyOf(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return `s${value}`;
  return EJSON.stringify(value, { relaxed: true });
}

/** Documents by the keys of one field. */
class Hash {
  readonly #field: string;
  #byKey = new Map<string, Set<Doc>>();
  #count = 0;

  constructor(field: string) {
    this.#field = field;
  }

  add(document: Doc): void {
    for (const key of this.#keys(document)) {
      const held = this.#byKey.get(key) ?? new Set();
      this.#byKey.set(key, held.add(document));
    }
    this.#count += 1;
  }

  remove(document: Doc): void {
    for (const key of this.#keys(document)) {
      const held = this.#byKey.get(key);
      held?.delete(document);
      if (held?.size === 0) this.#byKey.delete(key);
    }
    this.#count -= 1;
  }

  /** Documents of these values; a test may have laid documents into the list itself. */
  get(all: readonly Doc[], values: readonly unknown[]): Doc[] {
    if (this.#count !== all.length) {
      this.#byKey = new Map();
      this.#count = 0;
      for (const document of all) this.add(document);
    }
    return [...new Set(values.flatMap((value) => [...(this.#byKey.get(keyOf(value)) ?? [])]))];
  }

  #keys(document: Doc): ReadonlySet<string> {
    const value = document[this.#field];
    return new Set(Array.isArray(value) ? [value, ...value].map(keyOf) : [keyOf(value)]);
  }
}

/** One collection. */
export class Collection {
  readonly documents: Doc[] = [];
  readonly #unique: UniqueRule[] = [{ name: "_id_", fields: ["_id"], partial: undefined }];
  readonly #hashes = new Map(
    ["_id", "id", "user_id", "root_trace_id", "batch_id"].map((field) => [field, new Hash(field)]),
  );

  /** Documents that pass the filter, in their natural order. */
  select(filter: Doc): Doc[] {
    const test = matcher(filter);
    return this.#candidates(filter).filter((document) => test(document));
  }

  insert(document: Doc): void {
    checkSize(document);
    this.#checkUnique(document, undefined);
    this.documents.push(document);
    for (const hash of this.#hashes.values()) hash.add(document);
  }

  /** Puts `next` in the place of a document. */
  replace(document: Doc, next: Doc): void {
    if (keyOf(document["_id"]) !== keyOf(next["_id"])) {
      throw new CommandError(66, "ImmutableField", "the field '_id' cannot be changed");
    }
    checkSize(next, 17_419);
    this.#checkUnique(next, document);
    for (const hash of this.#hashes.values()) hash.remove(document);
    for (const name of Object.keys(document)) if (!(name in next)) delete document[name];
    Object.assign(document, next);
    for (const hash of this.#hashes.values()) hash.add(document);
  }

  remove(document: Doc): void {
    const at = this.documents.indexOf(document);
    if (at < 0) return;
    this.documents.splice(at, 1);
    for (const hash of this.#hashes.values()) hash.remove(document);
  }

  /** Makes a unique index; what is there must be unique already. */
  index(name: string, fields: readonly string[], partial: Doc | undefined): void {
    if (this.#unique.some((rule) => rule.name === name)) return;
    const rule = { name, fields, partial: partial === undefined ? undefined : matcher(partial) };
    const seen = new Set<string>();
    for (const document of this.documents.filter((row) => rule.partial?.(row) ?? true)) {
      const key = JSON.stringify(fields.map((field) => keyOf(document[field])));
      if (seen.has(key)) throw duplicate(rule, document);
      seen.add(key);
    }
    this.#unique.push(rule);
  }

  #checkUnique(document: Doc, self: Doc | undefined): void {
    for (const rule of this.#unique) {
      if (rule.partial?.(document) === false) continue;
      const same = this.#equal(rule.fields[0] ?? "_id", [document[rule.fields[0] ?? "_id"]]);
      const clash = same.some(
        (other) =>
          other !== self &&
          (rule.partial?.(other) ?? true) &&
          rule.fields.every((field) => keyOf(other[field]) === keyOf(document[field])),
      );
      if (clash) throw duplicate(rule, document);
    }
  }

  #candidates(filter: Doc): Doc[] {
    const found = equalities(filter);
    for (const field of ["_id", "id", "batch_id", "root_trace_id", "user_id"]) {
      const values = found.get(field);
      if (values !== undefined) return this.#equal(field, values);
    }
    return [...this.documents];
  }

  #equal(field: string, values: readonly unknown[]): Doc[] {
    const hash = this.#hashes.get(field);
    if (hash === undefined) return [...this.documents];
    return hash.get(this.documents, values);
  }
}

/** Values that the filter's conjunction allows a field. */
function equalities(filter: Doc, found = new Map<string, readonly unknown[]>()): typeof found {
  for (const [field, condition] of Object.entries(filter)) {
    if (field === "$and") for (const part of condition as Doc[]) equalities(part, found);
    else if (typeof condition === "object" && condition !== null && !found.has(field)) {
      if ("$eq" in condition) found.set(field, [condition.$eq]);
      else if ("$in" in condition) found.set(field, condition.$in as unknown[]);
    }
  }
  return found;
}

function checkSize(document: Doc, code = 2): void {
  const size = calculateObjectSize(document);
  if (size <= documentBytesMax) return;
  const stated = code === 2 ? "object to insert too large" : "document after update is too large";
  throw new CommandError(code, code === 2 ? "BadValue" : "Location17419", stated);
}

function duplicate(rule: UniqueRule, document: Doc): CommandError {
  const pattern = Object.fromEntries(rule.fields.map((field) => [field, 1]));
  const value = Object.fromEntries(rule.fields.map((field) => [field, document[field] ?? null]));
  const stated = `E11000 duplicate key error index: ${rule.name}`;
  return new CommandError(11_000, "DuplicateKey", stated, { keyPattern: pattern, keyValue: value });
}
