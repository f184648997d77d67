/** @module ListEnd: the end of the head of a list that leaves as files. */
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { ExportMenu } from "../elements/export-menu.tsx";
import { hrefOf } from "../layout.tsx";

/** What is beside the title, and the menu of files. */
export const ListEnd: FC<{
  readonly context: PageContext;
  readonly children?: Child;
  readonly limited?: boolean;
  /** Path of the files, without their ending; of the page where it is absent. */
  readonly path?: string;
  /** The files take no filter of the page. */
  readonly unfiltered?: boolean;
}> = ({ context, children, limited = false, path = context.path, unfiltered = false }) => (
  <>
    <span>{children}</span>
    <ExportMenu
      path={hrefOf(context, path)}
      query={unfiltered ? new URLSearchParams() : context.query}
      limited={limited}
    />
  </>
);
