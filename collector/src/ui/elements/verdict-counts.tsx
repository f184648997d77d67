/** @module VerdictCounts: number of turns by verdict, with the badge of each. */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";
import { verdictTexts } from "../display/trend.ts";
import type { VerdictFigures } from "../display/trend.ts";
import { VerdictBadge } from "./badge.tsx";

/** Verdicts without turns are left out. */
export const VerdictCounts: FC<{ readonly of: VerdictFigures }> = ({ of: { verdicts } }) => (
  <span class="verdict-counts">
    {verdictTexts.map((verdict) => {
      const count = verdicts[verdict] ?? 0;
      return count === 0 ? null : (
        <span title={`${countText(count)} ${verdict}`}>
          <VerdictBadge verdict={verdict} bare /> {countText(count)}
        </span>
      );
    })}
  </span>
);
