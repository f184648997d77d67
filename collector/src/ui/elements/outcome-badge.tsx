/** @module OutcomeBadge: the three results of a contract as icon, word and colour. */
import type { Outcome } from "@turnproof/contracts";
import type { FC } from "hono/jsx";

import { Badge } from "./badge.tsx";

const looks = {
  holds: ["ok", "success", "holds", "The evidence establishes it."],
  violated: ["bad", "failed", "violated", "The evidence contradicts it."],
  not_established: ["quiet", "unknown", "not established", "The evidence decides neither way."],
} as const;

/** Result of a contract. */
export const OutcomeBadge: FC<{ readonly outcome: Outcome }> = ({ outcome }) => {
  const [tone, icon, word, title] = looks[outcome];
  return <Badge tone={tone} icon={icon} word={word} title={`${word}: ${title}`} />;
};
