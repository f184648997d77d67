/** @module AlertLists: the rows of the lists of the alerts page. */
import type { AlertEpisode, AlertSilence, ClosedAlert } from "../../alerts/alert-state.ts";
import type { AlertSeverity } from "../../config/alert-rules.ts";

/** Longest silence, in hours. */
export const silenceHoursMax = 720;
/** Longest name of a group in a form. */
export const groupCharsMax = 1_024;
/** Longest draft of a rule; a browser sends two characters for the end of a line. */
export const draftCharsMax = 2_000;

/** A rule with its last values. */
export interface RuleState {
  readonly name: string;
  readonly severity: AlertSeverity;
  readonly measures: string;
  readonly limit: string;
  readonly by: string | null;
  readonly where: string | null;
  readonly min_count: number;
  /** `rule`: what begins or ends in one evaluation is one message; `group`: each is its own. */
  readonly group_by: "rule" | "group";
  /** The group with the largest value, in words; null before the first look. */
  readonly last: string | null;
  readonly firing: number;
  /** Groups whose value is not established. */
  readonly not_established: number;
  /**
   * `undefined`: no file has its contract now, so the rule counts earlier results only. Null for a
   * rule without a contract.
   */
  readonly contract_state: "defined" | "undefined" | null;
}

/** An alert that fires, with words for its value. */
export interface FiringAlert extends AlertEpisode {
  readonly severity: AlertSeverity;
  readonly sentence: string;
  readonly silenced: boolean;
  /** Names of targets whose start was not given up; null: unknown, an earlier version began it. */
  readonly started: readonly string[] | null;
  /**
   * Query string of the list of its turns, in the window in which the rule was last broken; null
   * for losses, which are of producers.
   */
  readonly turns_query: string | null;
}

/** An alert that has ended, with words for its value. */
export interface EndedAlert extends ClosedAlert {
  readonly value_text: string;
}

/** A target, without its address. */
export interface TargetState {
  readonly name: string;
  readonly kind: string;
  /** Messages that it has not taken. */
  readonly waiting: number;
  /** Failed attempts of the oldest of them. */
  readonly attempts: number;
  /** HTTP status of the last of these; null without an answer, or without an attempt. */
  readonly status: number | null;
  /**
   * `disabled`: it answered 410 Gone and gets no messages until the sending collector starts again.
   */
  readonly state: "enabled" | "disabled";
}

/** The lists. */
export interface AlertLists {
  readonly firing: readonly FiringAlert[];
  readonly rules: readonly RuleState[];
  readonly ended: readonly EndedAlert[];
  /** The one that ends first is the first. */
  readonly silences: readonly AlertSilence[];
  readonly targets: readonly TargetState[];
}
