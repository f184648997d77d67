/**
 * @module SourceFile: what the rules of the house read, and what they find in it.
 */
/** A source file by its path from the root of the repository. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** One breach: where, and which sentence of the house it is against. */
export interface Breach {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
}
