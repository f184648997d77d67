/** @module TurnsScope: what the pages about many turns are narrowed to, below their filter bar. */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { queryOf, termText } from "../display/filter-terms.ts";
import type { Term } from "../display/filter-terms.ts";
import { conflictsOf } from "../display/term-conflicts.ts";
import { Chip, Chips, TenantChip } from "../elements/chip.tsx";
import { TermChips, isChip } from "../elements/filter-bar.tsx";
import { Icon } from "../icons.tsx";

/** The principal's binding and the active filters; a binding cannot be removed. */
export const ScopeLine: FC<{
  readonly context: PageContext;
  readonly terms: readonly Term[];
  readonly path: string;
}> = ({ context, terms, path }) => {
  const { principal } = context;
  const bound = principal?.userId !== undefined;
  const tenant = terms.some(({ key, negated }) => key === "user" && !negated);
  return (
    <>
      <Conflicts context={context} terms={terms} path={path} />
      <Chips label="Scope and filters">
        {principal?.applicationId === undefined ? null : (
          <Chip
            name="app"
            value={principal.applicationId}
            title="You read this application only."
          />
        )}
        {bound ? (
          <TenantChip userId={principal.userId} />
        ) : tenant ? null : (
          <Chip name="tenant" value="all" title="You are bound to no tenant." />
        )}
        <TermChips path={path} terms={terms} query={context.query} />
        {terms.filter(isChip).length > 1 ? (
          <a class="chip plain" href={path}>
            clear all
          </a>
        ) : null}
      </Chips>
    </>
  );
};

/** Terms of the address that no turn can meet together; the list below is empty by them alone. */
const Conflicts: FC<{
  readonly context: PageContext;
  readonly terms: readonly Term[];
  readonly path: string;
}> = ({ context, terms, path }) => {
  const conflicts = conflictsOf(terms);
  if (conflicts.length === 0) return <></>;
  return (
    <div class="unclear" role="status" data-conflict>
      <Icon name="warning" />
      {conflicts.map(({ key, terms: own, either }) => (
        <p>
          {own.map((term) => (
            <>
              <mark>{termText(term)}</mark>{" "}
            </>
          ))}
          exclude each other: a turn has one {key}, so no turn passes.{" "}
          {either === undefined ? null : (
            <a href={`${path}${queryOf(either, context.query)}`}>Turns of either</a>
          )}
        </p>
      ))}
    </div>
  );
};
