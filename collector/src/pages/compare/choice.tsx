/**
 * @module Choice: selects the two turns of a comparison: an agent, then one turn for A and one for
 * B. It is a plain form; marks of the Turns page lead here with both selected.
 */
import type { TurnRow } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { inRange, requestedRange } from "../../ui/display/time-range.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { CompareChoice as Choice } from "./route.ts";
import { VerdictBadge } from "../../ui/elements/badge.tsx";
import { Chip, Chips } from "../../ui/elements/chip.tsx";
import { Id, Time, TurnDuration } from "../../ui/elements/figure.tsx";
import { Card, Empty, Table } from "../../ui/elements/panel.tsx";
import { RangeInputs } from "../../ui/elements/range-picker.tsx";
import { AllTime } from "../../ui/groups/narrow.tsx";
import { hrefOf } from "../../ui/layout.tsx";

/** The form. */
export const CompareChoice: FC<{ readonly model: Choice; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const path = hrefOf(context, "/traces/compare");
  const agents = [...new Set(model.turns.flatMap((turn) => turn.agent_id ?? []))].toSorted();
  const agent = model.agent_id ?? (agents.length === 1 ? (agents[0] ?? null) : null);
  const range = requestedRange(context.query);
  const isRanged = Object.keys(range).length > 0;
  if (model.turns.length === 0 && model.agent_id === null && isRanged) {
    return (
      <Empty title="No turns in this range" icon="compare">
        <p>
          Take a wider one.
          <AllTime context={context} />
        </p>
      </Empty>
    );
  }
  if (model.turns.length === 0 && model.agent_id === null) {
    return (
      <Empty title="Nothing to compare yet" icon="compare">
        <p>
          A comparison needs two turns of one agent. They appear on{" "}
          <a href={hrefOf(context, "/traces")}>Turns</a>; mark two of them with <kbd>m</kbd> and
          press <kbd>c</kbd>.
        </p>
      </Empty>
    );
  }
  const given = [
    ...(model.baseline_root === null ? [] : [`baseline_root=${escape(model.baseline_root)}`]),
    ...(model.candidate_root === null ? [] : [`candidate_root=${escape(model.candidate_root)}`]),
  ];
  return (
    <>
      <p class="lead">
        What changed between two turns, never which one is better. Pick A and B below, or mark two
        turns anywhere with <kbd>m</kbd> and press <kbd>c</kbd>.
      </p>
      <Chips label="Agent">
        {(agent === null || agents.includes(agent) ? agents : [agent, ...agents]).map((each) => (
          <a
            class={each === agent ? "chip term" : "chip"}
            href={inRange(
              `${path}?${[`agent_id=${escape(each)}`, ...given].join("&")}`,
              context.query,
            )}
            {...(each === agent ? { "aria-current": "true" } : {})}
          >
            <b>agent</b>
            <span class="value">{each}</span>
          </a>
        ))}
        {model.agent_id === null ? null : (
          <Chip value="all agents" href={inRange(path, context.query)} />
        )}
      </Chips>
      {agent === null ? (
        <Empty title="Pick an agent first" icon="agents">
          <p>Only turns of one agent can be compared: their operations have the same names.</p>
        </Empty>
      ) : (
        <Picker model={model} agent={agent} path={path} context={context} />
      )}
      <ById model={model} path={path} agent={agent} context={context} />
    </>
  );
};

function escape(text: string): string {
  return encodeURIComponent(text);
}

const Picker: FC<{
  readonly model: Choice;
  readonly agent: string;
  readonly path: string;
  readonly context: PageContext;
}> = ({ model, agent, path, context }) => {
  const roots = [
    ...Map.groupBy(
      model.turns.filter((turn) => turn.agent_id === agent),
      (turn) => turn.root_trace_id ?? "",
    ),
  ];
  if (roots.length === 0) {
    return (
      <Empty title="No turns of this agent" icon="turns">
        <p>
          There are none, or your role may not read them.
          <AllTime context={context} />
        </p>
      </Empty>
    );
  }
  return (
    <form method="get" action={path} class="picker" data-picker>
      <input type="hidden" name="agent_id" value={agent} />
      <RangeInputs query={context.query} />
      <Card
        title="Two turns"
        icon="compare"
        flush
        end={
          <button class="button primary small" type="submit">
            Compare
          </button>
        }
      >
        <Table
          label="Turns to choose from"
          stacks
          head={
            <>
              <th scope="col">A</th>
              <th scope="col">B</th>
              <th scope="col">Ended</th>
              <th scope="col">Verdict</th>
              <th scope="col">Thread</th>
              <th scope="col" class="num">
                Took
              </th>
              <th scope="col">Root</th>
            </>
          }
        >
          {roots.map(([root, turns], index) => (
            <Option
              root={root}
              turns={turns}
              a={model.baseline_root === null ? index === 1 : model.baseline_root === root}
              b={model.candidate_root === null ? index === 0 : model.candidate_root === root}
            />
          ))}
        </Table>
      </Card>
    </form>
  );
};

const Option: FC<{
  readonly root: string;
  readonly turns: readonly TurnRow[];
  readonly a: boolean;
  readonly b: boolean;
}> = ({ root, turns, a, b }) => {
  const [turn] = turns;
  const named = `turn that ended ${turn?.ended_at ?? "at an unknown time"}`;
  return (
    <tr>
      <td data-head="A">
        <input
          type="radio"
          name="baseline_root"
          value={root}
          checked={a}
          required
          aria-label={`A: ${named}`}
        />
      </td>
      <td data-head="B">
        <input
          type="radio"
          name="candidate_root"
          value={root}
          checked={b}
          required
          aria-label={`B: ${named}`}
        />
      </td>
      <td data-head="Ended">
        <Time at={turn?.ended_at} form="daytime" />
      </td>
      <td data-head="Verdict">
        <VerdictBadge verdict={turn?.verdict} />
      </td>
      <td data-head="Thread">
        <Id of={turn?.thread_id} chars={18} why="No thread was recorded." />
      </td>
      <td class="num" data-head="Took">
        <TurnDuration of={turn} />
      </td>
      <td data-head="Root">
        <Id of={root} chars={14} />
        {turns.length > 1 ? <span class="muted"> {countText(turns.length)} turns</span> : null}
      </td>
    </tr>
  );
};

const ById: FC<{
  readonly model: Choice;
  readonly path: string;
  readonly agent: string | null;
  readonly context: PageContext;
}> = ({ model, path, agent, context }) => (
  <details class="by-id">
    <summary>Compare by id</summary>
    <form method="get" action={path} class="fields">
      <RangeInputs query={context.query} />
      <Field name="agent_id" label="Agent" value={agent} />
      <Field name="baseline_root" label="A: root trace" value={model.baseline_root} />
      <Field name="candidate_root" label="B: root trace" value={model.candidate_root} />
      <button class="button" type="submit">
        Compare
      </button>
    </form>
  </details>
);

const Field: FC<{
  readonly name: string;
  readonly label: string;
  readonly value: string | null;
}> = ({ name, label, value }) => (
  <label>
    <span>{label}</span>
    <input class="field mono" name={name} value={value ?? ""} required autocomplete="off" />
  </label>
);
