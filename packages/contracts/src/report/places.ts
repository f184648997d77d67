/** @module Places: where contracts are written down, for annotations of their clauses. */
import type { ContractLines } from "../language/contract-file.ts";
import type { ClauseResult } from "../evaluate/evaluate.ts";

/** A file, and the lines of a contract where they are known. */
export interface ContractPlace {
  /** A path inside the repository. */
  readonly file: string;
  readonly lines?: ContractLines | undefined;
}

/** By the name of a contract. */
export type ContractPlaces = ReadonlyMap<string, ContractPlace>;

/** Line of a clause; undefined where it is not known. */
export function lineOf(
  place: ContractPlace | undefined,
  { index }: ClauseResult,
): number | undefined {
  return place?.lines?.clauses[index] ?? place?.lines?.contract;
}
