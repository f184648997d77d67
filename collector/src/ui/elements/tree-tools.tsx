/**
 * @module TreeTools: buttons that open and close the levels of a tree grid.
 */
import type { FC } from "hono/jsx";

import { Icon } from "../icons.tsx";
import type { IconName } from "../icons.tsx";

const tools: readonly (readonly [how: string, icon: IconName, label: string])[] = [
  ["less", "levelLess", "Collapse one level (<)"],
  ["more", "levelMore", "Expand one level (>)"],
  ["none", "fold", "Collapse all ( ( )"],
  ["all", "unfold", "Expand all ( ) )"],
];

/** One button for each way to open and close. */
export const TreeTools: FC = () => (
  <span class="tree-tools" role="group" aria-label="Levels">
    {tools.map(([how, icon, label]) => (
      <button
        class="button small"
        type="button"
        data-open={how}
        title={label}
        aria-label={label.replace(/ \(.*$/, "")}
      >
        <Icon name={icon} />
      </button>
    ))}
  </span>
);
