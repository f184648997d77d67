/**
 * @module Releases page: two groups of turns side by side. Differences that chance explains are in
 * grey; nothing is in the colours of better and worse.
 */
import { isoTime } from "@turnproof/semconv";
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import type { CohortGroup, CohortPair, CohortRow } from "../../ui/display/cohort-figures.ts";
import { sideText } from "../../ui/display/cohort-texts.ts";
import { countedText, countText, durationText } from "../../ui/display/figures.ts";
import { queryOf, readTerms, termsOf, unclearOf } from "../../ui/display/filter-terms.ts";
import { pendingText } from "../../ui/display/window-texts.ts";
import { CohortLine } from "./cohort-row.tsx";
import { Time } from "../../ui/elements/figure.tsx";
import { Card, Empty, Note, Table } from "../../ui/elements/panel.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { CompareTabs } from "../../ui/groups/compare-tabs.tsx";
import { ScopeLine } from "../../ui/groups/turns-scope.tsx";
import { Page, hrefOf, hrefWith } from "../../ui/layout.tsx";
import type { ReleasesModel } from "./route.ts";
import type { Cohorts } from "../../turns/cohorts.ts";

/** The comparison. */
export function releasesPage(model: ReleasesModel, context: PageContext): Child {
  const { terms, compared } = model;
  const requested = [context.query.get("a"), context.query.get("b")].flatMap((text) => text ?? []);
  return (
    <Page
      context={context}
      title="Compare releases"
      unclear={[
        ...unclearOf(context.query),
        ...requested.flatMap((text) => readTerms(text).unclear),
      ]}
      bar={<CompareTabs context={context} here="releases" />}
    >
      <p class="lead">
        What differs between the turns of two releases, or of any two filters, and how sure that is.
        It shows what changed, never which one is better.
      </p>
      <Sides model={model} context={context} />
      <ScopeLine
        context={context}
        terms={termsOf(context.query)}
        path={hrefOf(context, "/traces/compare/releases")}
      />
      {terms === null || compared === null ? (
        <Empty title="No two releases here" icon="compare">
          <p>
            A release shows as soon as a turn has <code>service.version</code>. Two filters can be
            compared without one, such as <code>model:a</code> and <code>model:b</code>.
          </p>
        </Empty>
      ) : compared.a.turns === 0 || compared.b.turns === 0 ? (
        <Empty title="A side has no turn" icon="compare">
          <p>
            A has {countedText(compared.a.turns, "turn")}, B has {countText(compared.b.turns)}.
          </p>
        </Empty>
      ) : (
        <Compared model={model} compared={compared} context={context} />
      )}
    </Page>
  );
}

/** Both sides, as a form; the filters of both stay. */
const Sides: FC<{ readonly model: ReleasesModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { terms, releases } = model;
  const kept = [...context.query].filter(([name]) => name !== "a" && name !== "b");
  return (
    <form
      class="fields cohort-sides"
      method="get"
      action={hrefOf(context, "/traces/compare/releases")}
      aria-label="Sides"
    >
      {(["a", "b"] as const).map((name) => (
        <label>
          <span>Side {name.toUpperCase()}</span>
          <input
            class="field mono"
            name={name}
            value={terms?.[name] ?? ""}
            placeholder="release:1.4.0"
            list="cohort-releases"
            autocomplete="off"
            spellcheck={false}
          />
        </label>
      ))}
      <datalist id="cohort-releases">
        {releases.map(({ release }) => (
          <option value={`release:${/[\s"]/.test(release) ? `"${release}"` : release}`} />
        ))}
      </datalist>
      {kept.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class="button primary" type="submit">
        Compare
      </button>
      {terms === null ? null : (
        <a class="button" href={hrefWith(context, { a: terms.b, b: terms.a })} data-swap>
          Swap A and B
        </a>
      )}
    </form>
  );
};

const Compared: FC<{
  readonly model: ReleasesModel;
  readonly compared: Cohorts;
  readonly context: PageContext;
}> = ({ model, compared, context }) => {
  const changed = compared.groups.flatMap(({ rows }) => rows).filter((row) => row.significant);
  const pending = pendingText(model.pending_frames);
  return (
    <>
      {compared.both === 0 ? null : (
        <Note tone="warn">
          {compared.both === 1 ? "1 turn is" : `${countText(compared.both)} turns are`} on both
          sides and count in each: the tests read them as different turns.
        </Note>
      )}
      <Agents agents={compared.agents} context={context} />
      <Summary model={model} compared={compared} changed={changed} context={context} />
      <Pairs pairs={compared.pairs} context={context} />
      {compared.groups.map((group) => (
        <Group group={group} model={model} context={context} />
      ))}
      <footer class="window" data-window>
        <span>
          All {countText(compared.a.turns)} and {countText(compared.b.turns)} turns.{" "}
          <code>[low, high]</code> is the 95 % confidence interval of its figure alone, without a
          correction for their number: of {countText(compared.tested)} differences about{" "}
          {countText(Math.ceil(compared.tested / 20))} may lie outside of theirs by chance. <i>p</i>{" "}
          has the correction and decides what is in grey, also where an interval is without 0. Turns
          after a plus sign are not counted: their value is not known. US dollars are those of a
          turn with a model call; where a price is not exact, what they are at least and at most.{" "}
          <i>p</i>: Fisher's exact test for shares of turns and percentiles, Welch's test over
          intervals of {durationText(compared.slice_ms)} for the others, in both directions, with
          Holm's correction for all {countText(compared.tested)} tested figures; in grey: chance
          alone may explain the difference. Differences of shares are in percentage points.
        </span>
        {pending === undefined ? null : <span data-pending>{pending}</span>}
      </footer>
    </>
  );
};

/** Sides of different agents differ by that alone: each common agent can be compared by itself. */
const Agents: FC<{ readonly agents: Cohorts["agents"]; readonly context: PageContext }> = ({
  agents,
  context,
}) => {
  const common = agents.filter(({ a, b }) => a > 0 && b > 0);
  if (agents.length < 2 || common.length === 0) return <></>;
  const alone = agents.length - common.length;
  return (
    <Note>
      The sides have turns of {countText(agents.length)} agents
      {alone === 0 ? "" : `, ${countText(alone)} of them on one side only`}. Compare one:{" "}
      {common.map(({ agent_id: agent, a, b }) => (
        <a class="chip" href={hrefWith(context, { agent_id: agent })}>
          <span class="value">{agent}</span> {countText(a)} and {countText(b)}
        </a>
      ))}
    </Note>
  );
};

const Summary: FC<{
  readonly model: ReleasesModel;
  readonly compared: Cohorts;
  readonly changed: readonly CohortRow[];
  readonly context: PageContext;
}> = ({ model, compared, changed, context }) => (
  <Card
    title="What changed"
    icon="compare"
    id="changed"
    end={<ListEnd context={context}>{countText(changed.length)}</ListEnd>}
  >
    <dl class="facts">
      {(["a", "b"] as const).map((side) => (
        <>
          <dt>{side.toUpperCase()}</dt>
          <dd>
            <code>{model.terms?.[side]}</code>, {countText(compared[side].turns)} turns from{" "}
            <Moment ms={compared[side].first_ms} /> to <Moment ms={compared[side].last_ms} />
          </dd>
        </>
      ))}
    </dl>
    {changed.length === 0 ? (
      <p>Nothing that chance alone would not explain.</p>
    ) : (
      <ul class="cohort-changes">
        {compared.groups.flatMap(({ name, rows }) =>
          rows
            .filter((row) => row.significant)
            .map((row) => (
              <li>
                <span class="muted">{name}:</span> <b>{row.name}</b> {sideText(row.a, row.unit)} →{" "}
                {sideText(row.b, row.unit)}
              </li>
            )),
        )}
      </ul>
    )}
  </Card>
);

const Moment: FC<{ readonly ms: number | null }> = ({ ms }) => (
  <Time at={ms === null ? null : isoTime(ms)} form="daytime" />
);

const Pairs: FC<{ readonly pairs: readonly CohortPair[]; readonly context: PageContext }> = ({
  pairs,
  context,
}) =>
  pairs.length === 0 ? (
    <p class="muted">The sides have no agent in common: no two turns of them can be compared.</p>
  ) : (
    <Card title="Two turns to compare" icon="turns" id="pairs">
      <ul class="cohort-pairs">
        {pairs.map(({ why, ...pair }) => (
          <li>
            <a
              href={`${hrefOf(context, "/traces/compare")}?${new URLSearchParams({ ...pair }).toString()}`}
              data-row
            >
              {pair.agent_id}: A and B
            </a>{" "}
            <span class="muted">{why}</span>
          </li>
        ))}
      </ul>
    </Card>
  );

const Group: FC<{
  readonly group: CohortGroup;
  readonly model: ReleasesModel;
  readonly context: PageContext;
}> = ({ group, model, context }) => (
  <Card title={group.name} flush>
    <Table
      stacks
      label={group.name}
      head={
        <>
          <th scope="col">{group.name}</th>
          <th scope="col" class="num">
            A
          </th>
          <th scope="col" class="num">
            B
          </th>
          <th scope="col" class="bar-col">
            A and B
          </th>
          <th
            scope="col"
            class="num"
            title="B minus A, of shares in percentage points, with the 95 % interval of this figure alone"
          >
            Difference <small>95 % interval, not corrected</small>
          </th>
          <th scope="col" class="num" title="Chance of such a difference if there is none">
            p <small>corrected</small>
          </th>
        </>
      }
    >
      {group.rows.map((row) => (
        <CohortLine
          row={row}
          most={mostOf(group)}
          hrefs={{
            a: sideHref(context, model.terms?.a, row),
            b: sideHref(context, model.terms?.b, row),
          }}
        />
      ))}
    </Table>
  </Card>
);

/** The end of the scale of a group's bars, for each unit. */
function mostOf({ rows }: CohortGroup): (unit: CohortRow["unit"]) => number {
  return (unit) =>
    unit === "share"
      ? 1
      : rows
          .filter((row) => row.unit === unit)
          .reduce((most, { a, b }) => Math.max(most, a.value ?? 0, b.value ?? 0), 0);
}

/** The turns of one side that a row counts. */
function sideHref(
  context: PageContext,
  terms: string | undefined,
  { term }: CohortRow,
): string | undefined {
  if (term === null || terms === undefined) return undefined;
  const requested = [...termsOf(context.query), ...readTerms(`${terms} ${term}`).terms];
  return `${hrefOf(context, "/traces")}${queryOf(requested, new URLSearchParams())}`;
}
