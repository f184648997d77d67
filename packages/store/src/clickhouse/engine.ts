/** @module Engine: the narrow interface behind which an embedded engine and a server are alike. */
import type { NativeTable } from "./native-reader.ts";
import type { EncodedBlock } from "./native-writer.ts";

/** Parameters of a query: hex text and numbers only, see sql-text.ts. */
export type QueryParameters = Readonly<Record<string, string>>;

/** A query's answer as the engine sent it. */
export interface Selected {
  readonly bytes: Uint8Array;
  readonly rowsRead: number;
}

/** A query's columns, and the number of rows that the engine read, where reported. */
export type EngineAnswer = NativeTable & { readonly rowsRead: number };

/** The engine's interface for the provider. Every method throws CodedError only. */
export interface Engine {
  readonly embedded: boolean;
  /** `query` with the answer unparsed: Native bytes, which any thread can parse. */
  select(sql: string, parameters?: QueryParameters, signal?: AbortSignal): Promise<Selected>;
  query(sql: string, parameters?: QueryParameters, signal?: AbortSignal): Promise<EngineAnswer>;
  command(sql: string): Promise<void>;
  /**
   * Runs statements with no other statement or insert between them; only on an embedded engine.
   */
  readonly together?: (statements: readonly string[]) => Promise<void>;
  /** Inserts one block; the same token with the same rows is stored once. */
  insert(table: string, block: EncodedBlock, token: string): Promise<void>;
  /**
   * Stored events of those of these roots that are counted without a query; none of them lost rows.
   * Only an embedded engine, whose data no other process writes.
   */
  readonly knownRoots?: (roots: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/** An engine, and the cluster on which its tables are created. */
export interface Tables {
  readonly engine: Engine;
  readonly cluster: string | undefined;
}
