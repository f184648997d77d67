/**
 * @module Contract: certifies a provider by running clauses against it in Vitest.
 * Every clause runs for every provider. An exemption is a sentence and runs as an expected
 * failure, so it fails once its reason is gone; isolation clauses cannot be exempted.
 */
import { describe, test } from "vitest";

import type { EvidenceStore } from "../evidence-store.ts";
import type { AdministeredMemory } from "../provider.ts";

/** Fixtures of a clause. */
export interface Harness {
  /** A new, empty store; the clause closes it. */
  readonly open: () => Promise<EvidenceStore>;
  /** A new, empty memory with its administrative access; the clause closes it. */
  readonly openMemory: () => Promise<AdministeredMemory>;
  /** A new, empty place; the result opens it, each time anew. */
  readonly lasting?: (() => Promise<() => Promise<EvidenceStore>>) | undefined;
  /** Resolves when appended events are readable. */
  readonly settle: (store: EvidenceStore) => Promise<void>;
  /** Size of the random clauses: sequences, and commands in each. */
  readonly effort: Effort;
}

/** Bounds of the random clauses. */
export interface Effort {
  readonly sequences: number;
  readonly commands: number;
  /** Repeats one run exactly. */
  readonly seed?: number;
}

/** One clause of the contract. */
export interface KitClause {
  readonly name: string;
  /** Isolation clauses cannot be exempted. */
  readonly isolation?: boolean;
  run(harness: Harness): Promise<void>;
}

/** How a provider is opened, and its exemptions. */
export interface KitOptions {
  /** Required by clauses about evidence. */
  readonly open?: () => Promise<EvidenceStore>;
  /** Required by clauses about memory. */
  readonly openMemory?: () => Promise<AdministeredMemory>;
  /**
   * Makes an empty place and returns what opens it, each time anew. Required by the clauses of
   * capabilities.
   */
  readonly lasting?: () => Promise<() => Promise<EvidenceStore>>;
  /** Default: nothing to wait for. */
  readonly settle?: (store: EvidenceStore) => Promise<void>;
  /** Names of clauses and the reason of each exemption. */
  readonly exempt?: Readonly<Record<string, string>>;
  /** Default: 8 sequences of 24 commands. */
  readonly effort?: Effort;
  /** Milliseconds for one clause; default 60,000. */
  readonly timeoutMs?: number;
}

const defaultEffort: Effort = { sequences: 8, commands: 24 };

/** Registers the clauses as tests of the provider. Throws on an invalid exemption. */
export function contract(name: string, clauses: readonly KitClause[], options: KitOptions): void {
  const exempt = options.exempt ?? {};
  if (clauses.length === 0) throw new RangeError("a contract needs clauses");
  for (const exempted of Object.keys(exempt)) {
    const clause = clauses.find((item) => item.name === exempted);
    if (clause === undefined) throw new RangeError(`no clause is named "${exempted}"`);
    if (clause.isolation === true) throw new RangeError(`"${exempted}" cannot be exempted`);
  }
  const harness: Harness = {
    open: options.open ?? (() => missing("open")),
    openMemory: options.openMemory ?? (() => missing("openMemory")),
    lasting: options.lasting,
    settle: options.settle ?? (async () => {}),
    effort: options.effort ?? defaultEffort,
  };
  describe(name, () => {
    for (const clause of clauses) {
      const reason = exempt[clause.name];
      const run = (): Promise<void> => clause.run(harness);
      const timeout = options.timeoutMs ?? 60_000;
      if (reason === undefined) test(clause.name, run, timeout);
      else test.fails(`${clause.name} (exempt: ${reason})`, run, timeout);
    }
  });
}

function missing(option: string): never {
  throw new RangeError(`these clauses need the option "${option}"`);
}
