/**
 * @module TreeRow: attributes of a tree grid's row for its position, and the icon by which it
 * opens.
 */
import type { FC } from "hono/jsx";

import type { TreeRow as Row } from "../display/tree-rows.ts";
import { Icon } from "../icons.tsx";

/** Present state of a row. */
export interface TreeRowState {
  /** Position among the shown rows, from 0. */
  readonly index: number;
  readonly collapsed: boolean;
  readonly focused: boolean;
  readonly selected: boolean;
}

/** Attributes of the row (WAI-ARIA treegrid); the heading is the grid's first row. */
export function treeRowAttributes(
  row: Row & { readonly position: number; readonly setSize: number },
  { index, collapsed, focused, selected }: TreeRowState,
): Readonly<Record<string, string | number>> {
  return {
    role: "row",
    id: `row-${index}`,
    "data-index": String(index),
    "aria-level": String(row.level),
    "aria-posinset": String(row.position),
    "aria-setsize": String(row.setSize),
    "aria-rowindex": String(index + 2),
    "aria-selected": selected ? "true" : "false",
    tabindex: focused ? 0 : -1,
    ...(row.descendants > 0 ? { "aria-expanded": collapsed ? "false" : "true" } : {}),
  };
}

/** The icon of a row that has others below it. */
export const Twist: FC<{ readonly row: Row; readonly collapsed: boolean }> = ({
  row,
  collapsed,
}) => (
  <span class="twist" aria-hidden="true">
    {row.descendants === 0 ? null : <Icon name={collapsed ? "more" : "down"} />}
  </span>
);
