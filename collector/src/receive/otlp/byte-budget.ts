/**
 * @module Byte budget: bound of the memory of all requests together, reserved before a body is
 * read (faults R15). A request that does not fit is refused at once; there is no queue.
 */
import { CodedError } from "@turnproof/semconv";

/** Reservation of one request. */
export interface BudgetLease {
  /** Bytes reserved now. */
  readonly bytes: number;
  /**
   * Raises the reservation to at least this many bytes, or throws `overloaded` and keeps it
   * unchanged.
   */
  growTo(bytes: number): void;
  /** Releases everything; a second call does nothing. */
  release(): void;
}

/** A bound in bytes, shared by principals. */
export class ByteBudget {
  private readonly bytesMax: number;
  private readonly shareMax: number;
  private readonly held = new Map<string, number>();
  private total = 0;

  /**
   * `share`: the part of the bound that one principal may use, so that one busy producer cannot
   * block the others; 1 allows everything.
   */
  constructor(bytesMax: number, share: number = 1) {
    this.bytesMax = bytesMax;
    this.shareMax = Math.floor(bytesMax * share);
  }

  /** Bytes that are reserved now. */
  get used(): number {
    return this.total;
  }

  /** Reserves `bytes` for a principal, or throws `overloaded` (503). */
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
