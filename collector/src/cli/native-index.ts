/**
 * @module Native index: filling it and holding it against the rows, as `turnproof backfill` and
 * `turnproof parity` do when no other backend is named.
 */
import type { NativeIndex } from "@turnproof/store";

import { collectorScope } from "../auth/grants.ts";
import type { Config } from "../config.ts";
import { openArchive } from "./archive.ts";
import type { Archive } from "./archive.ts";
import { exitCodes, interruption, printJson, printTable, progressBar, say } from "./terminal.ts";

interface Flags {
  readonly json?: boolean;
  readonly apply?: boolean;
}

/** The archive, or undefined where the backend keeps its index itself; then that is said. */
async function evidenceArchive(
  config: Config,
  flags: Flags,
  mayChange: boolean,
): Promise<(Archive & { readonly index: NativeIndex }) | undefined> {
  const archive = await openArchive(config, "evidence", { mayChange });
  if (archive?.index !== undefined) return { ...archive, index: archive.index };
  await archive?.close();
  if (flags.json === true) printJson({ store: config.backend, nothing_to_do: true });
  else printTable([], [], `The ${config.backend} backend keeps its own index: nothing to do.`);
  return undefined;
}

/** Fills the index of the configured backend; a run that was ended goes on when it is run again. */
export async function fillIndex(config: Config, flags: Flags): Promise<void> {
  const applied = flags.apply === true;
  await using archive = await evidenceArchive(config, flags, applied);
  if (archive === undefined) return;
  const before = await archive.index.state();
  const bar = progressBar("backfill");
  const signal = interruption();
  let interrupted = false;
  try {
    await archive.index.backfill({ dryRun: !applied, signal, onProgress: bar });
  } catch (error) {
    if (!signal.aborted) throw error;
    interrupted = true;
  }
  bar.end();
  const index = await archive.index.state();
  if (flags.json === true) {
    printJson({ store: archive.name, applied, interrupted, before, ...index });
  } else {
    printTable(
      ["STORE", "NATIVE INDEX", "STORED", "INDEXED"],
      [
        [
          archive.name,
          index.provisioned ? "provisioned" : "none",
          String(index.stored),
          String(index.indexed),
        ],
      ],
    );
    if (!index.provisioned) say("There is no native index: turnproof migrate --apply makes it.");
    else if (interrupted) say("Ended early: run it again and it goes on.");
    else if (!applied) say("A dry run: --apply fills the index.");
  }
  const whole = !applied || index.indexed >= before.stored || !index.provisioned;
  process.exitCode = interrupted || !whole ? exitCodes.partial : exitCodes.ok;
}

/** Compares the index with the rows, and native reads with compatibility reads, exactly. */
export async function proveIndex(config: Config, flags: Flags): Promise<void> {
  await using archive = await evidenceArchive(config, flags, false);
  if (archive === undefined) return;
  const bar = progressBar("parity");
  const proof = await archive.index.parity({
    scope: collectorScope(),
    signal: interruption(),
    onProgress: bar,
  });
  bar.end();
  const { unitsCompared, readsCompared, differences } = proof;
  if (flags.json === true) {
    printJson({
      store: archive.name,
      units_compared: unitsCompared,
      reads_compared: readsCompared,
      differences,
    });
  } else {
    printTable(
      ["STORE", "UNITS", "READS BOTH WAYS", "DIFFERENCES"],
      [[archive.name, String(unitsCompared), String(readsCompared), String(differences)]],
    );
  }
  process.exitCode = differences === 0 ? exitCodes.ok : exitCodes.failed;
}
