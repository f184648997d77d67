/**
 * @module TurnEvidence: the events of one turn and of one task, as every part of the judge reads
 * them, with what the parts note beside them.
 */
import type { TurnEvent } from "../event/event.ts";
import type { IdentityTuple } from "../event/identity-tuple.ts";
import type { FindingCode } from "./diagnostics-table.ts";

/** The evidence of one task of one tuple. */
export interface TaskScope {
  readonly identity: IdentityTuple;
  /** The label; absent for a task without one. */
  readonly taskId: string | undefined;
  /** True when unlabelled evidence of the tuple is assigned to this task. */
  takesUnlabelled: boolean;
  readonly intents: TurnEvent[];
  readonly artifacts: TurnEvent[];
  readonly contracts: TurnEvent[];
  readonly deliveries: TurnEvent[];
  /** Host actions and queue transitions, starts included. */
  readonly actions: TurnEvent[];
  /** Other events of the task or the turn that report a worker's lost context. */
  readonly contextMissing: TurnEvent[];
  /** Verified outcomes. */
  readonly outcomes: TurnEvent[];
  /** Denials of ownership or provenance that are not superseded. */
  readonly denials: Map<TurnEvent, Denial[]>;
  /** Starts and ends of the turn itself; only in the scope of the whole turn. */
  readonly turns: TurnEvent[];
  readonly turn: TurnEvidence;
}

/** How the texts of model calls ended, by task, in order of time. */
export type TextEnds = ReadonlyMap<string | undefined, readonly TextEnd[]>;

/** All events of one tuple, and those that an artifact or contract names by span or id. */
export interface TurnEvidence {
  readonly identity: IdentityTuple;
  readonly events: readonly TurnEvent[];
  /** Events by span, only for spans that evidence of the turn names. */
  readonly bySpan: ReadonlyMap<string, readonly TurnEvent[]>;
  /** Causality, computed when two producers are first compared. */
  causes: CauseIndex | undefined;
  /** How texts ended, of the turn and of named spans; computed when a contract first needs it. */
  ends: TextEnds | undefined;
  readonly endOfSpan: Map<string, TextEnd | null>;
  /** When a named span began, null where unknown; read when an event first names it. */
  readonly startOfSpan: Map<string, string | null>;
}

/** How the text of some calls ended; several where it is unknown which one has the text. */
export interface TextEnd {
  /** The instant at which the tied calls ended. */
  readonly at: string;
  /** A finish reason means length. */
  byLength: boolean;
  /** A call reached its own token limit. */
  byTokens: boolean;
  /** The longest text, in characters. */
  chars: number | undefined;
}

/** Events of a turn by the ids that others name as causes, with cached answers. */
export interface CauseIndex {
  readonly bySpan: ReadonlyMap<string, readonly TurnEvent[]>;
  readonly byEvent: ReadonlyMap<string, readonly TurnEvent[]>;
  readonly known: Map<TurnEvent, ReadonlySet<TurnEvent>>;
}

/** A denial that is not superseded. */
export interface Denial {
  readonly code: FindingCode;
  readonly event: TurnEvent;
  /** The artifact's type, where the event is an artifact with one. */
  readonly artifactType: string | undefined;
}
