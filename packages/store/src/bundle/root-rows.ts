/** @module RootRows: decodes bundles of roots, up to the row bound of a read of one root. */
import { CodedError, limits } from "@turnproof/semconv";

import type { StoredEvent } from "../stored-event.ts";
import { decodeBody } from "./decode.ts";
import { joinSegments } from "./encode.ts";

/** Rows of roots, in the order in which their bundles were added. */
export interface RootRows {
  readonly events: readonly StoredEvent[];
  /** @throws CodedError `bundle_invalid` for an unreadable body, where `cut` is absent */
  add(root: string, segments: string): void;
}

/** Notes that not all was read; with a root whose rows are there and cannot be decoded. */
export type NoteCut = (damagedRoot?: string) => void;

/** Bounds of reading a root. */
export interface RootRowsOptions {
  /** Most rows of a root; later ones are left out. */
  readonly rowsMax?: number;
  /** Called for an unreadable body with its root, and for a root with more rows. */
  readonly cut?: NoteCut | undefined;
}

/** Collects rows of roots; empty at first. */
export function rootRows({ rowsMax = limits.rootEventsMax, cut }: RootRowsOptions): RootRows {
  const events: StoredEvent[] = [];
  const counts = new Map<string, number>();
  return {
    events,
    add(root, segments) {
      const held = counts.get(root) ?? 0;
      const own = held < rowsMax ? decoded(root, segments, cut) : [];
      const room = rowsMax - held;
      counts.set(root, held + own.length);
      if (room <= 0 || own.length > room) cut?.();
      for (const event of own.length > room ? own.slice(0, room) : own) events.push(event);
    },
  };
}

function decoded(root: string, segments: string, cut?: NoteCut): readonly StoredEvent[] {
  try {
    return decodeBody(root, joinSegments([segments]));
  } catch (error) {
    if (cut === undefined || !CodedError.is(error) || error.code !== "bundle_invalid") throw error;
    cut(root);
    return [];
  }
}
