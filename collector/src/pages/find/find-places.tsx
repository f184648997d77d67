/**
 * @module Find places: where the incident finder searched, where it did not, why, and what to do.
 * A search that left out whole places is never shown as "nothing found".
 */
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { leftOut, placeNames, reachTexts } from "../../ui/display/find-texts.ts";
import type { Reach } from "../../ui/display/find-texts.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { FindModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { hrefOf, hrefWith } from "../../ui/layout.tsx";

const stateIcons = {
  searched: ["ok", "success"],
  partly: ["warn", "partial"],
  "not searched": ["plain", "unknown"],
} as const;

/** Which places were searched, which were not, why, and what to do. */
export const Places: FC<{ readonly model: FindModel; readonly context: PageContext }> = ({
  model,
  context,
}) => (
  <section class="find-places" aria-label="Places searched">
    <ul>
      {model.places.map(({ place, reach }) => {
        const { state, why } = reachTexts[reach];
        const [tone, icon] = stateIcons[state];
        return (
          <li data-place={place} data-reach={reach}>
            <span>{placeNames[place]}</span>
            <Badge tone={tone} icon={icon} word={state} />
            {why === "" ? null : <span class="muted">{why}</span>}
            <Way reach={reach} model={model} context={context} />
          </li>
        );
      })}
    </ul>
    {model.pending_frames === 0 ? null : (
      <p class="muted">
        {countText(model.pending_frames)} received{" "}
        {model.pending_frames === 1 ? "batch is" : "batches are"} not readable yet and may contain
        this id: search again in a moment.
      </p>
    )}
  </section>
);

/**
 * Coverage of the search, in two words: rows that need a tenant are an open point, not a failure.
 */
export const SearchedBadge: FC<{ readonly model: FindModel }> = ({ model }) => {
  if (model.window_complete) {
    return <Badge tone="ok" icon="success" word="Whole history searched" />;
  }
  const open = model.places.filter(({ reach }) => leftOut(reach));
  const onlyTenant = open.every(({ reach }) => reach === "tenant_not_named");
  return onlyTenant && open.length > 0 && model.pending_frames === 0 ? (
    <Badge tone="plain" icon="info" word="All evidence searched, memory not" />
  ) : (
    <Badge tone="warn" icon="partial" word="Not everything searched" />
  );
};

/** What to do about a place that was not searched. */
const Way: FC<{
  readonly reach: Reach;
  readonly model: FindModel;
  readonly context: PageContext;
}> = ({ reach, model, context }) => {
  if (reach === "no_answer") return <a href={hrefOf(context, "/traces/health")}>Health</a>;
  if (reach !== "tenant_not_named") return null;
  // An id that the evidence has as something else is no tenant.
  const known = model.items.flatMap(({ matched_by: fields }) => fields);
  const id = known.length === 0 || known.includes("user_id") ? context.query.get("id") : null;
  const to = (changes: Record<string, string>): string =>
    hrefWith(context, { cursor: null, ...changes });
  return (
    <>
      {id === null ? null : <a href={to({ user_id: id })}>Search memory of tenant {id}</a>}
      <a href={to({ scope: "anonymous" })}>Search anonymous memory</a>
    </>
  );
};
