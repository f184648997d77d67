/**
 * @module EvidenceReads: the roots of batch files for the reads of a request path. Compatibility
 * reads go through all roots, native ones through those that the index leads to, where an operator
 * provisioned it; from there on they are the same.
 */
import { rootRounds } from "../root-rounds.ts";
import { scopedReads } from "../scoped-reads.ts";
import type { Reads } from "../scoped-reads.ts";
import { termsOfId, termsOfRead } from "../index-terms.ts";
import type { BatchCatalog } from "./batch-catalog.ts";
import type { Disk } from "./disk.ts";
import { legacyFiles } from "./legacy-files.ts";
import { rowsOfRoots } from "./root-loader.ts";
import type { RootLoader } from "./root-loader.ts";
import type { TermIndex } from "./term-index.ts";

/** What reads stand on. */
export interface ReadParts {
  readonly disk: Disk;
  readonly catalog: BatchCatalog;
  readonly load: RootLoader;
  /** Throws when the store was closed. */
  readonly open: () => void;
  /** Leads native reads; absent for compatibility reads. */
  readonly index?: TermIndex;
}

/** The reads over these parts. */
export function evidenceReads({ disk, catalog, load, open, index }: ReadParts): Reads {
  return scopedReads({
    async *rounds(question, options, cut) {
      open();
      await catalog.refresh();
      const native = (await index?.refresh()) === true;
      const called = question.id === undefined ? [] : termsOfId(question.id);
      const roots = native ? index?.candidates(termsOfRead(question), called) : undefined;
      yield* rootRounds(roots ?? catalog.newestFirst(), load, options, cut);
    },
    async rows(roots, cut) {
      open();
      await catalog.refresh();
      const entries = roots.flatMap((root) => catalog.root(root) ?? []);
      return rowsOfRoots(disk, entries, cut);
    },
    legacy: legacyFiles(disk),
  });
}
