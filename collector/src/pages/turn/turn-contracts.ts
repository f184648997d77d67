/**
 * @module TurnContracts: the standing contracts on the turns of a root: judged now from the events,
 * and as the ledger has them from when each turn was judged.
 */
import { evaluateTurns } from "@turnproof/contracts";
import type { ContractResult, JudgedTurn } from "@turnproof/contracts";
import type { TurnEvent, WindowMetadata } from "@turnproof/evidence";
import type { NullableIdentity } from "@turnproof/semconv";
import type { EvidenceScope } from "@turnproof/store";

import { recordedResults } from "../../judge/loaded-contracts.ts";
import type { RecordedResult } from "../../judge/loaded-contracts.ts";
import type { Parts } from "../../parts.ts";

/** Results of one turn. */
export interface ContractsOfTurn {
  readonly turn: JudgedTurn;
  /** Judged at this moment by the contracts as they are, with the version of each. */
  readonly results: readonly (ContractResult & { readonly version: string })[];
  /** As the background judge stored them; empty where it has not yet. */
  readonly recorded: readonly RecordedResult[];
}

/** Most turns of a root whose stored results are read. */
const recordedMax = 1_000;

/** The standing contracts on these turns; null without contracts. */
export async function contractsOf(
  { contracts: standing, store }: Parts,
  { scope, root }: { readonly scope: EvidenceScope; readonly root: string },
  events: readonly TurnEvent[],
  metadata: WindowMetadata,
): Promise<readonly ContractsOfTurn[] | null> {
  if (standing === undefined) return null;
  const { contracts, goldens, versions } = standing.set;
  const where = [{ text: "root_trace_id", is: root }] as const;
  const order = { by: "first_received" } as const;
  const { records } = await store.ledger.listTurns({ scope, where }, { order, limit: recordedMax });
  const recorded = new Map(
    records.map(({ row, names }) => [keyOf(row), recordedResults(names)] as const),
  );
  return evaluateTurns(events, contracts, { goldens, metadata, ...standing.pricing }).map(
    ({ turn, contracts: own }) => ({
      turn,
      results: own.map((result) => ({ ...result, version: versions.get(result.contract) ?? "" })),
      recorded: recorded.get(keyOf(turn)) ?? [],
    }),
  );
}

function keyOf(of: Partial<NullableIdentity<"turn_id" | "agent_id" | "user_id">>): string {
  return JSON.stringify([of.agent_id ?? null, of.turn_id ?? null, of.user_id]);
}
