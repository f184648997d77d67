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
import type { PageContext } from "../../http/page-context.ts";
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
export function learningPage(model: LearningModel, context: PageContext): Child {
  const { recommendations } = model;
  const isRanged = Object.keys(requestedRange(context.query)).length > 0;
  const open = recommendations.filter(({ state }) => state === "proposed" || state === "deferred");
  const closed = recommendations.filter(
    ({ state }) => state === "accepted" || state === "rejected",
  );
  return (
    <Page
      context={context}
      title="Learning"
      bar={<Narrow context={context} fields={["agent_id", "user_id"]} />}
    >
      <NarrowedBy context={context} />
      <Note>
        This page changes no running agent. Accepting a recommendation makes a draft experiment for
        people to carry out; no prompt, policy, tool or learned skill is ever edited.
      </Note>
      <Propose context={context} />
      {recommendations.length === 0 ? (
        <Empty
          title={isRanged ? "No recommendation of this range" : "No recommendation yet"}
          icon="learning"
        >
          <p>
            A recommendation is proposed from the insights of a window. Insights of an agent stand
            on its page: <a href={rangedHref(context, "/agents")}>Agents</a>
            <AllTime context={context} />
          </p>
        </Empty>
      ) : null}
      {recommendations.length === 0 ? null : (
        <ExportMenu path={hrefOf(context, "/learning")} query={context.query} />
      )}
      <List title="To decide" rows={open} context={context} />
      <List title="Decided" rows={closed} context={context} />
      {model.list_complete ? null : (
        <Note tone="warn">
          More recommendations are kept than are listed here; a file has all of them.
        </Note>
      )}
      <Experiments of={model.experiments} context={context} />
      <Candidates model={model} context={context} />
    </Page>
  );
}

const List: FC<{
  readonly title: string;
  readonly rows: LearningModel["recommendations"];
  readonly context: PageContext;
}> = ({ title, rows, context }) =>
  rows.length === 0 ? (
    <></>
  ) : (
    <Card title={title} icon="learning" flush end={countText(rows.length)}>
      <ul class="recommendations">
        {rows.map((row) => (
          <RecommendationItem row={row} context={context} />
        ))}
      </ul>
    </Card>
  );

/** Creates recommendations from the insights into an agent's newest turns. */
const Propose: FC<{ readonly context: PageContext }> = ({ context }) => {
  const { principal } = context;
  if (principal === undefined || context.readOnly || !permits(principal, "recommendation.review")) {
    return (
      <p class="muted">
        {context.readOnly
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
      action={hrefOf(context, "/traces/recommendations")}
    >
      {context.csrfToken === undefined ? null : (
        <input type="hidden" name="csrf_token" value={context.csrfToken} />
      )}
      <label>
        <span>Propose from the newest turns of</span>
        <input
          class="field mono"
          name="agent_id"
          required
          placeholder="agent"
          value={context.query.get("agent_id") ?? ""}
          autocomplete="off"
        />
      </label>
      <button class="button" type="submit">
        Propose
      </button>
    </form>
  );
};

const Experiments: FC<{
  readonly of: readonly DraftExperiment[];
  readonly context: PageContext;
}> = ({ of, context }) =>
  of.length === 0 ? (
    <></>
  ) : (
    <Card
      title="Draft experiments"
      icon="contract"
      flush
      end={
        <ListEnd context={context} path="/learning/experiments">
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

const Candidates: FC<{ readonly model: LearningModel; readonly context: PageContext }> = ({
  model,
  context,
}) => (
  <Card
    title="Candidates that agents report"
    icon="agents"
    flush
    end={<CandidatesEnd model={model} context={context} />}
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
const CandidatesEnd: FC<{ readonly model: LearningModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { candidates, event_count, window_complete } = model;
  const counted = `${countText(candidates.length)} in ${countText(event_count)} events`;
  const words = window_complete ? counted : `${counted}, bounded`;
  return candidates.length === 0 ? (
    <>{words}</>
  ) : (
    <ListEnd context={context} path="/learning/candidates" limited>
      {words}
    </ListEnd>
  );
};
