/** @module TurnsScope: what the pages about many turns are narrowed to, below their filter bar. */
import type { FC } from "hono/jsx";

import type { Frame } from "../../http/frame.ts";
import type { Term } from "../display/filter-terms.ts";
import { Chip, Chips, TenantChip } from "../elements/chip.tsx";
import { TermChips, isChip } from "../elements/filter-bar.tsx";

/** The principal's binding and the active filters; a binding cannot be removed. */
export const ScopeLine: FC<{
  readonly frame: Frame;
  readonly terms: readonly Term[];
  readonly path: string;
}> = ({ frame, terms, path }) => {
  const { principal } = frame;
  const bound = principal?.userId !== undefined;
  const tenant = terms.some(({ key, negated }) => key === "user" && !negated);
  return (
    <Chips label="Scope and filters">
      {principal?.applicationId === undefined ? null : (
        <Chip name="app" value={principal.applicationId} title="You read this application only." />
      )}
      {bound ? (
        <TenantChip userId={principal.userId} />
      ) : tenant ? null : (
        <Chip name="tenant" value="all" title="You are bound to no tenant." />
      )}
      <TermChips path={path} terms={terms} query={frame.query} />
      {terms.filter(isChip).length > 1 ? (
        <a class="chip plain" href={path}>
          clear all
        </a>
      ) : null}
    </Chips>
  );
};
