/**
 * @module ParameterError: a refused parameter, as the answer names it. Without the schemas of
 * parameters, which the thread that judges does not load.
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

/** A refused term by its place, from 1, and its key where that is one of ours. */
export interface RefusedTerm {
  readonly place: number;
  readonly key?: string;
}

/** A refused parameter or body, with the allowed values; never the input. */
export class ParameterError extends CodedError {
  /** Names of the route's parameters or fields, or the values of the named one. */
  readonly allowed: readonly string[];
  /** Which term of a parameter of several. */
  readonly term: RefusedTerm | undefined;

  constructor(code: Code, allowed: readonly string[], field?: string, term?: RefusedTerm) {
    super(code, field === undefined ? {} : { field });
    this.allowed = allowed;
    this.term = term;
  }
}
