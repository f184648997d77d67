/**
 * @module SqlText: statements with their values separate. Every value is a parameter of type text
 * and is cast inside the statement, so no part of a value can be SQL, and both drivers send it
 * alike. Identifiers are constants only.
 */
import { memoryCollections } from "@turnproof/semconv";
import type { ScopedKind, SharedKind } from "@turnproof/semconv";

import { toStored } from "./stored-text.ts";

/** Type of one parameter. */
export type Parameter = string | null;

/** Collects the values of one statement. */
export interface Bindings {
  /** The SQL of this text in stored form; a value that is no text matches nothing. */
  text(value: string | null | undefined): string;
  /** The SQL of a text in the database's own form: a number, an array, JSON. */
  plain(value: string | null): string;
  /** The SQL of a `text[]`. */
  texts(values: readonly string[]): string;
  readonly parameters: readonly Parameter[];
}

/** An empty set of values. */
export function bindings(): Bindings {
  const parameters: Parameter[] = [];
  const plain = (value: Parameter): string => {
    parameters.push(value);
    return `$${parameters.length}::text`;
  };
  return {
    plain,
    text: (value) => plain(value === undefined || value === null ? null : toStored(value)),
    texts: (values) =>
      `ARRAY(SELECT jsonb_array_elements_text(${plain(JSON.stringify(values.map(toStored)))}::jsonb))`,
    parameters,
  };
}

/** The table of a kind. */
export function tableOf(kind: ScopedKind | SharedKind): string {
  return memoryCollections[kind];
}
