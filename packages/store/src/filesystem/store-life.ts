/** @module StoreLife: whether a port is still open, and its end. */
import { CodedError } from "@turnproof/semconv";

/** The life of a port. */
export interface Life {
  /** @throws CodedError store_closed */
  open(): void;
  end(): void;
  ended(): boolean;
}

/** A life that begins now. */
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
