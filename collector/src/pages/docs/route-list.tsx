/** @module RouteList: the routes of one area, a line each, which leads to the whole operation. */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { Card } from "../../ui/elements/panel.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import { InCode } from "./in-code.tsx";
import type { RouteText } from "./route-text.ts";

/** The anchor of an area. */
export function anchorOf(area: string): string {
  return area.toLowerCase().replaceAll(" ", "-");
}

/** The routes; `here` is the one that the page shows in full. */
export const RouteList: FC<{
  readonly context: PageContext;
  readonly area: string;
  readonly routes: readonly RouteText[];
  readonly here?: RouteText | undefined;
}> = ({ context, area, routes, here }) => (
  <Card
    title={area}
    id={anchorOf(area)}
    flush
    end={routes.length === 1 ? "1 route" : `${routes.length} routes`}
  >
    <ul class="routes">
      {routes.map(({ method, path, operation, twinId }) => {
        const isHere = here?.operation.operationId === operation.operationId;
        return (
          <li>
            <a
              id={operation.operationId}
              href={hrefOf(context, `/docs?operation=${operation.operationId}`)}
              data-row
              {...(isHere ? { "aria-current": "true" } : {})}
            >
              <span class={`method ${method.toLowerCase()}`}>{method}</span>
              <code>{path}</code>
              <span class="muted">
                <InCode text={operation.summary} />
              </span>
              {twinId === undefined ? null : (
                <span class="route-twin muted" id={twinId}>
                  page, and .json
                </span>
              )}
            </a>
          </li>
        );
      })}
    </ul>
  </Card>
);
