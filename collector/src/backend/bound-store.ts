/**
 * @module BoundStore: a store as a plain object with its methods bound, so that some of them can
 * be replaced.
 */
import type { EvidenceStore } from "@turnproof/store";

/** The store with its methods bound. */
export function boundStore(store: EvidenceStore): EvidenceStore {
  return {
    name: store.name,
    capabilities: store.capabilities,
    sources: store.sources,
    ledger: store.ledger,
    operatorRows: store.operatorRows,
    ...(store.state === undefined ? {} : { state: store.state }),
    append: store.append.bind(store),
    appendPrepared: store.appendPrepared.bind(store),
    readBack: store.readBack.bind(store),
    page: store.page.bind(store),
    bundles: store.bundles.bind(store),
    root: store.root.bind(store),
    roots: store.roots.bind(store),
    find: store.find.bind(store),
    quietRoots: store.quietRoots.bind(store),
    shortRoots: store.shortRoots.bind(store),
    standing: store.standing.bind(store),
    held: store.held.bind(store),
    ...(store.setAside === undefined ? {} : { setAside: store.setAside.bind(store) }),
    ...(store.readAll === undefined ? {} : { readAll: store.readAll.bind(store) }),
    check: store.check.bind(store),
    close: store.close.bind(store),
    [Symbol.asyncDispose]: store[Symbol.asyncDispose].bind(store),
  };
}
