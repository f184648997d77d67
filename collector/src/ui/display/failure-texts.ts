/**
 * @module FailureTexts: where errors in a turn began, in words. An error propagates to everything
 * that waits for it, so only the innermost ones are listed; the judge's findings are shown
 * elsewhere. Words, registered names and classes only.
 */
import type { CausalWaterfall, TurnEvent, WaterfallNode } from "@turnproof/evidence";

import { wordsOf } from "./figures.ts";
import { kindTexts } from "./kind-texts.ts";
import { nodeTexts } from "./row-summary.ts";
import { capital } from "./capital.ts";

/** One failure. */
export interface Failure {
  readonly event_id: string;
  /** `Model call gpt-x`. */
  readonly what: string;
  /** The class of its error; null where not recorded. */
  readonly error: string | null;
  /** The outermost operation that failed because of it; null when none did. */
  readonly ended: string | null;
}

/** Kinds that the judge's findings cover. */
const judged: ReadonlySet<string> = new Set(["intent", "artifact", "contract", "delivery"]);

/**
 * Where the errors of a waterfall began, in its order. A failed operation of a library, such as
 * its request, explains a failed call and is listed only where nothing else failed. Linear.
 */
export function failuresOf(
  { groups }: CausalWaterfall,
  events: readonly TurnEvent[],
): readonly Failure[] {
  const errors = new Map<string, string>();
  for (const { event_id: id, attributes } of events) {
    const word = attributes.error_type ?? attributes.error_code;
    if (word !== undefined) errors.set(id, word);
  }
  return groups.flatMap(({ nodes }) => {
    const claims = innermost(nodes, ({ event_kind: kind }) => kind !== "span");
    const rows = claims.length > 0 ? claims : innermost(nodes, () => true);
    return rows.map(([node, outer]) => {
      const error = node.event_ids.map((id) => errors.get(id)).find((word) => word !== undefined);
      return {
        event_id: node.event_id,
        what: capital(called(node)),
        error: error ?? null,
        ended: outer === undefined ? null : called(outer),
      };
    });
  });
}

/** Failed nodes without a failed descendant, each with its outermost failed ancestor. */
function innermost(
  nodes: readonly WaterfallNode[],
  counts: (node: WaterfallNode) => boolean,
): (readonly [node: WaterfallNode, outer: WaterfallNode | undefined])[] {
  const failed = (node: WaterfallNode): boolean =>
    node.status === "error" && !judged.has(node.event_kind) && counts(node);
  const handedOn = new Set<number>();
  // Pre-order: descendants come later, so a node's outermost failure is known by then.
  const outermost = new Int32Array(nodes.length).fill(-1);
  const nearest = new Int32Array(nodes.length).fill(-1);
  nodes.forEach((node, index) => {
    const above = node.parent_index;
    const inherited = above === null ? -1 : (nearest[above] as number);
    nearest[index] = inherited;
    if (above !== null) outermost[index] = outermost[above] as number;
    if (!failed(node)) return;
    if (inherited >= 0) handedOn.add(inherited);
    nearest[index] = index;
    if (inherited < 0) outermost[index] = index;
  });
  return nodes.flatMap((node, index) => {
    if (!failed(node) || handedOn.has(index)) return [];
    const outer = outermost[index] as number;
    return [[node, outer === index ? undefined : nodes[outer]] as const];
  });
}

function called(node: WaterfallNode): string {
  const { name, kind } = nodeTexts(node);
  return name === kind ? kindTexts(node.event_kind) : `${kind} ${name}`;
}

/** Consequence of a failure, in a few words. */
export function failureText({ error, ended }: Failure): string {
  const cause =
    error === null ? "ended in error; no class was recorded" : `ended in error: ${wordsOf(error)}`;
  return ended === null ? cause : `${cause}; the ${ended} failed because of it`;
}
