/**
 * @module Byte budget: what all requests together may hold in memory, taken before a body is read
 * (faults R15). A request that does not fit is refused at once; nothing waits in line.
 */
import { CodedError } from "@turnproof/semconv";

/** What one request holds of the budget. */
export interface BudgetLease {
  /** Bytes held now. */
  readonly bytes: number;
  /** Raises the lease to at least this many bytes, or throws `overloaded` and keeps what it had. */
  growTo(bytes: number): void;
  /** Gives everything back; a second call changes nothing. */
  release(): void;
}

/** A bound in bytes, shared by principals. */
export class ByteBudget {
  private readonly bytesMax: number;
  private readonly shareMax: number;
  private readonly held = new Map<string, number>();
  private total = 0;

  /**
   * `share` is the part of the bound that one principal may hold, so that one busy producer cannot
   * shut the door on the others; 1 gives each of them everything.
   */
  constructor(bytesMax: number, share: number = 1) {
    this.bytesMax = bytesMax;
    this.shareMax = Math.floor(bytesMax * share);
  }

  /** Bytes that are held now. */
  get used(): number {
    return this.total;
  }

  /** Takes `bytes` for a principal, or throws `overloaded` (503). */
  take(principal: string, bytes: number): BudgetLease {
    this.add(principal, bytes);
    let held = bytes;
    return {
      get bytes(): number {
        return held;
      },
      growTo: (wanted) => {
        if (wanted <= held) return;
        this.add(principal, wanted - held);
        held = wanted;
      },
      release: () => {
        this.add(principal, -held);
        held = 0;
      },
    };
  }

  private add(principal: string, bytes: number): void {
    const own = (this.held.get(principal) ?? 0) + bytes;
    if (bytes > 0 && (this.total + bytes > this.bytesMax || own > this.shareMax)) {
      throw new CodedError("overloaded");
    }
    this.total += bytes;
    if (own === 0) this.held.delete(principal);
    else this.held.set(principal, own);
  }
}
