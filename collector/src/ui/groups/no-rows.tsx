/**
 * @module NoRows: a page about many turns without a row. Without a filter it names what brings the
 * first one; under a filter or in a range of time it names the ways out.
 */
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { queryOf, termsOf } from "../display/filter-terms.ts";
import { rangeParameters } from "../display/time-range.ts";
import { isChip } from "../elements/filter-bar.tsx";
import { Empty } from "../elements/panel.tsx";
import type { IconName } from "../icons.tsx";
import { hrefOf } from "../layout.tsx";
import { AllTime } from "./narrow.tsx";

/** Its children are the sentence for a collector that has none at all. */
export const NoRows: FC<{
  readonly context: PageContext;
  readonly title: string;
  readonly icon: IconName;
  readonly children?: Child;
}> = ({ context, title, icon, children }) => {
  const { query } = context;
  const terms = termsOf(query);
  const filtered = terms.some(isChip);
  const ranged = rangeParameters.some((name) => (query.get(name) ?? "") !== "");
  const kept = terms.filter((term) => !isChip(term));
  return (
    <Empty title={title} icon={icon}>
      <p>
        {filtered ? (
          <>
            Nothing here passes these filters.{" "}
            <a href={`${hrefOf(context, context.path)}${queryOf(kept, query)}`}>
              Clear all filters
            </a>
          </>
        ) : ranged ? (
          "Nothing here in this range of time."
        ) : (
          <>
            {children} <a href={hrefOf(context, "/traces")}>Turns</a>
          </>
        )}
        <AllTime context={context} />
      </p>
    </Empty>
  );
};
