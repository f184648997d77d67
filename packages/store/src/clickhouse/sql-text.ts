/**
 * @module SqlText: conditions with their values separate. A value is sent as hex digits in a
 * parameter and becomes text inside the engine, so no part of it can be SQL, whatever a client
 * does to quotes, backslashes or NUL.
 */
import type { QueryParameters } from "./engine.ts";

/** Collects the values of one statement. */
export interface ClickHouseBindings {
  /** The SQL of this text. */
  text(value: string): string;
  /** The SQL of a list of texts, as the right side of IN. */
  texts(values: readonly string[]): string;
  readonly parameters: QueryParameters;
}

/** An empty set of values. */
export function bindings(): ClickHouseBindings {
  const parameters: Record<string, string> = {};
  let count = 0;
  const add = (hex: string): string => {
    const name = `p${count}`;
    count += 1;
    parameters[name] = hex;
    return `{${name}:String}`;
  };
  return {
    text: (value) => `unhex(${add(hexOf(value))})`,
    texts: (values) =>
      `(SELECT unhex(arrayJoin(splitByChar(',', ${add(values.map(hexOf).join(","))}))))`,
    parameters,
  };
}

/** Longest list of one parameter, in characters; a server refuses fields of more than 128 KiB. */
const listCharsMax = 100_000;

/** The texts in chunks, each short enough for one statement, and of at most `most` texts. */
export function* inRuns(values: Iterable<string>, most: number): Generator<readonly string[]> {
  let run: string[] = [];
  let chars = 0;
  for (const value of values) {
    const own = 2 * Buffer.byteLength(value) + 1;
    if (run.length > 0 && (run.length === most || chars + own > listCharsMax)) {
      yield run;
      run = [];
      chars = 0;
    }
    run.push(value);
    chars += own;
  }
  if (run.length > 0) yield run;
}

/** Most names of one statement, where their number has no other cost. */
export const namesPerStatement: number = 2_500;

/** The hex digits of a text, as `unhex` reads them. */
export function hexOf(value: string): string {
  return Buffer.from(value, "utf8").toString("hex");
}
