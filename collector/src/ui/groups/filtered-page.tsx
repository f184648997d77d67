/** @module FilteredPage: the frame of a page about the turns that a filter selects. */
import type { Child, FC } from "hono/jsx";

import type { Frame } from "../../http/frame.ts";
import { termsOf, unclearOf } from "../display/filter-terms.ts";
import { FilterBar } from "../elements/filter-bar.tsx";
import { Page, hrefOf } from "../layout.tsx";
import { ScopeLine } from "./turns-scope.tsx";

/** The page: filter bar, tabs, scope and filters, then its content. */
export const FilteredPage: FC<{
  readonly frame: Frame;
  readonly title: string;
  readonly tabs?: Child;
  /** Name of the page's browser module, where it has one. */
  readonly script?: string | undefined;
  readonly children?: Child;
}> = ({ frame, title, tabs, script, children }) => {
  const terms = termsOf(frame.query);
  const path = hrefOf(frame, frame.path);
  return (
    <Page
      frame={frame}
      title={title}
      script={script}
      unclear={unclearOf(frame.query)}
      bar={<FilterBar action={path} terms={terms} query={frame.query} />}
    >
      {tabs}
      <ScopeLine frame={frame} terms={terms} path={path} />
      {children}
    </Page>
  );
};
