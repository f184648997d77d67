/**
 * @module ContractCounts: how the standing contracts stand in the principal's scope: turns of the
 * last day by the stored result of each contract's present version.
 */
import type { ContractProblem } from "@turnproof/contracts";
import { outcomes } from "@turnproof/contracts";
import type { Outcome } from "@turnproof/contracts";
import { isoTime } from "@turnproof/semconv";
import { turnName } from "@turnproof/store";

import type { Reading } from "../../access/grants.ts";
import type { Parts } from "../../parts.ts";
import { turnQueryOf } from "../../turns/turn-conditions.ts";

/** Turns of one contract. */
export interface ContractCount extends Readonly<Record<Outcome, number>> {
  readonly contract: string;
  readonly version: string;
}

/** Contracts of the folder. */
export interface ContractsHealth {
  /** Start of the day that is counted. */
  readonly since: string;
  readonly counts: readonly ContractCount[];
  /**
   * Turns of that day without a stored result of any contract: not judged yet, or before there were
   * contracts. They are in no count.
   */
  readonly without_result: number;
  /** Contracts that are judged and not counted here. */
  readonly uncounted: number;
  /**
   * Wrong files, while the last good contracts stay; null for a principal bound to a tenant or an
   * application.
   */
  readonly problems: readonly ContractProblem[] | null;
}

const dayMs = 86_400_000;
/** Most contracts that are counted. */
const countedMax = 20;

/** Counts of the standing contracts; null without a folder of them. */
export async function contractCounts(
  { contracts: standing, now, store }: Parts,
  reading: Reading,
  narrowed: boolean,
): Promise<ContractsHealth | null> {
  if (standing === undefined) return null;
  const since = isoTime(now() - dayMs);
  const { scope, where } = turnQueryOf(reading);
  const versions = [...standing.set.versions].slice(0, countedMax);
  const counts = await Promise.all(
    versions.map(async ([contract, version]) => {
      const own = await Promise.all(
        outcomes.map(async (result) => {
          const has = turnName("contract", `${contract}@${version}=${result}`);
          const requested = [
            ...where,
            { time: "ended_at", from: since },
            { list: "name", has },
          ] as const;
          return [result, await store.ledger.countTurns({ scope, where: requested })] as const;
        }),
      );
      return { contract, version, ...(Object.fromEntries(own) as Record<Outcome, number>) };
    }),
  );
  return {
    since,
    counts,
    without_result: await store.ledger.countTurns({
      scope,
      where: [...where, { time: "ended_at", from: since }, { list: "contract", has: null }],
    }),
    uncounted: standing.set.versions.size - versions.length,
    problems: narrowed ? null : standing.problems,
  };
}
