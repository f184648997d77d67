/**
 * @module Narrow: small forms that narrow a page by exact ids, chips of the active ones, and words
 * and the way out of a range.
 */
import type { FC } from "hono/jsx";

import { wordsOf } from "../display/figures.ts";
import { rangeParameters, requestedRange } from "../display/time-range.ts";
import type { PageContext } from "../../http/page-context.ts";
import { Chips } from "../elements/chip.tsx";
import { RangeEnd, RangeInputs } from "../elements/range-picker.tsx";
import { Icon } from "../icons.tsx";
import { hrefWith } from "../layout.tsx";

/** For an empty page: the same page without its range of time, if it has one. */
export const AllTime: FC<{ readonly context: PageContext }> = ({ context }) =>
  rangeParameters.some((name) => (context.query.get(name) ?? "") !== "") ? (
    <>
      {" "}
      <a href={hrefWith(context, { start_time: null, end_time: null, cursor: null })}>All time</a>
    </>
  ) : (
    <></>
  );

/** The range of the page in words, ` from … to …`, where it has one. */
export const RangeWords: FC<{ readonly context: PageContext }> = ({ context }) => {
  const { start_time: start = "", end_time: end = "" } = requestedRange(context.query);
  if (start === "" && end === "") return <></>;
  return (
    <>
      {" "}
      from <RangeEnd at={start} open="the start" form="full" /> to{" "}
      <RangeEnd at={end} open="now" form="full" />
    </>
  );
};

const names: { readonly [field: string]: string } = {
  agent_id: "agent",
  user_id: "tenant",
  thread_id: "thread",
  application_id: "application",
};

/** The order of the list, which a head shows. */
const ordering = ["sort", "order"] as const;

/** One box per field; an empty one does not narrow. */
export const Narrow: FC<{ readonly context: PageContext; readonly fields: readonly string[] }> = ({
  context,
  fields,
}) => (
  <form class="inline-filter" method="get" role="search" aria-label="Narrow this page">
    {fields.map((field) => (
      <input
        class="field mono"
        name={field}
        placeholder={names[field] ?? wordsOf(field)}
        aria-label={names[field] ?? wordsOf(field)}
        value={context.query.get(field) ?? ""}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
    ))}
    {ordering.map((name) => {
      const value = context.query.get(name);
      return value === null ? null : <input type="hidden" name={name} value={value} />;
    })}
    <RangeInputs query={context.query} />
    <button class="button" type="submit">
      Narrow
    </button>
  </form>
);

/** Paging, the order, and the range, which is in the picker of the header. */
const unnamed = new Set<string>(["cursor", "limit", ...ordering, ...rangeParameters]);

/** The active filters of the address, each with a link that removes it. */
export const NarrowedBy: FC<{ readonly context: PageContext }> = ({ context }) => {
  const terms = [...context.query].filter(([name, value]) => value !== "" && !unnamed.has(name));
  return terms.length === 0 ? (
    <></>
  ) : (
    <Chips label="Narrowed by">
      {terms.map(([name, value]) => (
        <a
          class="chip term"
          href={hrefWith(context, { [name]: null, cursor: null })}
          title={`Remove ${names[name] ?? wordsOf(name)}`}
        >
          <span class="value">
            {names[name] ?? name}:{value}
          </span>
          <Icon name="close" label="remove" />
        </a>
      ))}
    </Chips>
  );
};
