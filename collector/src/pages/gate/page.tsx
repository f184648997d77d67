/**
 * @module Gate page: the outcome, what the number of turns can show, both sides of each contract
 * and measure, and the turns behind each cell.
 */
import {
  chance,
  changeWords,
  measureName,
  medianWords,
  notRecordedWords,
  outcomeWords,
  pairingWords,
  passWords,
  planLines,
  sideWords,
} from "@turnproof/contracts";
import type { ContractComparison, GateOutcome, GateReport } from "@turnproof/contracts";
import type { Child, FC } from "hono/jsx";

import type { Frame } from "../../http/frame.ts";
import { countText, wordsOf } from "../../ui/display/figures.ts";
import { unclearReason } from "../../ui/display/filter-terms.ts";
import { pendingText } from "../../ui/display/window-words.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Card, Empty, Heads, Note, Table } from "../../ui/elements/panel.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { CompareTabs } from "../../ui/groups/compare-tabs.tsx";
import { Page, hrefOf } from "../../ui/layout.tsx";
import { unclearWords } from "./terms.ts";
import type { GateAnswer, GateModel, GateTurn } from "./route.ts";

const sides = ["baseline", "candidate"] as const;
const sideNames = { baseline: "Baseline", candidate: "Candidate" } as const;

/** The comparison. */
export function gatePage(model: GateModel, frame: Frame): Child {
  const { answer, read } = model;
  const pending = pendingText(model.pending_frames);
  const unclear = unclearWords(model);
  return (
    <Page frame={frame} title="Gate" bar={<CompareTabs frame={frame} here="gate" />}>
      <p class="lead">
        Whether a candidate is worse than a baseline, by contracts and measures. Where neither can
        be shown, the answer is that there is not enough evidence.
      </p>
      <Sides model={model} frame={frame} />
      {pending === undefined ? null : <Note tone="warn">{pending}</Note>}
      {answer !== null ? (
        <Answer answer={answer} model={model} frame={frame} />
      ) : unclear.length > 0 ? (
        <Note tone="bad">
          Nothing is compared, because not every word is understood:
          <ul>
            {unclear.map(({ side, word }) => (
              <li>
                {sideNames[side]}: <mark>{word}</mark>{" "}
                <span class="muted">{unclearReason(word)}</span>
              </li>
            ))}
          </ul>
        </Note>
      ) : read === null ? (
        <Empty title="Two sides are compared" icon="compare">
          <p>
            Name both by terms of the filter bar, such as <code>release:3.2</code> and{" "}
            <code>release:3.3</code>. <code>turnproof gate</code> does the same in a pipeline.
          </p>
        </Empty>
      ) : (
        <Empty title="A side has no turn" icon="compare">
          <p>
            Read: {countText(read.baseline)} turns of the baseline, {countText(read.candidate)} of
            the candidate.
          </p>
        </Empty>
      )}
    </Page>
  );
}

const Sides: FC<{ readonly model: GateModel; readonly frame: Frame }> = ({ model, frame }) => (
  <form
    class="fields gate-sides"
    method="get"
    action={hrefOf(frame, "/traces/compare/gate")}
    aria-label="Sides"
  >
    {sides.map((name) => (
      <label>
        <span>{sideNames[name]}</span>
        <input
          class="field mono"
          name={name}
          value={model[name] ?? ""}
          placeholder={name === "baseline" ? "release:3.2" : "release:3.3"}
          autocomplete="off"
          spellcheck={false}
        />
      </label>
    ))}
    <button class="button primary" type="submit">
      Compare
    </button>
  </form>
);

const looks = {
  regressed: ["bad", "failed"],
  no_regression: ["ok", "success"],
  not_enough_evidence: ["quiet", "unknown"],
} as const;

const GateBadge: FC<{ readonly outcome: GateOutcome }> = ({ outcome }) => {
  const [tone, icon] = looks[outcome];
  return <Badge tone={tone} icon={icon} word={outcomeWords[outcome]} />;
};

/** The outcome in a sentence, with what decides it. */
function outcomeSentence({ outcome, contracts, measures }: GateReport): string {
  if (outcome === "no_regression") return "No contract and no measure is worse than is allowed.";
  const names = [...contracts, ...measures]
    .filter((one) => one.outcome === outcome)
    .map(({ name }) => name)
    .join(", ");
  return outcome === "regressed"
    ? `The candidate is worse, beyond the chance of a false alarm: ${names}.`
    : `Neither a regression nor its absence is shown: ${names}.`;
}

const Answer: FC<{
  readonly answer: GateAnswer;
  readonly model: GateModel;
  readonly frame: Frame;
}> = ({ answer, model, frame }) => {
  const { report, plans, bounded } = answer;
  const absent = notRecordedWords(report);
  return (
    <>
      {bounded.length === 0 ? null : (
        <Note>More turns of the {bounded.join(" and the ")} match; these are the newest.</Note>
      )}
      <Card title="What can be shown" icon="info">
        <p class="muted">
          By the number of turns that have a result or a value, and what the baseline shows, worked
          out before the answer:
        </p>
        <ul>
          {planLines(plans).map(([name, words]) => (
            <li>
              <b>{name}</b>: {words}
            </li>
          ))}
        </ul>
      </Card>
      <Card
        title="Outcome"
        icon="outcome"
        end={
          <ListEnd frame={frame}>
            <GateBadge outcome={report.outcome} />
          </ListEnd>
        }
      >
        <p>{outcomeSentence(report)}</p>
        {report.warnings.map((one) => (
          <Note tone="warn">{one}</Note>
        ))}
        {absent === undefined ? null : <p class="muted">{absent}</p>}
      </Card>
      {report.contracts.every(({ passK }) => passK.baseline.k === 1) ? null : (
        <Note>
          All of k turns, or pass^k: the chance that k turns of a case, drawn at random, all satisfy
          the contract, averaged over the cases.
        </Note>
      )}
      {report.contracts.map((one) => (
        <Contract of={one} turns={answer.turns} frame={frame} />
      ))}
      {report.measures.length === 0 ? null : (
        <Measures of={report.measures} model={model} frame={frame} />
      )}
    </>
  );
};

const results = ["violated", "not_established", "holds"] as const;
/** Turns that a cell names; the others are in the JSON. */
const shownMax = 12;

const Contract: FC<{
  readonly of: ContractComparison;
  readonly turns: readonly GateTurn[];
  readonly frame: Frame;
}> = ({ of, turns, frame }) => (
  <Card title={`Contract ${of.name}`} icon="mark" end={<GateBadge outcome={of.outcome} />}>
    <div class="gate-pair">
      {sides.map((side) => (
        <section aria-label={`${sideNames[side]}, ${of.name}`}>
          <h3>{sideNames[side]}</h3>
          <p>Holds: {sideWords(of[side])}</p>
          {of.passK[side].k === 1 ? null : <p class="muted">{passWords(of.passK[side])}</p>}
          <Cell
            turns={turns.filter((turn) => turn.side === side && turn.contract === of.name)}
            frame={frame}
          />
        </section>
      ))}
    </div>
    <p class="muted">
      Change {changeWords(of)}; p {chance(of.adjustedP)} after correction; {pairingWords(of)}.
    </p>
  </Card>
);

/** The turns of a side by their result. */
const Cell: FC<{ readonly turns: readonly GateTurn[]; readonly frame: Frame }> = ({
  turns,
  frame,
}) => (
  <>
    {results.map((result) => {
      const own = turns.filter((turn) => turn.result === result);
      return own.length === 0 ? null : (
        <details class="gate-cell" open={result === "violated"}>
          <summary>{countedResult(own.length, result)}</summary>
          <ul class="gate-turns">
            {own.slice(0, shownMax).map(({ root_trace_id: root, turn_id: turn }) => (
              <li>
                <a href={hrefOf(frame, turnPath(root, turn))}>
                  <code>{(turn ?? root ?? "").slice(0, 16)}</code>
                </a>
              </li>
            ))}
          </ul>
          {own.length > shownMax ? (
            <p class="muted">
              and {countText(own.length - shownMax)} more{" "}
              {frame.jsonHref === undefined ? (
                "in the JSON"
              ) : (
                <a href={frame.jsonHref}>in the JSON</a>
              )}
            </p>
          ) : null}
        </details>
      );
    })}
  </>
);

function countedResult(turns: number, result: GateTurn["result"]): string {
  if (result === "holds") return turns === 1 ? "1 holds" : `${countText(turns)} hold`;
  return `${countText(turns)} ${wordsOf(result)}`;
}

function turnPath(root: string | null, turn: string | null): string {
  const query = turn === null ? "" : `?${new URLSearchParams({ turn_id: turn }).toString()}`;
  return `/traces/${encodeURIComponent(root ?? "")}${query}`;
}

/** Fields by which the list of turns has those of most first. */
const orders: Readonly<Record<string, string>> = {
  duration: "duration_ms",
  tokens: "total_tokens",
};

/** The turns of a side, those of the largest values first. */
function turnsHref(terms: string, measure: string): string {
  const sort = orders[measure];
  const order: Record<string, string> = sort === undefined ? {} : { sort };
  return `/traces?${new URLSearchParams({ q: terms, ...order }).toString()}`;
}

const Measures: FC<{
  readonly of: GateAnswer["report"]["measures"];
  readonly model: GateModel;
  readonly frame: Frame;
}> = ({ of, model, frame }) => (
  <Card title="Measures" icon="clock" flush>
    <Table
      stacks
      label="Measures"
      head={
        <Heads
          texts={["Measure", "Outcome", "Baseline, median", "Candidate, median"]}
          figures={["p"]}
        />
      }
    >
      {of.map((one) => (
        <tr>
          <td>
            {measureName(one)}
            <br />
            <span class="muted">{pairingWords(one)}</span>
          </td>
          <td>
            <GateBadge outcome={one.outcome} />
          </td>
          {sides.map((side) => (
            <td data-head={`${sideNames[side]}, median`}>
              <a href={hrefOf(frame, turnsHref(model[side] ?? "", one.name))}>
                {medianWords(one[side])}
              </a>
            </td>
          ))}
          <td data-head="p" class="num">
            {chance(one.adjustedP)}
          </td>
        </tr>
      ))}
    </Table>
  </Card>
);
