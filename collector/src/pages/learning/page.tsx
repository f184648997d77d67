/**
 * @module Learning page: recommendations from evidence, people's decisions on them, the resulting
 * draft experiments, and the candidates that agents report. Nothing here changes anything that
 * runs, and the page states that.
 */
import type { DraftExperiment } from "@turnproof/evidence";
import type { Child, FC } from "hono/jsx";

import { permits } from "../../access/principal.ts";
import { countText, wordsOf } from "../../ui/display/figures.ts";
import { requestedRange } from "../../ui/display/time-range.ts";
import type { Frame } from "../../http/frame.ts";
import type { LearningModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Id } from "../../ui/elements/figure.tsx";
import { Card, Empty, Heads, Note, Table } from "../../ui/elements/panel.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { AllTime, Narrow, NarrowedBy } from "../../ui/groups/narrow.tsx";
import { ExportMenu } from "../../ui/elements/export-menu.tsx";
import { Page, hrefOf, rangedHref } from "../../ui/layout.tsx";
import { RecommendationItem } from "./recommendation.tsx";

/** The page. */
export function learningPage(model: LearningModel, frame: Frame): Child {
  const { recommendations } = model;
  const isRanged = Object.keys(requestedRange(frame.query)).length > 0;
  const open = recommendations.filter(({ state }) => state === "proposed" || state === "deferred");
  const closed = recommendations.filter(
    ({ state }) => state === "accepted" || state === "rejected",
  );
  return (
    <Page
      frame={frame}
      title="Learning"
      bar={<Narrow frame={frame} fields={["agent_id", "user_id"]} />}
    >
      <NarrowedBy frame={frame} />
      <Note>
        This page changes no running agent. Accepting a recommendation makes a draft experiment for
        people to carry out; no prompt, policy, tool or learned skill is ever edited.
      </Note>
      <Propose frame={frame} />
      {recommendations.length === 0 ? (
        <Empty
          title={isRanged ? "No recommendation of this range" : "No recommendation yet"}
          icon="learning"
        >
          <p>
            A recommendation is proposed from the insights of a window. Insights of an agent stand
            on its page: <a href={rangedHref(frame, "/agents")}>Agents</a>
            <AllTime frame={frame} />
          </p>
        </Empty>
      ) : null}
      {recommendations.length === 0 ? null : (
        <ExportMenu path={hrefOf(frame, "/learning")} query={frame.query} />
      )}
      <List title="To decide" rows={open} frame={frame} />
      <List title="Decided" rows={closed} frame={frame} />
      {model.list_complete ? null : (
        <Note tone="warn">
          More recommendations are kept than are listed here; a file has all of them.
        </Note>
      )}
      <Experiments of={model.experiments} frame={frame} />
      <Candidates model={model} frame={frame} />
    </Page>
  );
}

const List: FC<{
  readonly title: string;
  readonly rows: LearningModel["recommendations"];
  readonly frame: Frame;
}> = ({ title, rows, frame }) =>
  rows.length === 0 ? (
    <></>
  ) : (
    <Card title={title} icon="learning" flush end={countText(rows.length)}>
      <ul class="recommendations">
        {rows.map((row) => (
          <RecommendationItem row={row} frame={frame} />
        ))}
      </ul>
    </Card>
  );

/** Creates recommendations from the insights into an agent's newest turns. */
const Propose: FC<{ readonly frame: Frame }> = ({ frame }) => {
  const { principal } = frame;
  if (principal === undefined || frame.readOnly || !permits(principal, "recommendation.review")) {
    return (
      <p class="muted">
        {frame.readOnly
          ? "This collector is read-only: recommendations can be read, and not decided on."
          : "Proposing and deciding need the permission recommendation.review."}
      </p>
    );
  }
  return (
    <form
      class="propose"
      aria-label="Propose from evidence"
      method="post"
      action={hrefOf(frame, "/traces/recommendations")}
    >
      {frame.csrfToken === undefined ? null : (
        <input type="hidden" name="csrf_token" value={frame.csrfToken} />
      )}
      <label>
        <span>Propose from the newest turns of</span>
        <input
          class="field mono"
          name="agent_id"
          required
          placeholder="agent"
          value={frame.query.get("agent_id") ?? ""}
          autocomplete="off"
        />
      </label>
      <button class="button" type="submit">
        Propose
      </button>
    </form>
  );
};

const Experiments: FC<{ readonly of: readonly DraftExperiment[]; readonly frame: Frame }> = ({
  of,
  frame,
}) =>
  of.length === 0 ? (
    <></>
  ) : (
    <Card
      title="Draft experiments"
      icon="contract"
      flush
      end={
        <ListEnd frame={frame} path="/learning/experiments">
          {countText(of.length)}
        </ListEnd>
      }
    >
      <ul class="recommendations">
        {of.map((draft) => (
          <li id={draft.experiment_id}>
            <div class="recommendation-head">
              <Badge
                tone="quiet"
                icon="unjudged"
                word="draft"
                title="It is not run automatically; an operator carries it out."
              />
              <b>{draft.hypothesis}</b>
              <span class="muted">{draft.component}</span>
            </div>
            <ol class="plan">
              {draft.evaluation_plan.map((step) => (
                <li>{step}</li>
              ))}
            </ol>
            <p class="muted">
              from <Id of={draft.recommendation_id} chars={28} />, revision {draft.revision}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );

const Candidates: FC<{ readonly model: LearningModel; readonly frame: Frame }> = ({
  model,
  frame,
}) => (
  <Card
    title="Candidates that agents report"
    icon="agents"
    flush
    end={<CandidatesEnd model={model} frame={frame} />}
  >
    {model.candidates.length === 0 ? (
      <p class="muted padded">No learning event in this window.</p>
    ) : (
      <Table
        label="Learning candidates"
        head={<Heads texts={["Candidate", "Latest event", "State"]} figures={["Events"]} />}
      >
        {model.candidates.map((candidate) => (
          <tr>
            <td>
              <Id of={candidate.candidate_ref} chars={36} />
            </td>
            <td>{wordsOf(candidate.learning_event ?? "not recorded")}</td>
            <td>{wordsOf(candidate.lifecycle_state ?? "not recorded")}</td>
            <td class="num">{countText(candidate.event_ids.length)}</td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
);

/** How many of how much was read; a file only where there is a candidate. */
const CandidatesEnd: FC<{ readonly model: LearningModel; readonly frame: Frame }> = ({
  model,
  frame,
}) => {
  const { candidates, event_count, window_complete } = model;
  const counted = `${countText(candidates.length)} in ${countText(event_count)} events`;
  const words = window_complete ? counted : `${counted}, bounded`;
  return candidates.length === 0 ? (
    <>{words}</>
  ) : (
    <ListEnd frame={frame} path="/learning/candidates" limited>
      {words}
    </ListEnd>
  );
};
