/** @module Alerts page: what fires first, then rules, past and targets. */
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { countText, durationText } from "../../ui/display/figures.ts";
import { requestedRange } from "../../ui/display/time-range.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import type { Tone } from "../../ui/elements/badge.tsx";
import { NotThere, Time } from "../../ui/elements/figure.tsx";
import { Hidden } from "../../ui/elements/hidden.tsx";
import { Card, Empty, Note, Table } from "../../ui/elements/panel.tsx";
import { Refusal } from "../../ui/elements/refusal.tsx";
import { StoreUnavailableNote } from "../../ui/groups/store-unavailable-note.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { RulesRefusedNote } from "../../ui/groups/rules-refused-note.tsx";
import { AllTime } from "../../ui/groups/narrow.tsx";
import { Page, hrefOf, rangedHref } from "../../ui/layout.tsx";
import type { EndedAlert, FiringAlert, RuleState, TargetState } from "./alert-lists.ts";
import type { AlertsModel } from "./route.ts";
import { Preview } from "./rule-preview.tsx";
import { manages, ruleGone, Silences } from "./silences.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

const tones: Readonly<Record<FiringAlert["severity"], Tone>> = {
  critical: "bad",
  warning: "warn",
  info: "quiet",
};

/** The alerts. */
export function alertsPage(model: AlertsModel, context: PageContext): Child {
  return (
    <Page context={context} title="Alerts" script="alerts">
      {model.running ? null : (
        <Note tone="warn">Alerts do not run in read-only mode: it writes nothing.</Note>
      )}
      <StoreUnavailableNote away={model.store_away} context={context}>
        <NotLooked at={model.looked_at} />
      </StoreUnavailableNote>
      <RulesRefusedNote refused={model.rules_refused} />
      <Firing model={model} context={context} />
      {model.rules.length === 0 ? (
        <Empty title="No rules" icon="warning">
          <p>
            Rules are in the file of <code>TURNPROOF_ALERT_RULES</code>. Try one below on past data.
          </p>
        </Empty>
      ) : (
        <Card
          title="Rules"
          icon="filter"
          flush
          end={
            <ListEnd context={context} path="/alerts/rules" unfiltered>
              {countText(model.rules.length)}
            </ListEnd>
          }
        >
          <Table
            stacks
            label="Rules"
            head={heads(["Rule", "Measures", "Fires", "Last", "State", "Past"])}
          >
            {model.rules.map((rule) => (
              <Rule of={rule} context={context} />
            ))}
          </Table>
        </Card>
      )}
      <Preview model={model} context={context} />
      <Silences model={model} context={context} />
      <Ended of={model.ended} context={context} />
      <Targets model={model} context={context} />
    </Page>
  );
}

/** Targets that its start was made for. */
function startedText({ started }: FiringAlert): string {
  if (started === null) return "unknown, an earlier version began it";
  return started.length === 0 ? "none" : started.join(", ");
}

/** From when the page is while the store is away. */
const NotLooked: FC<{ readonly at: string | null }> = ({ at }) =>
  at === null ? (
    <>The rules have not been evaluated yet, and no alert is sent.</>
  ) : (
    <>
      Since <Time at={at} form="daytime" /> the rules are not evaluated, and no alert is sent; this
      page shows the state at that time.
    </>
  );

const heads = (names: readonly string[]): Child => (
  <>
    {names.map((name) => (
      <th scope="col">{name}</th>
    ))}
  </>
);

const Firing: FC<{ readonly model: AlertsModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { firing, looked_at: at, rules, store_away: away } = model;
  if (firing.length === 0) {
    if (rules.length === 0) return <></>;
    if (away !== null) {
      return (
        <Empty title="Unknown whether an alert fires" icon="unknown">
          <p>
            {at === null
              ? "No evaluation has completed."
              : "No alert fired in the last evaluation."}
          </p>
        </Empty>
      );
    }
    return (
      <Empty title="No alert is firing" icon="success">
        {at === null ? (
          <p>The rules have not been evaluated yet.</p>
        ) : (
          <p>
            As of <Time at={at} form="daytime" />. A value that is not established raises no alarm.
          </p>
        )}
      </Empty>
    );
  }
  return (
    <Card
      title="Firing"
      icon="warning"
      end={<ListEnd context={context}>{countText(firing.length)}</ListEnd>}
    >
      <ul class="alerts">
        {firing.map((alert) => (
          <li>
            <p>
              <Badge tone={tones[alert.severity]} icon="warning" word={alert.severity} />{" "}
              <b>{alert.rule}</b> {alert.group === null ? null : <span>of {alert.group}</span>}{" "}
              {alert.silenced ? <Badge tone="quiet" icon="pause" word="silenced" /> : null}
            </p>
            <p>
              {alert.sentence}, since <Time at={alert.since} form="daytime" />
            </p>
            {model.targets.length === 0 ? null : (
              <p class="muted">Targets of its start: {startedText(alert)}</p>
            )}
            <p class="links">
              {alert.turns_query === null ? (
                <a href={hrefOf(context, "/traces/health#losses")}>Losses</a>
              ) : (
                <a href={hrefOf(context, `/traces${alert.turns_query}`)}>Its turns</a>
              )}
              {alert.roots.map((root) => (
                <a href={hrefOf(context, pageAddress("traces", root))}>{root.slice(0, 12)}</a>
              ))}
            </p>
            <Acts alert={alert} context={context} />
          </li>
        ))}
      </ul>
    </Card>
  );
};

const Acts: FC<{ readonly alert: FiringAlert; readonly context: PageContext }> = ({
  alert,
  context,
}) => {
  if (!manages(context)) return <></>;
  const named = alert.group === null ? alert.rule : `${alert.rule} of ${alert.group}`;
  const shared = { csrf_token: context.csrfToken };
  const group = alert.group ?? undefined;
  return (
    <div class="decide">
      <form
        method="post"
        action={hrefOf(context, "/alerts/silence")}
        class="decide"
        data-inline-problem
        data-gone={ruleGone}
      >
        <Hidden fields={{ ...shared, rule: alert.rule, group }} />
        {([1, 8, 24] as const).map((hours) => (
          <button class="button" name="hours" value={String(hours)} type="submit">
            Silence {hours} h<span class="sr"> {named}</span>
          </button>
        ))}
        <Refusal of={`silence-${alert.id}`} />
      </form>
      <form
        method="post"
        action={hrefOf(context, "/alerts/resolve")}
        data-inline-problem
        data-gone="The alert has ended. Load the page again."
      >
        <Hidden fields={{ ...shared, id: alert.id }} />
        <button class="button" type="submit">
          Resolve<span class="sr"> {named}</span>
        </button>
        <Refusal of={`resolve-${alert.id}`} />
      </form>
    </div>
  );
};

const Rule: FC<{ readonly of: RuleState; readonly context: PageContext }> = ({ of, context }) => (
  <tr>
    <th scope="row">{of.name}</th>
    <td data-head="Measures">
      {of.measures}
      {of.by === null ? null : `, by ${of.by}`}
      {of.where === null ? null : <code> {of.where}</code>}
    </td>
    <td data-head="Fires">
      {of.limit}
      {of.min_count > 1 ? `, from ${of.min_count}` : ""}
      {of.group_by === "rule" ? "; all groups in one message" : ""}
    </td>
    <td data-head="Last">{of.last ?? <NotThere why="The rule has not been evaluated yet." />}</td>
    <td data-head="State">
      {of.firing > 0 ? (
        <Badge tone={tones[of.severity]} icon="warning" word={`${of.firing} firing`} />
      ) : of.not_established > 0 ? (
        <Badge tone="quiet" icon="unknown" word={`${of.not_established} not established`} />
      ) : of.last === null ? (
        <NotThere why="The rule has not been evaluated yet." />
      ) : (
        <Badge tone="ok" icon="success" word="quiet" />
      )}
      {of.contract_state === "undefined" ? (
        <>
          {" "}
          <Badge tone="warn" icon="warning" word="its contract is not defined" />
        </>
      ) : null}
    </td>
    <td>
      <a href={`${rangedHref(context, `/alerts?rule=${encodeURIComponent(of.name)}`)}#preview`}>
        Preview<span class="sr"> {of.name}</span>
      </a>
    </td>
  </tr>
);

const reasons: Readonly<Record<EndedAlert["reason"], string>> = {
  value: "within its limit again",
  not_established: "no evidence for a whole window",
  operator: "resolved by an operator",
  rule_removed: "its rule was removed",
};

const Ended: FC<{ readonly of: readonly EndedAlert[]; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const isRanged = Object.keys(requestedRange(context.query)).length > 0;
  if (of.length === 0 && !isRanged) return <></>;
  if (of.length === 0) {
    return (
      <Card title="History" icon="clock">
        <p class="muted">
          No ended alert fired in this range.
          <AllTime context={context} />
        </p>
      </Card>
    );
  }
  return (
    <Card
      title="History"
      icon="clock"
      flush
      end={<ListEnd context={context}>{countText(of.length)}</ListEnd>}
    >
      <Table
        stacks
        label="Ended alerts"
        head={heads(["Rule", "Group", "Began", "Lasted", "Ended", "Value", "Turn"])}
      >
        {of.map((alert) => (
          <tr>
            <th scope="row">{alert.rule}</th>
            <td data-head="Group">{alert.group ?? "all"}</td>
            <td data-head="Began">
              <Time at={alert.since} form="daytime" />
            </td>
            <td data-head="Lasted">
              {durationText(Math.max(0, Date.parse(alert.ended) - Date.parse(alert.since)))}
            </td>
            <td data-head="Ended">{reasons[alert.reason]}</td>
            <td data-head="Value">{alert.value_text}</td>
            <td data-head="Turn">
              {alert.roots.slice(0, 1).map((root) => (
                <a href={hrefOf(context, pageAddress("traces", root))}>{root.slice(0, 12)}</a>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    </Card>
  );
};

const Targets: FC<{ readonly model: AlertsModel; readonly context: PageContext }> = ({
  model: { targets, given_up },
  context,
}) => (
  <Card
    title="Targets"
    icon="delivery"
    flush
    end={
      targets.length === 0 ? (
        countText(0)
      ) : (
        <ListEnd context={context} path="/alerts/targets" unfiltered>
          {countText(targets.length)}
        </ListEnd>
      )
    }
  >
    {targets.length === 0 ? (
      <p class="padded muted">
        None: alerts show here only. <code>TURNPROOF_ALERT_TARGETS</code> names where they are sent.
      </p>
    ) : (
      <Table label="Targets" head={heads(["Target", "Kind", "Messages"])}>
        {targets.map((target) => (
          <tr>
            <th scope="row">{target.name}</th>
            <td>{target.kind}</td>
            <td>
              <Waiting of={target} />
            </td>
          </tr>
        ))}
      </Table>
    )}
    {given_up > 0 ? <Note tone="bad">{countText(given_up)} messages were given up.</Note> : null}
  </Card>
);

const failedText = (attempts: number, status: number | null): string =>
  `, ${attempts} failed ${attempts === 1 ? "attempt" : "attempts"}, last ${
    status === null ? "without an answer" : `answered ${status}`
  }`;

const Waiting: FC<{ readonly of: TargetState }> = ({ of: { waiting, attempts, status, state } }) =>
  state === "disabled" ? (
    <Badge tone="bad" icon="failed" word="disabled: it answered 410" />
  ) : waiting === 0 ? (
    <Badge tone="ok" icon="success" word="all taken" />
  ) : (
    <Badge
      tone={attempts > 0 ? "bad" : "quiet"}
      icon="clock"
      word={`${countText(waiting)} waiting${attempts > 0 ? failedText(attempts, status) : ""}`}
    />
  );
