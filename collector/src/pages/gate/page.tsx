/**
 * @module Gate page: the outcome, what the number of turns can show, both sides of each contract
 * and measure, and the turns behind each cell.
 */
import {
  chance,
  changeTexts,
  intervalTexts,
  notAppliedName,
  notRecordedTexts,
  pairingTexts,
  passTexts,
  planLines,
  sideTexts,
} from "@turnproof/contracts";
import type { ContractComparison, GateReport } from "@turnproof/contracts";
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { countText } from "../../ui/display/figures.ts";
import { unclearReason } from "../../ui/display/filter-terms.ts";
import { pendingText } from "../../ui/display/window-texts.ts";
import { Card, Empty, Note } from "../../ui/elements/panel.tsx";
import { StoreUnavailableNote } from "../../ui/groups/store-unavailable-note.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { CompareTabs } from "../../ui/groups/compare-tabs.tsx";
import { Page } from "../../ui/layout.tsx";
import { Cell } from "./cells.tsx";
import { GateBadge } from "./gate-badge.tsx";
import { Measures } from "./measures-card.tsx";
import { sideNames, sides } from "./names.ts";
import { Reach, Sides } from "./sides-form.tsx";
import { unclearTexts } from "./terms.ts";
import type { GateAnswer, GateTurn } from "./answer.ts";
import type { GateModel } from "./route.ts";

/** The comparison. */
export function gatePage(model: GateModel, context: PageContext): Child {
  const { answer, read } = model;
  const pending = pendingText(model.pending_frames);
  const unclear = unclearTexts(model);
  return (
    <Page context={context} title="Gate" bar={<CompareTabs context={context} here="gate" />}>
      <p class="lead">
        Whether a candidate is worse than a baseline, by contracts and measures. Where neither can
        be shown, the answer is that there is not enough evidence.
      </p>
      <StoreUnavailableNote away={model.store_away} context={context}>
        No side can be read, so nothing is compared until it answers.
      </StoreUnavailableNote>
      <Sides model={model} context={context} />
      <Reach model={model} />
      {pending === undefined ? null : <Note tone="warn">{pending}</Note>}
      {answer !== null ? (
        <Answer answer={answer} model={model} context={context} />
      ) : unclear.length + model.unknown_required.length > 0 ? (
        <Note tone="bad">
          Nothing is compared, because not every word is understood:
          <ul>
            {unclear.map(({ side, word }) => (
              <li>
                {sideNames[side]}: <mark>{word}</mark>{" "}
                <span class="muted">{unclearReason(word)}</span>
              </li>
            ))}
            {model.unknown_required.map((name) => (
              <li>
                Must be decided: <mark>{name}</mark>{" "}
                <span class="muted">is no measure and no contract of the collector</span>
              </li>
            ))}
          </ul>
        </Note>
      ) : model.store_away !== null ? null : read === null ? (
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

/** The outcome in a sentence, with what decides it. */
function outcomeSentence(report: GateReport, required: readonly string[]): string {
  const { outcome, contracts, measures, notApplied, notRecorded } = report;
  if (outcome === "no_regression") return "No contract and no measure is worse than is allowed.";
  const absent = notRecorded.filter((name) => required.includes(name));
  const names = [...contracts, ...measures.filter(({ decides }) => decides)]
    .filter((one) => one.outcome === outcome)
    .map(({ name }) => name)
    .concat(outcome === "not_enough_evidence" ? [...notApplied, ...absent] : [])
    .join(", ");
  return outcome === "regressed"
    ? `The candidate is worse, beyond the chance of a false alarm: ${names}.`
    : `Neither a regression nor its absence is shown: ${names}.`;
}

const Answer: FC<{
  readonly answer: GateAnswer;
  readonly model: GateModel;
  readonly context: PageContext;
}> = ({ answer, model, context }) => {
  const { report, plans, bounded } = answer;
  const absent = notRecordedTexts(report);
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
          <ListEnd context={context} limited>
            <GateBadge outcome={report.outcome} />
          </ListEnd>
        }
      >
        <p>{outcomeSentence(report, model.required)}</p>
        {report.warnings.map((one) => (
          <Note tone="warn">{one}</Note>
        ))}
        <p class="muted">{intervalTexts(report)}</p>
        {absent === undefined ? null : <p class="muted">{absent}</p>}
      </Card>
      {report.contracts.every(({ passK }) => passK.baseline.k === 1) ? null : (
        <Note>
          All of k turns, or pass^k: the chance that k turns of a case, drawn at random, all satisfy
          the contract, averaged over the cases.
        </Note>
      )}
      {report.contracts.map((one) => (
        <Contract of={one} turns={answer.turns} context={context} />
      ))}
      {report.notApplied.map((name) => (
        <Card
          title={`Contract ${name}`}
          icon="mark"
          end={<GateBadge outcome="not_enough_evidence" />}
        >
          <p>{notAppliedName(name)}.</p>
        </Card>
      ))}
      {report.measures.length === 0 ? null : (
        <Measures of={report.measures} values={answer.values} model={model} context={context} />
      )}
    </>
  );
};

const Contract: FC<{
  readonly of: ContractComparison;
  readonly turns: readonly GateTurn[];
  readonly context: PageContext;
}> = ({ of, turns, context }) => (
  <Card title={`Contract ${of.name}`} icon="mark" end={<GateBadge outcome={of.outcome} />}>
    <div class="gate-pair">
      {sides.map((side) => (
        <section aria-label={`${sideNames[side]}, ${of.name}`}>
          <h3>{sideNames[side]}</h3>
          <p>Holds: {sideTexts(of[side])}</p>
          {of.passK[side].k === 1 ? null : <p class="muted">{passTexts(of.passK[side])}</p>}
          <Cell
            turns={turns.filter((turn) => turn.side === side && turn.contract === of.name)}
            context={context}
          />
        </section>
      ))}
    </div>
    <p class="muted">
      Change {changeTexts(of)}; p {chance(of.adjustedP)} after correction; {pairingTexts(of)}.
    </p>
  </Card>
);
