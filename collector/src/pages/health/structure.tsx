/**
 * @module Structure: broken links in the evidence, missing identity, and what could not be read.
 */
import type { Child, FC } from "hono/jsx";

import { countText, shareText, wordsOf } from "../../ui/display/figures.ts";
import { nothingRead, nothingReceived, ranked } from "./health-figures.ts";
import type { HealthModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { NotThere, Unknown } from "../../ui/elements/figure.tsx";
import { Card, Fact, Facts } from "../../ui/elements/panel.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { IconName } from "../../ui/icons.tsx";

const unreadWhy = "No evidence could be read.";

/** Orphans, causes, cycles, clocks. */
export const StructureCard: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const rows: readonly (readonly [string, IconName, number, string])[] = [
    ["orphan spans", "orphan", model.orphan_spans, "Their parent is not in the trace."],
    [
      "parents not read",
      "orphan",
      model.parents_beyond_window,
      "Their trace is not read whole, so that their parent may lie outside of what was read.",
    ],
    [
      "missing causes",
      "link",
      model.missing_causes,
      "They name a causing event that is not there.",
    ],
    ["cycles", "cycle", model.cycles, "Parent links form a cycle."],
    ["never ended", "running", model.missing_completions, "Started, no end received."],
    ["duration unknown", "unknown", model.unknown_durations, "Shown hatched, never as zero."],
    ["skewed clocks", "clock", model.clock_skewed, "Their time and our receipt disagree."],
  ];
  if (nothingRead(model)) {
    return (
      <Card title="Structure" id="structure" icon="path">
        <p class="muted">Unknown: no evidence could be read.</p>
      </Card>
    );
  }
  return (
    <Card title="Structure" id="structure" icon="path">
      <dl class="signs">
        {rows.map(([name, icon, count, why]) => (
          <div class={count === 0 ? "none" : ""} title={why}>
            <dt>
              <Icon name={icon} /> {name}
            </dt>
            <dd class="num">{countText(count)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
};

/** Identity fields that turns lack, and the three axes of coverage. */
export const IdentityCard: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const { coverage } = model;
  const none = nothingReceived(model);
  const unread = nothingRead(model);
  return (
    <Card title="Identity and coverage" id="identity" icon="person">
      <Facts>
        <Fact name="missing identity">
          {none ? (
            <NotThere why="nothing received" />
          ) : unread ? (
            <Unknown why={unreadWhy} />
          ) : (
            <MissingIdentity model={model} />
          )}
        </Fact>
        <Fact name="derived identity">
          {unread ? <Unknown why={unreadWhy} /> : `${countText(model.derived_identities)} events`}
        </Fact>
        <Fact name="read">{axis(coverage.read_completeness)}</Fact>
        <Fact name="instrumentation">
          {none ? <NotThere why="nothing received" /> : axis(coverage.instrumentation)}
        </Fact>
        <Fact name="outcomes">
          {none ? <NotThere why="nothing received" /> : axis(coverage.outcome_verification)}
        </Fact>
        <Fact name="missing stages">
          {unread ? <Unknown why={unreadWhy} /> : <MissingStages model={model} />}
        </Fact>
      </Facts>
    </Card>
  );
};

const MissingIdentity: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const missing = ranked(model.missing_identities);
  if (missing.length === 0) return <>every event of a turn has all of it</>;
  return (
    <span class="reasons">
      {missing.map(([field, count]): Child => (
        <span class="reason" title={`${shareText(count, model.normalized_events)} of events`}>
          {wordsOf(field)} <b>{countText(count)}</b>
        </span>
      ))}
    </span>
  );
};

const MissingStages: FC<{ readonly model: HealthModel }> = ({ model: { missing_stages } }) =>
  missing_stages.length === 0 ? (
    <span class="muted">no declared profile lacks a stage</span>
  ) : (
    <>
      {missing_stages.map((stage) => (
        <code>{stage} </code>
      ))}
    </>
  );

function axis(value: string): Child {
  const whole = value === "complete" || value === "recorded";
  return (
    <Badge
      tone={whole ? "ok" : value === "unknown" ? "quiet" : "warn"}
      icon={whole ? "success" : value === "unknown" ? "unknown" : "partial"}
      word={value}
    />
  );
}

/** What could not be read or queried. */
export const FailuresCard: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const failures = ranked(model.failures_by_code);
  return (
    <Card
      title="Failures to read"
      id="failures"
      icon="warning"
      end={`${countText(model.query_failures)} of queries`}
    >
      {failures.length === 0 ? (
        <p class="muted">Every record in this window could be read, and every query answered.</p>
      ) : (
        <div class="reasons">
          {failures.map(([code, count]) => (
            <span class="reason">
              {wordsOf(code)} <b>{countText(count)}</b>
            </span>
          ))}
        </div>
      )}
    </Card>
  );
};
