/**
 * @module TermIndex: which roots know a word, held in the process from the index files. A batch
 * without a valid index file is never left out: its roots are candidates of every read.
 */
import type { BatchCatalog, RootEntry } from "./batch-catalog.ts";
import type { Disk } from "./disk.ts";
import { provisionPlace, readIndexFile } from "./index-file.ts";
import type { BatchTerms } from "./index-file.ts";

/** Candidates of reads. */
export interface TermIndex {
  /** Learns of new batches and new index files; false where no index was provisioned. */
  refresh(): Promise<boolean>;
  /**
   * Roots that may hold what has all these terms, and one of the others where there are any, newest
   * last receipt first.
   */
  candidates(terms: readonly number[], oneOf?: readonly number[]): readonly RootEntry[];
}

/** An index over the batches of a catalog; empty until the first refresh. */
export function termIndex(disk: Disk, catalog: BatchCatalog): TermIndex {
  const indexed = new Set<string>();
  // Most terms are of one event and stand in one root: a set of each would be ten times as large.
  const postings = new Map<number, string | Set<string>>();
  let others = new Set<string>();
  const add = (terms: BatchTerms): void => {
    for (const [root, own] of terms) {
      for (const term of own) {
        const roots = postings.get(term);
        if (roots === undefined) postings.set(term, root);
        else if (typeof roots !== "string") roots.add(root);
        else if (roots !== root) postings.set(term, new Set([roots, root]));
      }
    }
  };
  const rootsOf = (term: number): ReadonlySet<string> => {
    const roots = postings.get(term);
    return typeof roots === "object" ? roots : new Set(roots === undefined ? [] : [roots]);
  };
  return {
    async refresh() {
      if ((await disk.stat(provisionPlace)) === undefined) return false;
      const batches = catalog.batches();
      const missing = new Set<string>();
      for (const { place, manifest } of batches) {
        const name = place.at(-1) ?? "";
        if (indexed.has(name)) continue;
        const terms = await readIndexFile(disk, place, manifest);
        if (terms === undefined) for (const { root } of manifest.roots) missing.add(root);
        else {
          add(terms);
          indexed.add(name);
        }
      }
      others = missing;
      return true;
    },
    candidates(terms, oneOf = []) {
      if (terms.length + oneOf.length === 0) return catalog.newestFirst();
      const sets = terms.map(rootsOf);
      if (oneOf.length > 0) sets.push(new Set(oneOf.flatMap((term) => [...rootsOf(term)])));
      sets.sort((a, b) => a.size - b.size);
      const [fewest = new Set<string>(), ...rest] = sets;
      const roots = new Set(others);
      for (const root of fewest) if (rest.every((set) => set.has(root))) roots.add(root);
      return [...roots]
        .flatMap((root) => catalog.root(root) ?? [])
        .toSorted((a, b) => b.last - a.last);
    },
  };
}
