/**
 * @module RowSummary: name and flags of a waterfall row, and the line with all of it for screen
 * readers.
 */
import type { WaterfallNode } from "@turnproof/evidence";

import { durationText, wordsOf } from "./figures.ts";
import { kindTexts } from "./kind-texts.ts";
import { typicalText } from "./typical-call.ts";
import type { TypicalCall } from "./typical-call.ts";
import type { WaterfallRow } from "./waterfall-rows.ts";

/** A gap or an irregularity that a row is flagged with. */
export type RowFlag =
  | "missing_cause"
  | "cycle"
  | "remote_parent"
  | "parent_elsewhere"
  | "clock_skewed"
  | "no_end";

const flagTexts: readonly (readonly [flag: RowFlag, word: string, title: string])[] = [
  ["missing_cause", "missing cause", "Its causing event is not recorded."],
  ["cycle", "cycle", "Its chain of parents is a cycle."],
  ["remote_parent", "remote parent", "Its parent is a span of another process."],
  ["parent_elsewhere", "parent elsewhere", "Its parent belongs to another turn of the root."],
  ["clock_skewed", "clock skew", "It starts before its parent, or ends before it starts."],
  ["no_end", "no end", "It began; no end is recorded."],
];

/** Flags of a node in order: name, word, and an explanation. */
export function nodeFlags(node: WaterfallNode): typeof flagTexts {
  return flagTexts.filter(([flag]) =>
    flag === "no_end" ? node.timing === "missing_completion" : node[flag],
  );
}

/**
 * Name of a node: its tool, model or operation, and its kind. A turn is named after its agent,
 * whatever model its library records beside it.
 */
export function nodeTexts(node: WaterfallNode): { readonly name: string; readonly kind: string } {
  const kind = kindTexts(node.event_kind);
  const { operation } = node;
  if (node.event_kind === "turn") {
    return { name: operation?.replace(/^invoke_agent (?=.)/, "") ?? kind, kind };
  }
  return { name: node.tool_name ?? node.model ?? operation ?? kind, kind };
}

const unknownDuration = "unknown duration";

function nodeDuration({ timing, duration_ms: ms }: WaterfallNode): string {
  if (timing === "instantaneous") return "a point in time";
  return ms === null ? unknownDuration : durationText(ms);
}

function nodeParts(node: WaterfallNode, priority: number | undefined): readonly string[] {
  const { name, kind } = nodeTexts(node);
  return [
    name,
    ...(name === kind ? [] : [kind]),
    node.status === "unknown" ? "unknown status" : wordsOf(node.status),
    nodeDuration(node),
    ...(priority === undefined ? [] : [`finding P${priority}`]),
    ...nodeFlags(node).map(([, word]) => word),
  ];
}

function bareParts(row: WaterfallRow): readonly string[] {
  if (row.kind === "missing") {
    return [`missing parent ${row.missingId ?? ""}`.trim(), "never recorded", unknownDuration];
  }
  const { startMs, endMs, identity } = row;
  const id = identity?.turn_id ?? identity?.thread_id;
  return [
    identity?.agent_id ?? "structure",
    id === undefined ? "no turn id" : `turn ${id}`,
    startMs === null || endMs === null ? unknownDuration : durationText(endMs - startMs),
  ];
}

/**
 * A row in one line: name, kind, status, duration, finding, flags, whether it was found, and the
 * number of rows that it hides. `priority` is that of the most urgent finding with it.
 */
export function rowSummary(
  row: WaterfallRow,
  state: {
    readonly collapsed: boolean;
    readonly priority: number | undefined;
    readonly found?: boolean;
    readonly typical?: TypicalCall | undefined;
  },
): string {
  const { node, descendants } = row;
  const hidden = state.collapsed && descendants > 0;
  return [
    ...(node === undefined ? bareParts(row) : nodeParts(node, state.priority)),
    ...(state.typical === undefined ? [] : [typicalText(state.typical)]),
    ...(state.found === true ? ["match"] : []),
    ...(hidden ? [`${descendants} ${descendants === 1 ? "row" : "rows"} hidden`] : []),
  ].join(", ");
}
