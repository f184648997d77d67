/** @module Sample page: the page of a turn, with a line that marks it as a sample. */
import type { Child } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { Note } from "../../ui/elements/panel.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import { turnPage } from "./page.tsx";
import type { TurnModel } from "./turn-reading.ts";

/** The page of the sample. */
export function samplePage(model: TurnModel, context: PageContext): Child {
  return turnPage(
    model,
    context,
    <Note>
      A sample turn of the collector itself: an order desk answered, and the chat window never
      acknowledged it. It is in no list, and its links to other pages find nothing.{" "}
      <a href={hrefOf(context, "/traces")}>Back to your turns</a>
    </Note>,
  );
}
