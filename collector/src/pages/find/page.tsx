/**
 * @module Find page: one box accepts any opaque id, or parts of a name or an id; the evidence
 * determines what it is; the search covers the whole history, page by page.
 */
import type { Child, FC } from "hono/jsx";

import { countText, countedText } from "../../ui/display/figures.ts";
import { fieldTexts, idKinds, withArticle } from "./id-texts.ts";
import { findingPriority, reasonText } from "../../ui/display/kind-texts.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { FoundRoot } from "./found-roots.ts";
import type { FindModel } from "./route.ts";
import { Badge, VerdictBadge } from "../../ui/elements/badge.tsx";
import { Id, NotThere, Time, Unknown } from "../../ui/elements/figure.tsx";
import { Card, Empty, Table } from "../../ui/elements/panel.tsx";
import { RangeInputs } from "../../ui/elements/range-picker.tsx";
import { Places, SearchedBadge } from "./find-places.tsx";
import { Icon } from "../../ui/icons.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { IncidentTabs } from "../../ui/groups/incident-tabs.tsx";
import { NamedCard } from "./named-card.tsx";
import { Page, hrefOf, hrefWith, rangedHref } from "../../ui/layout.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

/** The finder. */
export function findPage(model: FindModel, context: PageContext): Child {
  return (
    <Page context={context} title="Find" script="find">
      <IncidentTabs context={context} here="find" />
      <FindBox context={context} />
      <NamedCard of={model} context={context} />
      <NotCompared kinds={model.not_compared} />
      {model.requested ? <Found model={model} context={context} /> : <Hints context={context} />}
    </Page>
  );
}

/** Kinds with too many values for a comparison in part. */
const NotCompared: FC<{ readonly kinds: readonly string[] }> = ({ kinds }) =>
  kinds.length === 0 ? (
    <></>
  ) : (
    <p class="muted padded">
      Not every value was compared in part, because too many have a piece of this text:{" "}
      {kinds.join(", ")}. Compared are the 20,000 most frequent ids of a kind, and 1,000 names. A
      longer text finds the others, and a whole id is found in any number.
    </p>
  );

const FindBox: FC<{ readonly context: PageContext }> = ({ context }) => {
  const may = context.principal === undefined ? false : canResolve(context);
  return (
    <form
      class="find"
      method="get"
      action={hrefOf(context, "/traces/find")}
      role="search"
      aria-label="Find by id or name"
      data-find
      data-resolve={may ? hrefOf(context, "/traces/account/resolve") : undefined}
    >
      {context.csrfToken === undefined ? null : (
        <input type="hidden" value={context.csrfToken} data-csrf />
      )}
      <label class="find-id">
        <span>Any id, or parts of a name or id</span>
        <span class="find-box">
          <Icon name="find" />
          <input
            class="field mono"
            name="id"
            value={context.query.get("id") ?? ""}
            placeholder="user, thread, root, job, source, event or error id; or words of a name"
            maxlength={240}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            data-search
          />
        </span>
      </label>
      {context.principal?.userId === undefined ? <TenantField context={context} /> : null}
      <RangeInputs query={context.query} />
      <button class="button primary" type="submit">
        Find
      </button>
      <p class="find-note" role="status" data-find-note hidden></p>
    </form>
  );
};

/** For a principal without a tenant: rows of memory are separated by tenant. */
const TenantField: FC<{ readonly context: PageContext }> = ({ context }) => (
  <label class="find-tenant">
    <span>Tenant, if known</span>
    <input
      class="field mono"
      name="user_id"
      value={context.query.get("user_id") ?? ""}
      maxlength={240}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
    />
  </label>
);

function canResolve(context: PageContext): boolean {
  const role = context.principal?.role;
  return role === "operator" || role === "admin";
}

const examples: readonly (readonly [string, string])[] = [
  ["a thread", "what a customer's conversation went through"],
  ["a user", "everything of one tenant that you may read"],
  ["a job or task", "turns of that task"],
  ["a source or artifact", "turns that used it as a source or produced it"],
  ["a root, run, turn, span or event", "from a log line to its evidence"],
  ["an error type", "other turns that failed with it"],
  [
    "parts of a name",
    "agents, applications, tools, models, releases, producers and findings with each of the words",
  ],
  [
    "a part of an id",
    "threads, tenants, roots, turns, runs, tasks, memories and sources; spans, events and errors " +
      "are found by their whole id",
  ],
];

const Hints: FC<{ readonly context: PageContext }> = ({ context }) => (
  <Empty title="Paste the id you have, or type a name" icon="find">
    <p>
      The whole history is searched for it, within what you may read. What kind of id it is shows by
      itself.
    </p>
    <dl class="hints">
      {examples.map(([what, why]) => (
        <div>
          <dt>{what}</dt>
          <dd class="muted">{why}</dd>
        </div>
      ))}
    </dl>
    <p class="muted">
      An e-mail address is no id and is never searched for
      {canResolve(context)
        ? "; typed here, your host's directory resolves it, and only the opaque id is used."
        : ". Resolving one needs the permission account.resolve."}
    </p>
  </Empty>
);

const NotFound: FC<{ readonly model: FindModel; readonly context: PageContext }> = ({
  model,
  context,
}) => (
  <Empty title="No evidence names this id" icon="find">
    <p>
      {model.window_complete
        ? "The whole history that you may read was searched. "
        : "Not everything that you may read was searched. "}
      Check the id, widen the times, or contact an operator with a wider scope.
    </p>
    <Places model={model} context={context} />
    {context.query.has("cursor") ? (
      <a class="button" href={hrefWith(context, { cursor: null })}>
        From the start
      </a>
    ) : null}
  </Empty>
);

/** No id, but names have the text. */
const NoId: FC<{ readonly model: FindModel; readonly context: PageContext }> = ({
  model,
  context,
}) => (
  <Card title="No evidence with this id" icon="info">
    <Places model={model} context={context} />
  </Card>
);

const Found: FC<{ readonly model: FindModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const kinds = idKinds([...new Set(model.items.flatMap((item) => item.matched_by))]);
  if (model.items.length === 0) {
    return model.named.length > 0 ? (
      <NoId model={model} context={context} />
    ) : (
      <NotFound model={model} context={context} />
    );
  }
  // A trace can have more events with the id on another page.
  const isPart = model.next_cursor !== null || context.query.has("cursor");
  const of = isPart ? " on this page" : "";
  return (
    <Card
      title="Traces that mention this id"
      icon="turns"
      flush
      end={
        <>
          {kinds.length === 0 ? (
            <span>kind of id not recognised</span>
          ) : (
            <Badge
              tone="plain"
              icon="info"
              word={`this is ${withArticle(kinds[0] ?? "")}`}
              title={`Named as: ${kinds.join(", ")}`}
            />
          )}
          <ListEnd context={context}>
            {countedText(model.items.length, "root")}, {countedText(model.event_count, "event")}
            {of}
          </ListEnd>
        </>
      }
    >
      <Table
        stacks
        label="Traces that mention this id"
        head={
          <>
            <th scope="col">Last</th>
            <th scope="col">Verdict</th>
            <th scope="col">Agent</th>
            <th scope="col">Thread</th>
            <th scope="col">Named as</th>
            <th scope="col" class="num">
              Turns{of}
            </th>
            <th scope="col" class="num">
              Events{of}
            </th>
            <th scope="col">Root</th>
          </>
        }
      >
        {model.items.map((item) => (
          <Root item={item} of={of} context={context} />
        ))}
      </Table>
      <Places model={model} context={context} />
      <Ways model={model} context={context} />
    </Card>
  );
};

/** Coverage of the search, and a link to the rest. */
const Ways: FC<{ readonly model: FindModel; readonly context: PageContext }> = ({
  model,
  context,
}) => (
  <footer class="window">
    <SearchedBadge model={model} />
    <span>
      {model.window_complete
        ? "All of the evidence was searched."
        : model.next_cursor === null && !context.query.has("cursor")
          ? "There may be more matches: see above which places were not searched."
          : "More matches are on other pages."}
    </span>
    <span class="end">
      {context.query.has("cursor") ? (
        <a class="button" href={hrefWith(context, { cursor: null })} data-control="page newest">
          First page
        </a>
      ) : null}
      {model.next_cursor === null ? null : (
        <a
          class="button"
          href={hrefWith(context, { cursor: model.next_cursor })}
          data-older
          data-control="page older"
        >
          More <Icon name="more" />
        </a>
      )}
    </span>
  </footer>
);

const Root: FC<{
  readonly item: FoundRoot;
  readonly of: string;
  readonly context: PageContext;
}> = ({ item, of, context }) => {
  const anchor = item.event_ids[0];
  const at = anchor === undefined ? "" : `#e-${encodeURIComponent(anchor)}`;
  const href = hrefOf(context, `${pageAddress("traces", item.root_trace_id)}${at}`);
  return (
    <tr>
      <td>
        {item.root_trace_id === "" ? (
          <Time at={item.last_at} form="daytime" />
        ) : (
          <a href={href} data-row>
            <Time at={item.last_at} form="daytime" />
          </a>
        )}
      </td>
      <td>
        <Verdicts item={item} />
      </td>
      <td data-head="Agent">{item.agent_id ?? <Unknown why="No agent was recorded." />}</td>
      <td data-head="Thread">
        {item.thread_id === null ? (
          <NotThere why="no thread was recorded" />
        ) : (
          <Id
            of={item.thread_id}
            chars={20}
            href={rangedHref(context, pageAddress("threads", item.thread_id))}
          />
        )}
      </td>
      <td data-head="Named as">{item.matched_by.map(fieldTexts).join(", ")}</td>
      <td data-head={`Turns${of}`} class="num">
        {item.turn_ids.length === 0 ? (
          <NotThere why="its events name no turn" />
        ) : (
          countText(item.turn_ids.length)
        )}
      </td>
      <td data-head={`Events${of}`} class="num">
        {countText(item.event_count)}
      </td>
      <td data-head="Root">
        <Id of={item.root_trace_id} chars={14} why="The event names no root." />
      </td>
    </tr>
  );
};

/** Each verdict of its turns once, the most important first, and whether there were errors. */
const Verdicts: FC<{ readonly item: FoundRoot }> = ({ item }) => {
  const { verdicts, has_error: failed } = item;
  const codes = [...new Set(verdicts?.flatMap(({ finding_codes }) => finding_codes))];
  const first = codes.toSorted((a, b) => findingPriority(a) - findingPriority(b))[0];
  return (
    <span class="found-verdicts">
      {verdicts === null ? (
        <Unknown why="Too much evidence to judge in a list; the page of the trace has the verdict." />
      ) : (
        [...new Set(verdicts.map(({ verdict }) => verdict))].map((verdict) => (
          <VerdictBadge verdict={verdict} />
        ))
      )}
      {first === undefined ? null : (
        <span class="muted" title={codes.map(reasonText).join(", ")}>
          {reasonText(first)}
          {codes.length === 1 ? "" : ` and ${countText(codes.length - 1)} more`}
        </span>
      )}
      {failed ? <Badge tone="bad" icon="failed" word="with errors" /> : null}
    </span>
  );
};
