/** @module GateBadge: an outcome of the gate as a badge. */
import { outcomeTexts } from "@turnproof/contracts";
import type { GateOutcome } from "@turnproof/contracts";
import type { FC } from "hono/jsx";

import { Badge } from "../../ui/elements/badge.tsx";

const looks = {
  regressed: ["bad", "failed"],
  no_regression: ["ok", "success"],
  not_enough_evidence: ["quiet", "unknown"],
} as const;

/** The badge. */
export const GateBadge: FC<{ readonly outcome: GateOutcome }> = ({ outcome }) => {
  const [tone, icon] = looks[outcome];
  return <Badge tone={tone} icon={icon} word={outcomeTexts[outcome]} />;
};
