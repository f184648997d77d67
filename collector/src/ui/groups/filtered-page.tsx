/** @module FilteredPage: the layout of a page about the turns that a filter selects. */
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { termsOf, unclearOf } from "../display/filter-terms.ts";
import { FilterBar } from "../elements/filter-bar.tsx";
import { Page, hrefOf } from "../layout.tsx";
import { ScopeLine } from "./turns-scope.tsx";

/** The page: filter bar, tabs, scope and filters, then its content. */
export const FilteredPage: FC<{
  readonly context: PageContext;
  readonly title: string;
  readonly tabs?: Child;
  /** Name of the page's browser module, where it has one. */
  readonly script?: string | undefined;
  readonly children?: Child;
}> = ({ context, title, tabs, script, children }) => {
  const terms = termsOf(context.query);
  const path = hrefOf(context, context.path);
  return (
    <Page
      context={context}
      title={title}
      script={script}
      unclear={unclearOf(context.query)}
      bar={<FilterBar action={path} terms={terms} query={context.query} />}
    >
      {tabs}
      <ScopeLine context={context} terms={terms} path={path} />
      {children}
    </Page>
  );
};
