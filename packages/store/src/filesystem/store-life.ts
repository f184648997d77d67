/** @module StoreLife: whether a port is open, and its closing. */
import { CodedError } from "@turnproof/semconv";

/** State of a port. */
export interface Life {
  /** @throws CodedError store_closed */
  open(): void;
  end(): void;
  ended(): boolean;
}

/** An open state. */
export function newLife(): Life {
  let ended = false;
  return {
    open() {
      if (ended) throw new CodedError("store_closed");
    },
    end() {
      ended = true;
    },
    ended: () => ended,
  };
}
