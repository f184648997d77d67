/**
 * @module Tenants: the tenants of a group's turns. Several tenants in one thread are pointed out.
 */
import type { FC } from "hono/jsx";

import { Badge } from "../elements/badge.tsx";
import { TenantChip } from "../elements/chip.tsx";

const shownMax = 3;

/** Chips of the tenants; none means not recorded. */
export const Tenants: FC<{ readonly of: readonly (string | null)[] }> = ({ of }) => (
  <span class="tenants">
    {of.length > 1 ? (
      <Badge
        tone="bad"
        icon="blocking"
        word={`${of.length} tenants`}
        title="Turns of several tenants are in one thread."
      />
    ) : null}
    {of.length === 0 ? <TenantChip userId={undefined} /> : null}
    {of.slice(0, shownMax).map((user) => (
      <TenantChip userId={user} />
    ))}
  </span>
);
