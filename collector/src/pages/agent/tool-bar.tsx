/**
 * @module ToolBar: outcomes of a tool as one bar. A usable result with a limitation or a fallback
 * is striped, a failed one is solid in its own colour, an unknown one hatched.
 */
import type { ToolCounts } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";

/** The bar. */
export const ToolBar: FC<{ readonly of: ToolCounts }> = ({ of }) => {
  const parts = [
    ["clean", of.clean + of.empty],
    ["limited", of.degraded + of.fallback],
    ["failed", of.error + of.provider_error],
    ["unknown", of.unknown],
  ] as const;
  const total = parts.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return <></>;
  let from = 0;
  const label = parts
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${countText(count)} ${name}`)
    .join(", ");
  return (
    <svg class="meter tool-bar" height="12" role="img" aria-label={label} focusable="false">
      {parts.map(([name, count]) => {
        const x = `${((from / total) * 100).toFixed(3)}%`;
        from += count;
        const width = `${((count / total) * 100).toFixed(3)}%`;
        return count === 0 ? null : (
          <rect class={`outcome ${name}`} x={x} y="2" width={width} height="8" />
        );
      })}
    </svg>
  );
};
