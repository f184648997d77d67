/** @module Parts: the parts of a collector, passed to every route. Nothing here is global. */
import type { EventQuery } from "@turnproof/evidence";
import type {
  EventSlice,
  EvidenceStore,
  MemoryStore,
  SliceOptions,
  TurnRecorder,
} from "@turnproof/store";

import type { AlertDocument } from "./alerts/alert-state.ts";
import type { JudgedGroup } from "./alerts/rule-change.ts";
import type { AlertRule, AlertTarget, RefusedRules } from "./config/alert-rules.ts";
import type { Audit } from "./access/audit/contract.ts";
import type { Credentials } from "./access/credentials.ts";
import type { Keyring } from "./access/keyring.ts";
import type { Oidc } from "./access/oidc.ts";
import type { Principal } from "./access/principal.ts";
import type { Pseudonyms } from "./access/pseudonyms.ts";
import type { Sessions } from "./access/sessions.ts";
import type { Streams } from "./access/streams.ts";
import type { TypedIdentity } from "./access/typed-identity.ts";
import type { Throttle } from "./access/throttle.ts";
import type { Damage } from "./backend/damage-tracker.ts";
import type { Config } from "./config/config.ts";
import type { Hooks } from "./hooks/hooks.ts";
import type { AppContext } from "./http/environment.ts";
import type { RequestMetrics } from "./http/request-metrics.ts";
import type { IngestHistory } from "./receive/history/history.ts";
import type { Receiver } from "./receive/otlp/receiver-contract.ts";
import type { RecordBatch } from "./receive/record-frames.ts";
import type { Log } from "./log.ts";
import type { LedgerSignal } from "./judge/ledger-signal.ts";
import type { LoadedContracts } from "./judge/loaded-contracts.ts";
import type { StatementSigner } from "./judge/statement.ts";

/** The threads of one collector. */
export interface Readers {
  /** Answers a request that has passed the gate. @throws CodedError `overloaded` */
  answer(c: AppContext): Promise<Response>;
  /** A slice of events for a tail. */
  page(principal: Principal, query: EventQuery, options: SliceOptions): Promise<EventSlice>;
  /** Passes a stored batch to the judging thread, which writes its turns. */
  readonly stored: RecordBatch;
  close(): Promise<void>;
}

/** The alerts of one collector. */
export interface Alerts {
  readonly rules: readonly AlertRule[];
  readonly targets: readonly AlertTarget[];
  readonly document: AlertDocument;
  /** The document with what operators did at any collector of the store until now. */
  shown(): Promise<AlertDocument>;
  /** Last values of each rule, by its name. */
  readonly values: ReadonlyMap<string, readonly JudgedGroup[]>;
  /** Sends no alerts of a rule, or of one of its groups, until then; a past time ends a silence. */
  silence(of: { rule: string; group: string | null; until: string; by: string }): Promise<void>;
  /** Ends an alert until its condition has ended. False where none of this id fires. */
  resolve(id: string): Promise<boolean>;
  /** The rules of a file that has changed. */
  replaceRules(rules: readonly AlertRule[]): void;
  /** Why the present file of rules is not used; null while it is. */
  readonly refused: RefusedRules | null;
  refuseRules(refused: RefusedRules | null): void;
  /**
   * Turns were written or judged: the rules are looked at soon. `sinceMs` is the receipt of the
   * first of them, epoch milliseconds: windows since then are looked at again.
   */
  wake(sinceMs: number): void;
  close(): Promise<void>;
}

/** The parts of one collector. */
export interface Parts {
  readonly config: Config;
  readonly version: string;
  readonly log: Log;
  /**
   * The operator's handle; in read-only mode it refuses every mutation, and its reads time out.
   */
  readonly store: EvidenceStore;
  /** Reading threads; absent where everything runs on the event loop. */
  readonly readers?: Readers | undefined;
  /** Writes turns of stored events; absent where nothing is received or judged. */
  readonly recorder?: TurnRecorder | undefined;
  /** Contracts that every turn is judged by; absent without a folder of them. */
  readonly contracts?: LoadedContracts | undefined;
  /** Of this collector's writes and verdicts; absent in a reading thread. */
  readonly ledger?: LedgerSignal | undefined;
  /** Absent in read-only mode and in a reading thread. */
  readonly alerts?: Alerts | undefined;
  /** The same without read timeouts, for background work. */
  readonly untimed: EvidenceStore;
  /** Host of the store's server, without credentials; null without a server. */
  readonly server: string | null;
  /** The operator's memory; absent without a configured one. */
  readonly memory: MemoryStore | undefined;
  /** Damage of the store that reads and writes meet. */
  readonly damage: Damage;
  readonly ingest: Receiver;
  /** The receiving side minute by minute. */
  readonly history: Pick<IngestHistory, "folder" | "recent">;
  readonly keyring: Keyring;
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  /** Sign-in through an identity provider; absent without a configured one. */
  readonly oidc?: Oidc | undefined;
  readonly streams: Streams;
  readonly throttle: Throttle;
  readonly pseudonyms: Pseudonyms;
  readonly audit: Audit | undefined;
  readonly signer: StatementSigner;
  readonly hooks: Hooks;
  readonly typed: TypedIdentity;
  readonly requests: RequestMetrics;
  readonly cookieName: string;
  /** Milliseconds since the epoch; tests replace it. */
  readonly now: () => number;
  /** Aborted when the collector closes, so that streams end. */
  readonly closing: AbortSignal;
}

/** The parts that the judge uses; its thread opens no others. */
export interface JudgeParts extends Pick<
  Parts,
  "config" | "contracts" | "log" | "store" | "recorder" | "server" | "now"
> {
  readonly ingest: Pick<Receiver, "mark" | "report" | "losses" | "othersKnown">;
}
