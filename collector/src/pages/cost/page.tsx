/**
 * @module Cost page: what model calls cost, the most expensive first or in another order, and which
 * have no known price.
 */
import type { Child, FC } from "hono/jsx";

import type { CostField, CostRow } from "../../cost/turn-costs.ts";
import { costFields, costRowsMax } from "../../cost/turn-costs.ts";
import type { PageContext } from "../../http/page-context.ts";
import {
  amountText,
  callsText,
  rangedReasons,
  unpricedCalls,
  unpricedReasons,
} from "./cost-texts.ts";
import { countText, shareText } from "../../ui/display/figures.ts";
import { queryOf, termsOf } from "../../ui/display/filter-terms.ts";
import type { Term } from "../../ui/display/filter-terms.ts";
import { pendingText } from "../../ui/display/window-texts.ts";
import { ShareBar } from "../../ui/elements/bar.tsx";
import { Count, NotThere, Time, Unknown } from "../../ui/elements/figure.tsx";
import { Card, Note, Table, Tile, Tiles } from "../../ui/elements/panel.tsx";
import { SortHead } from "../../ui/elements/sort-head.tsx";
import type { SortContext } from "../../ui/elements/sort-head.tsx";
import { Tabs } from "../../ui/elements/tabs.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { FilteredPage } from "../../ui/groups/filtered-page.tsx";
import { NoRows } from "../../ui/groups/no-rows.tsx";
import { hrefOf, hrefWith } from "../../ui/layout.tsx";
import { CostChart } from "./cost-chart.tsx";
import type { CostModel } from "./route.ts";
import { capital } from "../../ui/display/capital.ts";
import { pageAddress } from "../../ui/display/page-address.ts";

const fieldTexts: Readonly<Record<CostField, string>> = {
  model: "Model",
  agent: "Agent",
  tenant: "Tenant",
  release: "Release",
  thread: "Thread",
  turn: "Turn",
};

/** The costs. */
export function costPage(model: CostModel, context: PageContext): Child {
  const terms = termsOf(context.query);
  return (
    <FilteredPage context={context} title="Cost" script="cost">
      {model.total.calls === 0 ? (
        <NoRows context={context} title="No model call in these turns" icon="cost">
          A cost shows as soon as a turn records a call of a model.
        </NoRows>
      ) : (
        <>
          <Total model={model} />
          <CostChart slices={model.slices} of={model.turns_counted} />
          <Tabs
            label="Costs by"
            tabs={costFields.map((field) => ({
              name: fieldTexts[field],
              // Not every list has the column by which this one is sorted.
              href: hrefWith(context, { by: field, sort: null, order: null }),
              here: field === model.by,
            }))}
          />
          <Costs model={model} context={context} terms={terms} />
        </>
      )}
      <PriceNote model={model} />
    </FilteredPage>
  );
}

const Total: FC<{ readonly model: CostModel }> = ({ model: { total, turns_counted: turns } }) => {
  const reasons = unpricedReasons(total);
  const ranged = rangedReasons(total);
  return (
    <Tiles label="Cost of these turns">
      <Tile name="Cost" more={<span>{overText(turns, total.turns_unknown ?? 0)}</span>}>
        <Amount of={total} />
      </Tile>
      <Tile name="Priced exactly" more={<span>of {callsText(total.calls)}</span>}>
        {countText(total.priced_calls)}
      </Tile>
      <Tile name="As a range" more={ranged.length === 0 ? undefined : <Reasons of={ranged} />}>
        {countText(total.ranged_calls)}
      </Tile>
      <Tile
        name="Without a price"
        more={reasons.length === 0 ? undefined : <Reasons of={reasons} />}
      >
        {countText(unpricedCalls(total))}
      </Tile>
    </Tiles>
  );
};

function overText(turns: number, unknown: number): string {
  const all = `over ${countText(turns)} ${turns === 1 ? "turn" : "turns"}`;
  return unknown === 0 ? all : `${all}, ${countText(unknown)} of unknown cost`;
}

const Reasons: FC<{ readonly of: readonly string[] }> = ({ of }) => (
  <>
    {of.map((reason) => (
      <span class="why-line">{reason}</span>
    ))}
  </>
);

/** The amount; a plus and a question mark where calls without a price belong to it. */
const Amount: FC<{ readonly of: CostRow }> = ({ of }) => {
  const amount = amountText(of);
  const reasons = unpricedReasons(of).join("; ");
  if (amount === undefined) return <Unknown why={reasons} />;
  const exact = of.low_usd === of.high_usd ? String(of.low_usd) : `${of.low_usd} to ${of.high_usd}`;
  return (
    <span class="amount">
      <span title={`US$ ${exact}`}>{amount}</span>
      {reasons === "" ? null : (
        <>
          {" "}
          + <Unknown why={reasons} />
        </>
      )}
    </span>
  );
};

const Costs: FC<{
  readonly model: CostModel;
  readonly context: PageContext;
  readonly terms: readonly Term[];
}> = ({ model, context, terms }) => {
  const { by, items, groups } = model;
  const most = Math.max(0, ...items.map(({ high_usd: usd }) => usd ?? 0));
  const name = fieldTexts[by];
  const at = { path: hrefOf(context, context.path), query: context.query, usual: "cost" };
  return (
    <Card
      title={`Cost by ${name.toLowerCase()}`}
      icon="cost"
      flush
      end={<ListEnd context={context}>{countText(model.turns_with_calls ?? groups)}</ListEnd>}
    >
      {model.every_group ? null : (
        <Note>
          {by === "turn"
            ? `${tokensText(model)} The files have all of them; here, a shorter time or a filter does.`
            : "There are too many threads to price each. A shorter time or a filter shows all of them."}
        </Note>
      )}
      <Table stacks label={`Cost by ${name.toLowerCase()}`} head={<Heads by={by} at={at} />}>
        {items.map((row) => (
          <Row row={row} by={by} most={most} href={turnsHref(context, terms, { row, by })} />
        ))}
      </Table>
      {items.length === groups ? null : (
        <p class="muted padded">
          {model.every_group
            ? `The first ${countText(items.length)} of ${countText(groups)}.`
            : tokensText(model)}{" "}
          {items.length < Math.min(groups, costRowsMax) ? (
            <a href={hrefWith(context, { limit: String(costRowsMax) })}>Show more</a>
          ) : null}
        </p>
      )}
    </Card>
  );
};

/** What the rows are of, where not every turn is priced. */
function tokensText({ items, groups, turns_with_calls: turns = groups }: CostModel): string {
  const priced = `the ${countText(groups)} turns with the most tokens`;
  const shown = items.length === groups ? priced : `${countText(items.length)} of ${priced}`;
  return capital(`${shown}; ${countText(turns)} turns have model calls.`);
}

const Heads: FC<{ readonly by: CostField; readonly at: SortContext }> = ({ by, at }) => (
  <>
    <SortHead field="value" heading={fieldTexts[by]} at={at} rising />
    {by === "model" ? <SortHead field="provider" heading="Provider" at={at} rising /> : null}
    {by === "turn" ? <SortHead field="ended_at" heading="Ended" at={at} /> : null}
    <SortHead field="cost" heading="Cost, US$" at={at} class="num" />
    <th scope="col" class="bar-col minor" title="As a share of the most expensive row">
      Share of highest
    </th>
    {numbers.map(([field, heading, title]) => (
      <SortHead field={field} heading={heading} at={at} class="num" title={title} />
    ))}
  </>
);

/** Columns of numbers after the cost. */
const numbers: readonly (readonly [field: string, heading: string, title: string])[] = [
  ["calls", "Calls", "Calls of models"],
  ["unpriced", "No price", "Calls without a price"],
  ["input_tokens", "Input", "Input tokens"],
  ["cached_tokens", "Cache read", "Read from a cache, of the input"],
  ["cache_write_tokens", "Cache write", "Written to a cache, of the input"],
  ["output_tokens", "Output", "Output tokens"],
  ["reasoning_tokens", "Reasoning", "Of the output"],
];

const Row: FC<{
  readonly row: CostRow;
  readonly by: CostField;
  readonly most: number;
  readonly href: string | undefined;
}> = ({ row, by, most, href }) => {
  const word = valueText(row, by);
  const without = unpricedCalls(row);
  return (
    <tr>
      <td>
        {word === null ? (
          <NotThere why={`no ${fieldTexts[by].toLowerCase()} was recorded`} />
        ) : href === undefined ? (
          word
        ) : (
          <a href={href} data-row title={word}>
            {word}
          </a>
        )}
      </td>
      {by === "model" ? (
        <td data-head="Provider">{row.provider ?? <NotThere why="no provider was recorded" />}</td>
      ) : null}
      {by === "turn" ? (
        <td data-head="Ended">
          <Time at={row.ended_at} form="daytime" />
        </td>
      ) : null}
      <td data-head="Cost, US$" class="num">
        <Amount of={row} />
      </td>
      <td data-head="Share of highest" class="bar-col minor wide">
        <ShareBar
          part={row.high_usd}
          whole={most}
          label={row.high_usd === null ? "unknown" : shareText(row.high_usd, most)}
        />
      </td>
      <td data-head="Calls" class="num">
        {countText(row.calls)}
      </td>
      <td data-head="No price" class="num">
        {without === 0 ? (
          "0"
        ) : (
          <b class="warn" title={unpricedReasons(row).join("; ")}>
            {countText(without)}
          </b>
        )}
        {row.turns_unknown === undefined || row.turns_unknown === 0 ? null : (
          <span class="lacking">
            in {countText(row.turns_unknown)} {row.turns_unknown === 1 ? "turn" : "turns"}
          </span>
        )}
      </td>
      <Tokens row={row} head="Input" of="input_tokens" />
      <Tokens row={row} head="Cache read" of="cached_tokens" />
      <Tokens row={row} head="Cache write" of="cache_write_tokens" />
      <Tokens row={row} head="Output" of="output_tokens" />
      <Tokens row={row} head="Reasoning" of="reasoning_tokens" />
    </tr>
  );
};

/** A sum of tokens, and of how many calls it is not recorded. */
const Tokens: FC<{
  readonly row: CostRow;
  readonly head: string;
  readonly of: keyof CostRow["calls_without"];
}> = ({ row, head, of }) => {
  const without = row.calls_without[of];
  const why = `not recorded for ${countText(without)} of ${callsText(row.calls)}`;
  const sum = row[of];
  return (
    <td data-head={head} class="num">
      {sum === null ? (
        <Unknown why={why} />
      ) : (
        <>
          <Count of={sum} short />
          {without === 0 ? null : (
            <span class="lacking" title={why}>
              + {countText(without)} unknown
            </span>
          )}
        </>
      )}
    </td>
  );
};

function valueText({ value, root_trace_id: root }: CostRow, by: CostField): string | null {
  if (by === "turn") return value ?? root ?? null;
  return by === "tenant" && value?.startsWith("id:") === true ? value.slice(3) : value;
}

const keyOf: Readonly<Record<Exclude<CostField, "turn">, string>> = {
  model: "model",
  agent: "agent",
  tenant: "user",
  release: "release",
  thread: "thread",
};

/** The turns of a row; undefined where its value has no term. */
function turnsHref(
  context: PageContext,
  terms: readonly Term[],
  { row, by }: { readonly row: CostRow; readonly by: CostField },
): string | undefined {
  if (by === "turn") return hrefOf(context, pageAddress("traces", row.root_trace_id ?? ""));
  const value = valueText(row, by);
  if (value === null || value.includes('"')) return undefined;
  const requested = [...terms, { key: keyOf[by], value, negated: false }];
  return `${hrefOf(context, "/traces")}${queryOf(requested, new URLSearchParams())}`;
}

const PriceNote: FC<{ readonly model: CostModel }> = ({ model }) => {
  const { version, own } = model.price_list;
  const pending = pendingText(model.pending_frames);
  return (
    <footer class="window" data-window>
      <span>
        Prices of text tokens, on the day the turn ended: <code>{version}</code>
        {own === null ? null : (
          <>
            . Overridden by a file with {countText(own.prices)}{" "}
            {own.prices === 1 ? "price" : "prices"} (SHA-256 <code>{own.digest}</code>)
          </>
        )}
        . Images, audio, searches and one-hour cache writes are not priced apart.
      </span>
      {pending === undefined ? null : <span data-pending>{pending}</span>}
    </footer>
  );
};
