/**
 * @module SqlText: statements with their values apart. Every value is a parameter of type text and
 * gets its type inside the statement, so nothing in a value can be SQL, and both drivers send it
 * alike. Identifiers come from constants alone.
 */
import { memoryCollections } from "@turnproof/semconv";
import type { ScopedKind, SharedKind } from "@turnproof/semconv";

import { toStored } from "./stored-text.ts";

/** What one parameter may be. */
export type Parameter = string | null;

/** Collects the values of one statement. */
export interface Bindings {
  /** The SQL of this text in stored form; text that is no text equals nothing. */
  text(value: string | null | undefined): string;
  /** The SQL of a text that is already what the database shall read: a number, an array, JSON. */
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
