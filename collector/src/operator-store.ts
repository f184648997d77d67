/**
 * @module Operator's store: the handle of routes. In read-only mode it refuses every mutation,
 * whoever asks; ingest has a handle of its own (requirements: Authentication 3; design 5.2).
 */
import { CodedError } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";

/** The store as routes may use it. */
export function operatorStore(store: EvidenceStore, readOnly: boolean): EvidenceStore {
  if (!readOnly) return store;
  const refuse = async (): Promise<never> => {
    throw new CodedError("store_read_only");
  };
  return {
    name: store.name,
    sources: store.sources,
    append: refuse,
    putVerdicts: refuse,
    readBack: store.readBack.bind(store),
    page: store.page.bind(store),
    bundles: store.bundles.bind(store),
    turns: store.turns.bind(store),
    root: store.root.bind(store),
    ...(store.roots === undefined ? {} : { roots: store.roots.bind(store) }),
    find: store.find.bind(store),
    ...(store.survey === undefined ? {} : { survey: store.survey.bind(store) }),
    verdicts: store.verdicts.bind(store),
    quietRoots: store.quietRoots.bind(store),
    check: store.check.bind(store),
    close: store.close.bind(store),
    [Symbol.asyncDispose]: store[Symbol.asyncDispose].bind(store),
  };
}
