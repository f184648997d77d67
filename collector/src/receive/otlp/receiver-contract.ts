/** @module ReceiverContract: what a receiver depends on and offers, without its implementation. */
import type { StoredFrames } from "@turnproof/journal";
import type { Key } from "@turnproof/semconv/fingerprint";
import type { Hono } from "hono";

import type { IngestPrincipal } from "../../access/ingest-tokens.ts";
import type { ConservationSnapshot } from "../conservation.ts";
import type { IngestCounts } from "../history/minute.ts";
import type { AppEnv } from "../../http/environment.ts";
import type { ForwardState } from "../forward/forward.ts";
import type { DamageTracker } from "../../backend/damage-tracker.ts";
import type { IngestDesk } from "../ingest.ts";
import type { Log } from "../../log.ts";
import type { Intake } from "./intake.ts";
import type { IngestStore } from "./late-store.ts";

/** Dependencies of a receiver. */
export interface ReceiverOptions {
  /** Directory of the journal; one process at a time uses it. */
  readonly directory: string;
  /** Target of the drain; a slow or absent store never affects ingest. */
  readonly store: IngestStore | Promise<IngestStore>;
  readonly authenticateIngest: (authorization: string | undefined) => IngestPrincipal | undefined;
  /** Public origins of the collector; pages of other origins are refused. */
  readonly origins?: readonly string[];
  /** Counts a wrong credential; returns the seconds that its address has to wait, else 0. */
  readonly wrongCredential?: (address: string) => number;
  /** Key of the fingerprints that replace identities which are not opaque. */
  readonly identityKey: Key;
  /** Names that are readable whatever their form. */
  readonly knownNames?: readonly string[];
  readonly log: Log;
  /** Called with a stored batch, before it counts as readable; a throw is ignored. */
  readonly onStored?: (batch: StoredFrames) => Promise<void>;
  /** Clock of receipt, milliseconds since the epoch; default the system's, in microseconds. */
  readonly now?: () => number;
  /** Bound of the journal on the disk. */
  readonly journalBytesMax?: number;
  /** Bytes of all requests together. */
  readonly budgetBytes?: number;
  /** What was found damaged in the store. */
  readonly damage?: Pick<DamageTracker, "report" | "roots">;
  /** State of the way to another endpoint. */
  readonly forwarded?: () => ForwardState;
  /** False answers everything on `/v1` with `ingest_off`. */
  readonly enabled?: boolean;
  /** Threads for large bodies; default 1. With 0 nothing is done in threads, blocks included. */
  readonly threads?: number;
}

/** The receiving side: its routes, and its interface for the rest of the collector. */
export interface Receiver extends IngestDesk {
  readonly routes: Hono<AppEnv>;
  /** Receives the requests of the routes and of other transports. */
  readonly intake: Intake;
  /** True while spans are accepted and can be made durable. */
  serving(): boolean;
  conservation(): ConservationSnapshot;
  /** Totals since the process began. */
  totals(): IngestCounts;
  /** Resolves when everything acknowledged is stored; not before an absent store comes back. */
  idle(): Promise<void>;
}
