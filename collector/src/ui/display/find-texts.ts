/**
 * @module FindTexts: where the incident finder searched, where it did not, why, and what to do:
 * the same words on the page, in its twin and on the command line.
 */

/** A place in which an id may occur. */
export type FoundPlace = "evidence" | "conversation" | "tool_log";

/** How completely a place was searched. */
export type Reach =
  | "whole"
  | "earlier"
  | "goes_on"
  | "bounded"
  | "not_yet"
  | "tenant_not_named"
  | "application_bound"
  | "no_memory"
  | "no_answer";

/**
 * True when rows that the principal may read were not searched. Rows without an application are
 * outside of the scope of a principal bound to one.
 */
export function leftOut(reach: Reach): boolean {
  return reach !== "whole" && reach !== "no_memory" && reach !== "application_bound";
}

/** Name of a place. */
export const placeNames: { readonly [P in FoundPlace]: string } = {
  evidence: "Evidence",
  conversation: "Messages in memory",
  tool_log: "Tool log in memory",
};

/** Words for a place's reach, and their tone: searched, in part, or not at all. */
export interface ReachTexts {
  readonly state: "searched" | "partly" | "not searched";
  /** Why, and what to do; empty when there is nothing to add. */
  readonly why: string;
}

/** The words of each reach. */
export const reachTexts: { readonly [R in Reach]: ReachTexts } = {
  whole: { state: "searched", why: "" },
  earlier: { state: "searched", why: "On the pages before this one." },
  goes_on: { state: "partly", why: "Continues on the next page." },
  bounded: {
    state: "partly",
    why: "The bound of one search was met. Narrow it by times, an agent or a thread.",
  },
  not_yet: {
    state: "not searched",
    why: "It comes after what was not finished here: go to the next page, or narrow the times.",
  },
  tenant_not_named: {
    state: "not searched",
    why: "Its rows are kept apart by tenant. Give the tenant, or choose anonymous.",
  },
  application_bound: {
    state: "not searched",
    why: "Its rows name no application, and you are bound to one.",
  },
  no_memory: { state: "not searched", why: "No memory is connected to this collector." },
  no_answer: { state: "not searched", why: "It did not answer. Try again; Health has more." },
};

/** One sentence about a place. */
export function reachText(place: FoundPlace, reach: Reach): string {
  const { state, why } = reachTexts[reach];
  return `${placeNames[place]}: ${state}.${why === "" ? "" : ` ${why}`}`;
}
