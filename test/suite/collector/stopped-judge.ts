/**
 * @module Stopped judge: a judge over a store in memory that outlives it, so that suites can stop
 * it, or let its store fail, between any two steps.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral, turnRecorder } from "@turnproof/store";
import type { EvidenceStore, TurnRecord, TurnRecorder } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";

import { draftJudge } from "../../../collector/src/judge/judge-drafts.ts";
import { startJudge } from "../../../collector/src/judge/judge.ts";
import type { Judge, JudgeOptions } from "../../../collector/src/judge/judge.ts";
import type { LoadedContracts } from "../../../collector/src/judge/loaded-contracts.ts";
import type { JournalLosses } from "../../../collector/src/receive/otlp/journal-losses.ts";
import type { Parts } from "../../../collector/src/parts.ts";
import { success } from "../evidence/text-windows.ts";

/** When the clock of a stand starts. */
export const start = Date.parse("2026-11-21T10:00:00Z");

/** A time as ISO 8601 UTC. */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** A turn that succeeds, begun and received at that time. */
export function turnAt(root: string, began: number, more: Partial<TurnEvent> = {}): TurnEvent[] {
  const base = Date.parse("2026-11-21T08:00:00Z");
  return success().map((event, at) => {
    const timestamp = isoOf(began + Date.parse(String(event["timestamp"])) - base);
    const event_id = `${root}-${at}`;
    return { ...event, event_id, timestamp, root_trace_id: root, ...more } as unknown as TurnEvent;
  });
}

/** How the turns of a stand are written and judged. */
interface StandOptions {
  readonly recorded?: boolean;
  readonly drafted?: boolean;
  readonly lasting?: boolean;
  readonly contracts?: LoadedContracts | undefined;
}

/** What a judge stands on, and what a test changes of it. */
export class Stand {
  now = start;
  /** Receipt of the oldest frame that waits in the journal. */
  pending: string | null = null;
  losses: JournalLosses = { quarantined_roots: [], losses: [] };
  readonly store: EvidenceStore;
  readonly recorder: TurnRecorder | undefined;
  private readonly dataDir: string;
  private readonly contracts: LoadedContracts | undefined;
  private batches = 0;

  constructor(
    dataDir: string,
    { recorded = false, drafted = true, lasting = true, contracts }: StandOptions = {},
  ) {
    this.dataDir = dataDir;
    this.contracts = contracts;
    // A judge keeps no mark of a store that ends with its process.
    this.store = lasting ? { ...ephemeral(), name: "lasting" } : ephemeral();
    this.recorder = recorded
      ? turnRecorder(this.store, allTenants, drafted ? { draft: draftJudge({}, contracts) } : {})
      : undefined;
  }

  /** Stores events, past the recorder if there is one. */
  async put(events: readonly TurnEvent[], receivedAt = isoOf(this.now)): Promise<void> {
    this.batches += 1;
    const batchId = `batch-${this.batches}`;
    await this.store.append({ batchId, receivedAt, events });
    await this.recorder?.stored(async (visit) => {
      for (const event of events) visit({ ...event, received_at: receivedAt });
    });
  }

  /** A judge whose store has some functions of its own. */
  judge(of: Partial<EvidenceStore> = {}, options: JudgeOptions = {}): Judge {
    const parts = {
      config: { dataDir: this.dataDir },
      log: { info() {}, warn() {}, error() {} },
      store: { ...this.store, ...of },
      server: null,
      contracts: this.contracts,
      recorder: this.recorder,
      now: () => this.now,
      ingest: {
        report: () => ({ journal: { oldest_pending_at: this.pending } }),
        mark: () => isoOf(this.now),
        losses: () => this.losses,
      },
    } as unknown as Parts;
    return startJudge(parts, { quietMs: 1_000, everyMs: 1_000_000, ...options });
  }

  async records(): Promise<readonly TurnRecord[]> {
    const page = { order: { by: "first_received" }, limit: 1_000 } as const;
    return (await this.store.ledger.listTurns({ scope: allTenants, where: [] }, page)).records;
  }

  /** Verdict of each root that has a turn. */
  async verdicts(): Promise<Readonly<Record<string, string | null>>> {
    const records = await this.records();
    return Object.fromEntries(records.map(({ row }) => [row.root_trace_id, row.verdict]));
  }
}
