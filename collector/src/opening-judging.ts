/** @module OpeningJudging: opens what judges turns: threads, drafts, contracts, the signing key. */
import { lentEngineOf, turnRecorder } from "@turnproof/store";
import type { EvidenceStore, MemoryStore } from "@turnproof/store";

import { serverOf } from "./backend/backend.ts";
import type { Config } from "./config/config.ts";
import { createReaders, threadsCan } from "./reading/readers.ts";
import { draftJudge } from "./judge/judge-drafts.ts";
import { loggedRecord, recordElsewhere, recordFrames } from "./receive/record-frames.ts";
import type { RecordBatch } from "./receive/record-frames.ts";
import { collectorScope } from "./access/grants.ts";
import type { Parts, Readers } from "./parts.ts";
import { openLoadedContracts } from "./judge/loaded-contracts.ts";
import { createStatementSigner } from "./judge/statement.ts";
import { watchedStore } from "./backend/watched-store.ts";
import type { Opening, CollectorOptions } from "./opening-options.ts";

/** Signs statements; an ephemeral store keeps no key. */
export function openSigner({ backend, signingKey, dataDir }: Config): Promise<Parts["signer"]> {
  return createStatementSigner(signingKey, backend === "ephemeral" ? undefined : dataDir);
}

/** The parts that judge. */
interface Judging {
  readonly recorder: Parts["recorder"];
  readonly readers: Readers | undefined;
  readonly record: RecordBatch;
}

/** The threads that answer and judge, and what records each stored batch. */
export function openJudging(
  { config, log, options, opened }: Opening,
  reading: {
    readonly parts: Parts;
    readonly store: EvidenceStore;
    readonly memory: MemoryStore | undefined;
  },
): Judging {
  const { parts, store } = reading;
  const judge = options.judge !== false && !config.readOnly;
  const readers = threaded(options, config, store)
    ? createReaders({ ...reading, judge })
    : undefined;
  if (readers !== undefined) opened.push(() => readers.close());
  // Turns are written where they are judged, because they are in memory there.
  const bytesMax = judge && readers === undefined ? config.judgeBytesMax : 0;
  const draft = bytesMax > 0 ? draftJudge(config, parts.contracts) : undefined;
  const recorder = turnRecorder(watchedStore(store, parts.damage), collectorScope(), {
    bytesMax,
    draft,
  });
  const own = recordFrames(recorder);
  const record = loggedRecord(judge ? recordElsewhere(readers?.stored, own) : own, log);
  return { recorder, readers, record };
}

/** The contracts that turns are judged by, if there is a folder of them. */
export async function openContracts({ config, log, opened }: Opening): Promise<Parts["contracts"]> {
  const contracts = await openLoadedContracts(config, log);
  opened.push(async () => contracts?.close());
  return contracts;
}

/**
 * Whether threads read: for a store that this collector opened and that a thread can open or
 * share, with the clock of the process.
 */
function threaded(options: CollectorOptions, config: Config, opened: EvidenceStore): boolean {
  const { store, memory, now, judge } = options;
  if (!threadsCan || store !== undefined || memory !== undefined) return false;
  if (now !== undefined || typeof judge === "object") return false;
  const openable = serverOf(config) !== undefined || opened.name === "filesystem";
  return openable || lentEngineOf(opened) !== undefined;
}
