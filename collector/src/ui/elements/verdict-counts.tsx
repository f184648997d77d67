/** @module VerdictCounts: how many turns have which verdict, with the mark of each. */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";
import { verdictWords } from "../display/trend.ts";
import type { TurnsFared } from "../display/trend.ts";
import { VerdictBadge } from "./badge.tsx";

/** Those that no turn has are left out. */
export const VerdictCounts: FC<{ readonly of: TurnsFared }> = ({ of: { verdicts } }) => (
  <span class="verdict-counts">
    {verdictWords.map((verdict) => {
      const count = verdicts[verdict] ?? 0;
      return count === 0 ? null : (
        <span title={`${countText(count)} ${verdict}`}>
          <VerdictBadge verdict={verdict} bare /> {countText(count)}
        </span>
      );
    })}
  </span>
);
