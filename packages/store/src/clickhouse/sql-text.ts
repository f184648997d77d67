/**
 * @module SqlText: conditions with their values apart. A value travels as hex digits in a parameter
 * and becomes text inside the engine, so nothing in it can ever be SQL, on any connection, whatever
 * a client does to quotes, backslashes or NUL.
 */
import type { QueryParameters } from "./connection.ts";

/** Collects the values of one statement. */
export interface Bindings {
  /** The SQL of this text. */
  text(value: string): string;
  /** The SQL of a list of texts, as the right side of IN. */
  texts(values: readonly string[]): string;
  readonly parameters: QueryParameters;
}

/** An empty set of values. */
export function bindings(): Bindings {
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

function hexOf(value: string): string {
  return Buffer.from(value, "utf8").toString("hex");
}
