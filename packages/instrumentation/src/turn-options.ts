/**
 * @module Turn options: what a host says of a turn, read once. Options may be an object of any
 * class, with getters that throw; reading them must not stop the host.
 */
import type { TurnOptions } from "./turn.ts";

/** What stands where a field cannot be read: no string, so that the guard refuses and counts it. */
const unreadable: object = Object.freeze({});

/** Fields that are judged as values, and what becomes of one that is refused. */
const saidFields = [
  "applicationId",
  "agentId",
  "userId",
  "memoryId",
  "threadId",
  "runId",
  "turnId",
  "agentName",
  "coverageProfile",
] as const satisfies readonly (keyof TurnOptions)[];

/** Fields that are parts to work with: one that cannot be read has its default. */
const partFields = ["sink", "fingerprint", "log"] as const satisfies readonly (keyof TurnOptions)[];

/** Options with plain fields, and the parts that could not be read. */
export interface ReadOptions {
  readonly options: TurnOptions;
  readonly unread: readonly (keyof TurnOptions)[];
}

/**
 * The options with every field read once. A field whose getter throws is refused as a value or left
 * out as a part; with `strict` its error is thrown.
 */
export function readOptions(given: TurnOptions | null | undefined): ReadOptions {
  // JavaScript without types may give nothing at all: a turn of nobody, which says so.
  const from = given ?? ({} as TurnOptions);
  const unread: (keyof TurnOptions)[] = [];
  const options: Partial<Record<keyof TurnOptions, unknown>> = {};
  const read = (field: keyof TurnOptions): void => {
    try {
      const value = from[field];
      if (value !== undefined) options[field] = value;
    } catch (error) {
      if (options.strict === true) throw error;
      unread.push(field);
    }
  };
  read("strict");
  for (const field of partFields) read(field);
  const parts = [...unread];
  for (const field of saidFields) read(field);
  for (const field of unread.slice(parts.length)) options[field] = unreadable;
  return { options: options as TurnOptions, unread: parts };
}
