/**
 * @module CompareTexts: names and limits of a comparison. A change is never called better or
 * worse; an absence in an incomplete window is "not established", not "removed".
 */
import type { Delta, OperationRow, TraceComparison, WindowTrust } from "@turnproof/evidence";

import type { CompareRow } from "./compare-rows.ts";
import { countText, durationText, wordsOf } from "./figures.ts";
import { kindTexts } from "./kind-texts.ts";

/** Names of the two sides on the pages. */
export const sideNames = { baseline: "A", candidate: "B" } as const;

/** Kinds of change. */
export type Verb = "added" | "removed" | "changed" | "unchanged" | "not_established";

/** Sign and words of each verb. */
export const verbTexts: { readonly [V in Verb]: readonly [sign: string, word: string] } = {
  added: ["+", "only in B"],
  removed: ["−", "only in A"],
  changed: ["≠", "changed"],
  unchanged: ["=", "same"],
  not_established: ["?", "not established"],
};

/** The verb of a change: an item on one side only proves nothing while the other is incomplete. */
export function verbOf(change: OperationRow["change"], trust: TraceComparison["trust"]): Verb {
  if (change === "removed" && !trust.candidate.complete) return "not_established";
  if (change === "added" && !trust.baseline.complete) return "not_established";
  return change;
}

const reasonTexts: { readonly [reason: string]: string } = {
  metadata_missing: "how it was read is not stated",
  metadata_incomplete: "its reader does not report whether it read everything",
  window_incomplete: "it was not read to its end",
  truncated: "a bound cut the reading",
  normalization_errors: "some records could not be read",
  read_incomplete: "the reading is partial",
  events_rejected: "some records are not valid events",
  contested: "an event has several contents with one time and no known order",
  known_loss: "its producer reported lost events",
  sampled_out: "its producer sampled events out",
  write_failures: "its producer failed to write events",
};

/** Why a window is not complete, in words; empty for a complete one. */
export function trustText(trust: WindowTrust): string {
  if (trust.complete) return "";
  const reasonWords = trust.reasons.map((reason) => reasonTexts[reason] ?? wordsOf(reason));
  return reasonWords.length === 0
    ? `the reading is ${trust.read_completeness}`
    : reasonWords.join("; ");
}

/** A difference with its sign; null where it is unknown. */
export function differenceText(
  { difference }: Delta,
  text: (value: number) => string,
): string | null {
  if (difference === null) return null;
  if (difference === 0) return "±0";
  return `${difference > 0 ? "+" : "−"}${text(Math.abs(difference))}`;
}

/** One fact that the comparison does not establish, and why. */
export interface OpenPoint {
  readonly what: string;
  readonly why: string;
}

/** Everything that the comparison does not establish, most general first. */
export function openPoints(comparison: TraceComparison): OpenPoint[] {
  const { trust } = comparison;
  return [
    ...windowPoints(trust),
    ...arrivalPoints(comparison),
    ...comparison.diagnostics
      .filter(({ presence }) => presence === "not_established")
      .map(({ code }) => ({
        what: `Whether “${wordsOf(code)}” is resolved`,
        why: "A shows it; B is incomplete, so that its absence there proves nothing.",
      })),
    ...absentPoints(comparison),
    ...figurePoints(comparison),
    ...ambiguityPoints(comparison),
  ];
}

function windowPoints(trust: TraceComparison["trust"]): OpenPoint[] {
  return (["baseline", "candidate"] as const)
    .filter((side) => !trust[side].complete)
    .map((side) => ({
      what: `What else ${sideNames[side]} did`,
      why: `Its window is incomplete: ${trustText(trust[side])}.`,
    }));
}

/** Whether the results arrived, and their release: often not recorded. */
function arrivalPoints({ verdicts, deliveries, releases }: TraceComparison): OpenPoint[] {
  const sides = ["baseline", "candidate"] as const;
  const unreleased = sides.filter((side) => releases[side].length === 0);
  const unjudged = sides.filter((side) => verdicts[side] === "unknown");
  const unconfirmed = sides.filter((side) =>
    deliveries.some((delivery) => delivery[side]?.some((state) => state === "emitted unknown")),
  );
  const named = (list: readonly (typeof sides)[number][]): string =>
    list.map((side) => sideNames[side]).join(" and ");
  return [
    ...(unjudged.length === 0
      ? []
      : [
          {
            what: `Whether the result of ${named(unjudged)} arrived`,
            why: "No intent, artifact, contract or delivery was recorded that could show it.",
          },
        ]),
    ...(unconfirmed.length === 0
      ? []
      : [
          {
            what: `Whether the delivery of ${named(unconfirmed)} arrived`,
            why: "It was emitted, and nothing acknowledges it.",
          },
        ]),
    ...(unreleased.length === 0
      ? []
      : [
          {
            what: `Which release wrote ${named(unreleased)}`,
            why: "Its service named no version (service.version).",
          },
        ]),
  ];
}

/** Operations and results on one side only, while the other is incomplete. */
function absentPoints(comparison: TraceComparison): OpenPoint[] {
  const { trust, operations, sources, artifacts, contracts, deliveries } = comparison;
  const groups: readonly (readonly [string, readonly { change: OperationRow["change"] }[]])[] = [
    ["operation", operations],
    ["source", sources],
    ["artifact", artifacts],
    ["contract", contracts],
    ["delivery", deliveries],
  ];
  return groups.flatMap(([name, rows]) => {
    const open = rows.filter(({ change }) => verbOf(change, trust) === "not_established").length;
    if (open === 0) return [];
    const many = name === "delivery" ? "deliveries" : `${name}s`;
    return [
      {
        what: `${countText(open)} ${open === 1 ? name : many} on one side alone`,
        why: "The other side is incomplete, so that they may be there unseen.",
      },
    ];
  });
}

function figurePoints({ operations, duration_ms, tokens }: TraceComparison): OpenPoint[] {
  const untimed = operations.filter(
    (row) =>
      row.change !== "added" && row.change !== "removed" && row.duration_ms.difference === null,
  ).length;
  const points: OpenPoint[] = [];
  if (duration_ms.difference === null) {
    points.push({ what: "The change in time as a whole", why: unknownSides(duration_ms) });
  }
  if (tokens.difference === null) {
    points.push({ what: "The change in tokens as a whole", why: unknownSides(tokens) });
  }
  if (untimed > 0) {
    points.push({
      what: `The change in time of ${operationsText(untimed, "matched ")}`,
      why: "A point in time has no duration, and some results have none recorded.",
    });
  }
  return points;
}

function unknownSides({ baseline, candidate }: Delta): string {
  const sides = [
    ...(baseline === null ? [sideNames.baseline] : []),
    ...(candidate === null ? [sideNames.candidate] : []),
  ];
  return `Not known for ${sides.join(" and ")}: part of it was never recorded.`;
}

function operationsText(count: number, which = ""): string {
  return `${countText(count)} ${which}${count === 1 ? "operation" : "operations"}`;
}

function ambiguityPoints({ counts }: TraceComparison): OpenPoint[] {
  if (counts.ambiguous === 0) return [];
  return [
    {
      what: `The pairing of ${operationsText(counts.ambiguous)}`,
      why: "One side repeats an operation more often, so pairs may be wrong.",
    },
  ];
}

/** A duration or a count before and after, for one line of text. */
export function pairText({ baseline, candidate }: Delta, unit: "ms" | "count"): string {
  const textOf = (value: number | null): string =>
    value === null ? "?" : unit === "ms" ? durationText(value) : countText(value);
  return `${textOf(baseline)} → ${textOf(candidate)}`;
}

/** The operation of a row where it adds to its kind. */
export function operationName({ event_kind: kind, operation }: OperationRow): string | null {
  return operation === kind ? null : operation;
}

/** A row in one line, for screen readers. */
export function operationSummary(
  { operation, descendants }: CompareRow,
  verb: Verb,
  collapsed: boolean,
): string {
  const { event_kind: kind, ordinal, changes, duration_ms, tokens, ambiguous } = operation;
  const name = operationName(operation);
  const isPoint = duration_ms.baseline === 0 && duration_ms.candidate === 0;
  const time = isPoint ? null : differenceText(duration_ms, durationText);
  const used = kind === "model_call" ? differenceText(tokens, countText) : null;
  const own = duration_ms.candidate ?? duration_ms.baseline;
  const alone = operation.change === "added" || operation.change === "removed";
  return [
    verbTexts[verb][1],
    name === null ? kindTexts(kind) : `${kindTexts(kind)} ${name}`,
    ...(ordinal > 1 ? [`number ${ordinal}`] : []),
    ...changes.map(({ field, baseline, candidate }) => {
      return `${wordsOf(field)} ${baseline ?? "unknown"} became ${candidate ?? "unknown"}`;
    }),
    ...(time === null ? [] : [`time ${time}`]),
    ...(alone && own !== null ? [durationText(own)] : []),
    ...(used === null ? [] : [`tokens ${used}`]),
    ...(ambiguous ? ["ambiguous"] : []),
    ...(collapsed && descendants > 0 ? [`${countText(descendants)} rows hidden`] : []),
  ].join(", ");
}
