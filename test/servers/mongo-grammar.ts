/**
 * @module Grammar of commands and stages, written from MongoDB's manual ("Database Commands",
 * "Aggregation Stages", "Run Vector Search Queries", "How to Index Fields for Vector Search"):
 * every field that a command has, what each may hold, and the places at which a stage may stand.
 * The test server refuses what is outside of it, so each suite that runs on it holds the statements
 * to it.
 */
import {
  a,
  all,
  any,
  change,
  count,
  document,
  fields,
  filter,
  first,
  flag,
  indexKey,
  isDoc,
  list,
  number,
  order,
  partialFilter,
  positive,
  projection,
  text,
  vectorFilter,
  whole,
  word,
} from "./mongo-query-grammar.ts";
import type { Check } from "./mongo-query-grammar.ts";
import type { Doc } from "./mongo-wire.ts";

/** Fields that every command may have. */
const generic: { readonly [name: string]: Check } = {
  $db: word,
  $clusterTime: document,
  $readPreference: document,
  lsid: fields({ id: any, uid: any }, ["id"]),
  txnNumber: any,
  comment: any,
  maxTimeMS: count,
  readConcern: document,
  writeConcern: document,
  apiVersion: text,
  apiStrict: flag,
  apiDeprecationErrors: flag,
};

const collation = { collation: document, hint: any, let: document };
const write = { ordered: flag, bypassDocumentValidation: flag, let: document };
const longNumber = a("a cursor's id", (value) => value !== undefined && value !== null);

/** Values of several that exclude each other. */
const oneOf = (...values: readonly unknown[]): Check =>
  a(`one of ${values.join(", ")}`, (value) => values.includes(value));

/** A field of a vector search index, by its type. */
const indexedField: Check = (value) => {
  const type = (value as Doc | undefined)?.["type"];
  if (type === "filter") return fields({ type: any, path: word }, ["path"])(value);
  if (type !== "vector") return "a field needs the type vector or filter";
  const dimensions = a(
    "1 to 8192",
    (n) => whole(n) === undefined && Number(n) >= 1 && +Number(n) <= 8192,
  );
  return fields(
    {
      type: any,
      path: word,
      numDimensions: dimensions,
      similarity: oneOf("cosine", "euclidean", "dotProduct"),
      quantization: oneOf("none", "scalar", "binary"),
      indexingMethod: oneOf("hnsw", "flat"),
      hnswOptions: document,
    },
    ["path", "numDimensions", "similarity"],
  )(value);
};

const definition: Check = (value) => {
  const wrong = fields({ fields: all(indexedField, 1), storedSource: any }, ["fields"])(value);
  if (wrong !== undefined) return wrong;
  const own = (value as { readonly fields: readonly Doc[] }).fields;
  if (!own.some(({ type }) => type === "vector")) return "a definition needs a vector";
  const paths = own.map(({ path }) => path);
  return new Set(paths).size === paths.length ? undefined : "a path stands twice in the definition";
};

const vectorSearch: Check = (value) => {
  const candidates = a("1 to 10000", (n) => positive(n) === undefined && Number(n) <= 10_000);
  const wrong = fields(
    {
      index: word,
      path: word,
      queryVector: all(number, 1),
      numCandidates: candidates,
      limit: positive,
      exact: flag,
      filter: vectorFilter,
      explainOptions: document,
    },
    ["index", "path", "queryVector", "limit"],
  )(value);
  if (wrong !== undefined) return wrong;
  const { numCandidates, exact, limit } = value as Doc;
  if (exact === true) return numCandidates === undefined ? undefined : "numCandidates is not exact";
  if (numCandidates === undefined) return "numCandidates is required unless exact is true";
  return Number(limit) <= Number(numCandidates) ? undefined : "limit exceeds numCandidates";
};

const accumulators = new Set("$sum $avg $min $max $first $last $push $addToSet $count".split(" "));
const group: Check = (value) => {
  if (!isDoc(value) || !("_id" in value)) return "$group needs _id";
  return first(
    Object.entries(value).map(([name, own]) => {
      if (name === "_id") return undefined;
      const [operator = "", ...others] = isDoc(own) ? Object.keys(own) : [];
      return accumulators.has(operator) && others.length === 0
        ? undefined
        : `${name} needs one accumulator`;
    }),
  );
};

const path = a("a field's path", (value) => typeof value === "string" && /^\$[^$]/.test(value));
const unwind: Check = (value) =>
  typeof value === "string"
    ? path(value)
    : fields({ path, includeArrayIndex: word, preserveNullAndEmptyArrays: flag }, ["path"])(value);

/** Fields that `$setWindowFields` adds: one operator over a window of the partition. */
const windowed: Check = (value) => {
  if (!isDoc(value) || Object.keys(value).length === 0) return "output needs fields";
  return first(
    Object.entries(value).map(([name, own]) => {
      const { window, ...operator } = isDoc(own) ? own : {};
      const [operatorName = "", ...others] = Object.keys(operator);
      if (others.length > 0) return `${name} needs one operator`;
      const ranks = ["$documentNumber", "$rank", "$denseRank"];
      if (ranks.includes(operatorName)) {
        const empty = isDoc(operator[operatorName]) && Object.keys(operator[operatorName]);
        return empty && empty.length === 0 && window === undefined
          ? undefined
          : `${operatorName} takes {} and no window`;
      }
      if (!accumulators.has(operatorName)) return `${name} needs a window operator`;
      return window === undefined
        ? undefined
        : fields({ documents: list, range: list, unit: word }, [])(window);
    }),
  );
};
const setWindowFields: Check = (value) => {
  const known = { partitionBy: any, sortBy: order, output: windowed };
  const wrong = fields(known, ["output"])(value);
  if (wrong !== undefined) return wrong;
  const { sortBy, output } = value as Doc;
  const ranked = Object.values(output as Doc).some((own) => "$documentNumber" in (own as Doc));
  return ranked && sortBy === undefined ? "$documentNumber needs sortBy" : undefined;
};

const search = fields({ id: word, name: word }, []);
const lookup = fields(
  { from: word, localField: word, foreignField: word, as: word, let: document, pipeline: list },
  ["as"],
);

/** Pipelines by name, without the stages that only stand alone. */
const facet: Check = (value) => {
  if (!isDoc(value) || Object.keys(value).length === 0) return "needs a pipeline";
  const barred = ["$facet", "$vectorSearch", "$listSearchIndexes"];
  return first(
    Object.entries(value).map(([name, own]) => {
      const wrong = pipeline(own);
      if (wrong !== undefined) return `${name}: ${wrong}`;
      const names = (own as Doc[]).flatMap((stage) => Object.keys(stage));
      const one = names.find((stage) => barred.includes(stage));
      return one === undefined ? undefined : `${one} is not allowed within $facet`;
    }),
  );
};

/** Stages by name. */
const stages: { readonly [name: string]: Check } = {
  $match: filter,
  $sort: (value) => order(value) ?? (Object.keys(value as Doc).length > 0 ? undefined : "no keys"),
  $limit: positive,
  $skip: count,
  $group: group,
  $project: projection,
  $set: document,
  $unset: any,
  $count: word,
  $lookup: lookup,
  $unwind: unwind,
  $facet: facet,
  $setWindowFields: setWindowFields,
  $vectorSearch: vectorSearch,
  $listSearchIndexes: (value) =>
    search(value) ?? (Object.keys(value as Doc).length > 1 ? "takes id or name" : undefined),
};
/** Stages that only begin a pipeline. */
const beginnings = new Set(["$vectorSearch", "$listSearchIndexes"]);

const pipeline: Check = (value) => {
  if (!Array.isArray(value)) return "needs an array";
  return first(
    (value as unknown[]).map((stage, at) => {
      if (!isDoc(stage) || Object.keys(stage).length !== 1) return "a stage needs one field";
      const [name = "", own] = Object.entries(stage)[0] ?? [];
      const check = stages[name];
      if (check === undefined) return `unknown stage: ${name}`;
      if (beginnings.has(name) && at > 0) return `${name} is only valid as the first stage`;
      const wrong = check(own);
      return wrong === undefined ? undefined : `${name}: ${wrong}`;
    }),
  );
};

const index = fields(
  {
    key: indexKey,
    name: word,
    unique: flag,
    sparse: flag,
    hidden: flag,
    expireAfterSeconds: count,
    partialFilterExpression: partialFilter,
    collation: document,
  },
  ["key", "name"],
);
const searchIndex = fields({ name: word, type: oneOf("vectorSearch", "search"), definition }, [
  "definition",
]);
const updated = fields(
  {
    q: filter,
    u: change,
    c: document,
    multi: flag,
    upsert: flag,
    ...collation,
    arrayFilters: list,
  },
  ["q", "u"],
);
const updates: Check = (value) => {
  const { u, multi } = isDoc(value) ? value : {};
  const isWhole = isDoc(u) && Object.keys(u).some((name) => !name.startsWith("$"));
  return updated(value) ?? (isWhole && multi === true ? "multi needs operators" : undefined);
};
const deletes = fields({ q: filter, limit: oneOf(0, 1), ...collation }, ["q", "limit"]);

interface Command {
  readonly known: { readonly [name: string]: Check };
  readonly required?: readonly string[];
}

const session: Command = {
  known: {
    helloOk: flag,
    client: document,
    compression: list,
    topologyVersion: any,
    maxAwaitTimeMS: count,
    loadBalanced: flag,
    saslSupportedMechs: text,
    speculativeAuthenticate: document,
    backpressure: any,
  },
};

/** Commands by name: the fields that each has besides its own and the generic ones. */
const commands: { readonly [name: string]: Command } = {
  hello: session,
  ismaster: session,
  ping: { known: {} },
  endSessions: { known: {} },
  killCursors: { known: { cursors: all(longNumber, 1) }, required: ["cursors"] },
  getMore: { known: { collection: word, batchSize: count }, required: ["collection"] },
  dropDatabase: { known: {} },
  drop: { known: {} },
  createIndexes: { known: { indexes: all(index, 1), commitQuorum: any }, required: ["indexes"] },
  insert: { known: { documents: all(document, 1), ...write }, required: ["documents"] },
  update: { known: { updates: all(updates, 1), ...write }, required: ["updates"] },
  delete: { known: { deletes: all(deletes, 1), ...write }, required: ["deletes"] },
  find: {
    known: {
      filter,
      sort: order,
      projection,
      limit: count,
      skip: count,
      batchSize: count,
      singleBatch: flag,
      allowDiskUse: flag,
      noCursorTimeout: flag,
      ...collation,
    },
  },
  distinct: { known: { key: word, query: filter, ...collation }, required: ["key"] },
  findAndModify: {
    known: {
      query: filter,
      sort: order,
      update: change,
      remove: flag,
      new: flag,
      upsert: flag,
      fields: projection,
      bypassDocumentValidation: flag,
      arrayFilters: list,
      ...collation,
    },
    required: ["query"],
  },
  aggregate: {
    known: {
      pipeline,
      cursor: fields({ batchSize: count }, []),
      allowDiskUse: flag,
      bypassDocumentValidation: flag,
      ...collation,
    },
    required: ["pipeline", "cursor"],
  },
  createSearchIndexes: { known: { indexes: all(searchIndex, 1) }, required: ["indexes"] },
  updateSearchIndex: { known: { name: word, id: word, definition }, required: ["definition"] },
  dropSearchIndex: { known: { name: word, id: word } },
};

/** What of a command is outside of the grammar; undefined when nothing is. */
export function violationOf(command: Doc): string | undefined {
  const name = Object.keys(command)[0] ?? "";
  const known = commands[name];
  if (known === undefined) return `no such command: ${name}`;
  const { [name]: own, ...rest } = command;
  const onCollection = !["ping", "hello", "ismaster", "endSessions", "dropDatabase"].includes(name);
  if (onCollection && name !== "getMore" && (typeof own !== "string" || own === "")) {
    return "a collection needs a name";
  }
  return fields({ ...generic, ...known.known }, known.required ?? [])(rest);
}
