/**
 * @module FilesystemEvidence: the evidence port over batch files. A batch is a file, renamed into
 * place whole; verdicts lie beside.
 */
import type { CheckResult, EvidenceStore } from "../evidence-store.ts";
import type { Reads } from "../scoped-reads.ts";
import { storedForm } from "../stored-event.ts";
import { epochMicros } from "../time.ts";
import type { BatchCatalog } from "./batch-catalog.ts";
import { batchesPlace } from "./batch-catalog.ts";
import { batchName, dayOf, encodeBatch } from "./batch-file.ts";
import type { Disk } from "./disk.ts";
import { provisionPlace, termsOfBatch, writeIndexFile } from "./index-file.ts";
import type { LedgerFile } from "./ledger-file.ts";
import type { Life } from "./store-life.ts";
import type { VerdictFiles } from "./verdict-files.ts";

/** What the port stands on. */
export interface EvidenceParts {
  readonly disk: Disk;
  readonly catalog: BatchCatalog;
  /** The reads of the path that this provider was opened with. */
  readonly reads: Reads;
  readonly verdicts: VerdictFiles;
  readonly ledger: LedgerFile;
  readonly life: Life;
  /** Resolves when no write is under way. */
  readonly idle: () => Promise<void>;
  /** Whether the directory answers. */
  readonly check: () => Promise<CheckResult>;
}

/** The evidence port over these parts. */
export function filesystemEvidence(parts: EvidenceParts): EvidenceStore {
  const { catalog, verdicts } = parts;
  const open = (): void => parts.life.open();
  const close = async (): Promise<void> => {
    parts.life.end();
    await parts.idle();
    await parts.ledger.close();
  };
  return {
    name: "filesystem",
    sources: ["trace", "conversation", "tool_log"],
    ledger: parts.ledger,
    ...parts.reads,
    append: appender(parts, open),
    async readBack(batchId, receivedAt) {
      open();
      await catalog.refresh();
      return catalog.readBack(batchId, receivedAt);
    },
    async quietRoots(since, before, limit) {
      open();
      await catalog.refresh();
      const [from, to] = [epochMicros(since), epochMicros(before)];
      return catalog
        .newestFirst()
        .filter(({ last }) => last >= from && last < to)
        .toSorted((a, b) => a.last - b.last || (a.root < b.root ? -1 : 1))
        .slice(0, limit)
        .map(({ root }) => root);
    },
    async verdicts(scope, roots) {
      open();
      return verdicts.of(scope, roots);
    },
    async putVerdicts(list) {
      open();
      await verdicts.put(list);
    },
    async standing(roots) {
      open();
      await catalog.refresh();
      return new Map(
        roots.flatMap((root) => {
          const entry = catalog.root(root);
          return entry === undefined ? [] : [[root, { rows: entry.rows, epoch: 0 }] as const];
        }),
      );
    },
    check: async () =>
      parts.life.ended() ? { ok: false, code: "store_closed", elapsedMs: 0 } : parts.check(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Appends need no lock: a batch is a file of its own, named by its id, renamed into place. */
function appender({ disk, catalog }: EvidenceParts, open: () => void): EvidenceStore["append"] {
  return async (batch) => {
    open();
    const events = batch.events.map((event) => storedForm(event, batch.receivedAt));
    const folder = [...batchesPlace, dayOf(batch.receivedAt)];
    const place = [...folder, batchName(batch.batchId)];
    if (catalog.has(batch.batchId)) return;
    await catalog.refresh();
    if (catalog.has(batch.batchId)) return;
    const { bytes, manifest } = encodeBatch(batch, events);
    await disk.ensure(folder);
    await disk.replace(place, bytes);
    await disk.sync(folder);
    if ((await disk.stat(provisionPlace)) !== undefined) {
      await writeIndexFile(disk, place, manifest, termsOfBatch(events));
    }
    catalog.add(place, manifest);
  };
}
