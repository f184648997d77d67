/**
 * @module Lease: which of the collectors of one store does what only one of them should. The holder
 * renews it every two seconds; another takes it once it was not renewed for six, by its own clock.
 * The store needs no conditional write: a claim is written, and stands where it is still read after
 * a pause. Where two hold it for a moment after a stall, the later one has the higher term.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import type { CollectorState, StateRow } from "@turnproof/store";

/** Times in milliseconds; tests shorten them. */
export interface LeaseTimes {
  readonly renewMs: number;
  readonly holdMs: number;
  readonly settleMs: number;
}

const defaults: LeaseTimes = { renewMs: 2_000, holdMs: 6_000, settleMs: 500 };
const keepMs = 30 * 86_400_000;

interface Claim {
  /** Empty after a release. */
  readonly holder: string;
  readonly term: number;
}

/** The lease of one name. */
export class Lease {
  readonly #state: CollectorState;
  readonly #name: string;
  readonly #times: LeaseTimes;
  readonly #holder = randomUUID();
  #term = 0;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #seen: { readonly version: number; readonly at: number } | undefined;
  #timer: NodeJS.Timeout | undefined;
  #step: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(state: CollectorState, name: string, times: Partial<LeaseTimes> = {}) {
    this.#state = state;
    this.#name = name;
    this.#times = { ...defaults, ...times };
  }

  start(): void {
    const again = async (): Promise<void> => {
      this.#step = this.#advance().catch(() => {
        // The store is away: the lease ends by its age, and the next step tries again.
      });
      await this.#step;
      if (this.#closed) return;
      this.#timer = setTimeout(() => void again(), this.#times.renewMs).unref();
    };
    void again();
  }

  /** The number of this holding, larger than those before; undefined where another holds it. */
  get term(): number | undefined {
    const { holdMs, settleMs } = this.#times;
    return performance.now() - this.#renewedAt < holdMs - settleMs ? this.#term : undefined;
  }

  async #advance(): Promise<void> {
    const began = performance.now();
    const row = await this.#state.read("lease", this.#name);
    const claim = claimOf(row);
    if (row !== undefined && claim.holder === this.#holder) {
      await this.#write(row.version + 1, claim);
      this.#held(claim, began);
      return;
    }
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    if (row !== undefined && claim.holder !== "") {
      if (this.#seen?.version !== row.version) this.#seen = { version: row.version, at: began };
      if (began - this.#seen.at < this.#times.holdMs) return;
    }
    await this.#write((row?.version ?? 0) + 1, { holder: this.#holder, term: claim.term + 1 });
    await pause(this.#times.settleMs);
    if (!this.#closed) await this.#confirm();
  }

  /** A claim that stands after the pause is written again, so that a late one is older. */
  async #confirm(): Promise<void> {
    const began = performance.now();
    const row = await this.#state.read("lease", this.#name);
    const claim = claimOf(row);
    if (row === undefined || claim.holder !== this.#holder) return;
    await this.#write(row.version + 1, claim);
    this.#held(claim, began);
  }

  #held({ term }: Claim, at: number): void {
    this.#term = term;
    this.#renewedAt = at;
  }

  #write(version: number, claim: Claim): Promise<void> {
    const value = JSON.stringify(claim);
    const keepUntilMs = Date.now() + keepMs;
    return this.#state.write("lease", { name: this.#name, version, value, keepUntilMs });
  }

  /** Stops, and lets another take it at once. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#step;
    const { term } = this;
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    if (term === undefined) return;
    // Without an answer of the store it ends by its age.
    const row = await this.#state.read("lease", this.#name).catch(() => undefined);
    if (row === undefined || claimOf(row).holder !== this.#holder) return;
    await this.#write(row.version + 1, { holder: "", term }).catch(() => {});
  }
}

function claimOf(row: StateRow | undefined): Claim {
  if (row === undefined) return { holder: "", term: 0 };
  const { holder, term } = JSON.parse(row.value) as Partial<Claim>;
  return { holder: String(holder), term: Number(term) };
}
