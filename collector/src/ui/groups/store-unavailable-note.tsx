/**
 * @module StoreUnavailableNote: why the store of a page cannot be used, and what the page has
 * without it.
 */
import type { Child, FC } from "hono/jsx";

import type { StoreUnavailable } from "../../backend/store-unavailable.ts";
import type { PageContext } from "../../http/page-context.ts";
import { hrefOf } from "../layout.tsx";
import { Note } from "../elements/panel.tsx";

/** Nothing where the store answers; `children` follow the reason. */
export const StoreUnavailableNote: FC<{
  readonly away: StoreUnavailable | null;
  readonly context: PageContext;
  readonly children?: Child;
}> = ({ away, context, children }) =>
  away === null ? (
    <></>
  ) : (
    <Note tone="bad">
      <b>The store cannot be used now: {away.reason}.</b> {children} What is sent is received and
      kept in the journal meanwhile. <a href={hrefOf(context, "/traces/health")}>Health</a>
    </Note>
  );
