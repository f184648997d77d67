/**
 * @module Grammar of filters and updates, written from MongoDB's manual ("Query Predicates",
 * "Update Operators", "Run Vector Search Queries", "Partial Indexes"): the operators there are and
 * the operands that each allows. A violation is the answer in words; undefined: none.
 */
import type { Doc } from "./mongo-wire.ts";

/** What is wrong with a value; undefined when nothing is. */
export type Check = (value: unknown) => string | undefined;

export const isDoc = (value: unknown): value is Doc =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Date) &&
  !("_bsontype" in value);

/** One of several kinds of value, by name. */
export function a(kind: string, test: (value: unknown) => boolean): Check {
  return (value) => (test(value) ? undefined : `needs ${kind}`);
}

export const any: Check = () => undefined;
export const text = a("a string", (value) => typeof value === "string");
export const word = a("a string that is not empty", (v) => typeof v === "string" && v !== "");
export const flag = a("a boolean", (value) => typeof value === "boolean");
export const list = a("an array", Array.isArray);
export const number = a("a number", (value) => isNumber(value));
export const document = a("a document", isDoc);
export const whole = a("an integer", (value) => isNumber(value) && Number.isSafeInteger(+value));
export const count = a("an integer of 0 or more", (v) => whole(v) === undefined && Number(v) >= 0);
export const positive = a(
  "an integer of 1 or more",
  (v) => whole(v) === undefined && Number(v) > 0,
);

function isNumber(value: unknown): value is number {
  if (typeof value === "number" || typeof value === "bigint") return true;
  const kind = (value as { readonly _bsontype?: string } | null)?._bsontype;
  return kind === "Int32" || kind === "Double" || kind === "Long" || kind === "Decimal128";
}

/** The first violation of a list of checks. */
export function first(found: Iterable<string | undefined>): string | undefined {
  for (const one of found) if (one !== undefined) return one;
  return undefined;
}

/** Every element passes the check. */
export function all(check: Check, atLeast = 0): Check {
  return (value) => {
    if (!Array.isArray(value)) return "needs an array";
    if (value.length < atLeast) return `needs ${atLeast} or more elements`;
    return first(value.map((one) => check(one)));
  };
}

/** A document of these fields and no others. */
export function fields(
  known: { readonly [name: string]: Check },
  required: readonly string[],
): Check {
  return (value) => {
    if (!isDoc(value)) return "needs a document";
    const missing = required.find((name) => !(name in value));
    if (missing !== undefined) return `${missing} is required`;
    return first(
      Object.entries(value).map(([name, own]) => {
        const check = known[name];
        if (check === undefined) return `${name} is no field of it`;
        const wrong = check(own);
        return wrong === undefined ? undefined : `${name} ${wrong}`;
      }),
    );
  };
}

type Operators = { readonly [operator: string]: Check };

/** A value that stands behind an operator: anything but a document of operators. */
const operand = a("a value, not an operator", (value) => {
  return !isDoc(value) || !Object.keys(value).some((name) => name.startsWith("$"));
});
const typeName = a("a type or several", (value) => {
  const isType = (one: unknown): boolean => typeof one === "string" || typeof one === "number";
  return isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType));
});

const comparisons: Operators = {
  $eq: operand,
  $ne: operand,
  $gt: operand,
  $gte: operand,
  $lt: operand,
  $lte: operand,
  $in: all(operand),
  $nin: all(operand),
  $exists: flag,
};

/** Operators on a field in any filter. */
const everywhere: Operators = {
  ...comparisons,
  $not: (value) => (isDoc(value) ? condition(everywhere, value) : "needs operators"),
  $type: typeName,
  $all: list,
  $size: count,
  $elemMatch: document,
  $regex: any,
  $options: text,
};

/** What the filter of `$vectorSearch` allows: fewer operators, and only these types of values. */
const inVectorSearch: Operators = {
  ...Object.fromEntries(
    ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"].map((name) => [name, filterable]),
  ),
  $in: all(filterable, 1),
  $nin: all(filterable, 1),
  $exists: flag,
  $not: (value) => (isDoc(value) ? condition(inVectorSearch, value) : "needs operators"),
};

function filterable(value: unknown): string | undefined {
  const kind = (value as { readonly _bsontype?: string } | null)?._bsontype;
  const isScalar = ["boolean", "number", "string"].includes(typeof value) || value instanceof Date;
  return isScalar || kind === "ObjectId" || kind === "Binary" || kind === "Long"
    ? undefined
    : "needs a boolean, date, number, objectId, string or UUID";
}

/** What a partial index allows. */
const inPartialIndex: Operators = {
  $eq: operand,
  $gt: operand,
  $gte: operand,
  $lt: operand,
  $lte: operand,
  $in: all(operand),
  $exists: a("true", (value) => value === true),
  $type: typeName,
};

function condition(operators: Operators, value: Doc): string | undefined {
  const names = Object.keys(value);
  if (!names.some((name) => name.startsWith("$"))) return undefined;
  return first(
    names.map((name) => {
      const check = operators[name];
      if (check === undefined) return `unknown operator: ${name}`;
      const wrong = check(value[name]);
      return wrong === undefined ? undefined : `${name} ${wrong}`;
    }),
  );
}

function filterBy(operators: Operators, logical: readonly string[]): Check {
  const check: Check = (value) => {
    if (!isDoc(value)) return "a filter needs a document";
    return first(
      Object.entries(value).map(([name, own]) => {
        if (logical.includes(name)) return all(check, 1)(own);
        if (name === "$expr" && operators === everywhere) return undefined;
        if (name.startsWith("$")) return `unknown top level operator: ${name}`;
        return isDoc(own) ? condition(operators, own) : undefined;
      }),
    );
  };
  return check;
}

/** A filter of a command or of `$match`. */
export const filter: Check = filterBy(everywhere, ["$and", "$or", "$nor"]);
/** The filter of a `$vectorSearch`. */
export const vectorFilter: Check = filterBy(inVectorSearch, ["$and", "$or", "$nor"]);
/** The filter of a partial index. */
export const partialFilter: Check = filterBy(inPartialIndex, ["$and", "$or"]);

const ofFields =
  (check: Check): Check =>
  (value) => {
    if (!isDoc(value)) return "needs a document of fields";
    return first(
      Object.entries(value).map(([name, own]) => {
        if (name === "" || name.startsWith("$")) return `'${name}' is no path`;
        const wrong = check(own);
        return wrong === undefined ? undefined : `${name} ${wrong}`;
      }),
    );
  };

const changes: Operators = {
  $set: ofFields(any),
  $setOnInsert: ofFields(any),
  $unset: ofFields(any),
  $inc: ofFields(number),
  $mul: ofFields(number),
  $min: ofFields(any),
  $max: ofFields(any),
  $rename: ofFields(word),
  $addToSet: ofFields((value) =>
    isDoc(value) && "$each" in value ? fields({ $each: list }, [])(value) : undefined,
  ),
  $push: ofFields(any),
  $pull: ofFields(any),
  $currentDate: ofFields(any),
};

/** An update by operators, a pipeline, or a document that takes the whole one's place. */
export const change: Check = (value) => {
  if (Array.isArray(value)) return all(document, 1)(value);
  if (!isDoc(value)) return "an update needs a document or a pipeline";
  const names = Object.keys(value);
  const plain = names.find((name) => !name.startsWith("$"));
  if (plain === undefined) return condition(changes, value);
  const isMixed = names.some((name) => name.startsWith("$"));
  return isMixed ? `${plain} stands beside an operator` : undefined;
};

/** Fields and directions of a sort. */
export const order: Check = ofFields(
  a("1 or -1", (value) => value === 1 || value === -1 || isDoc(value)),
);
/** Fields that are given back, or left out. */
export const projection: Check = (value) => {
  const wrong = ofFields(any)(value);
  if (wrong !== undefined) return wrong;
  const kinds = Object.entries(value as Doc).flatMap(([name, own]) =>
    name === "_id" || (own !== 0 && own !== 1 && typeof own !== "boolean") ? [] : [Boolean(own)],
  );
  return new Set(kinds).size > 1 ? "cannot include and leave out at once" : undefined;
};
/** Keys of an index. */
export const indexKey: Check = (value) => {
  if (!isDoc(value) || Object.keys(value).length === 0) return "needs keys";
  const isKind = (own: unknown): boolean =>
    own === 1 || own === -1 || ["text", "hashed", "2dsphere", "2d"].includes(String(own));
  return ofFields(a("1, -1 or a kind of index", isKind))(value);
};
