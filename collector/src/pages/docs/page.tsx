/**
 * @module Docs page: the OpenAPI description as a page: routes by area, a line each, and one of
 * them in full with its input, its answers and the required permission.
 */
import type { Child } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import type { DocsModel } from "./route.ts";
import { InCode } from "./in-code.tsx";
import { Operation } from "./operation.tsx";
import { RouteList, anchorOf } from "./route-list.tsx";
import { routeOf, routesOf } from "./route-text.ts";
import type { RouteText } from "./route-text.ts";
import { Page, hrefOf } from "../../ui/layout.tsx";

const areaOf = ({ operation }: RouteText): string => operation.tags[0] ?? "";

/** The description of the interface. */
export function docsPage(model: DocsModel, context: PageContext): Child {
  const groups = Map.groupBy(routesOf(model), areaOf);
  const areas = model.tags.map(({ name }) => name).filter((name) => groups.has(name));
  const here = routeOf(model, context.query.get("operation"));
  const shown = here === undefined ? areas : [areaOf(here)];
  return (
    <Page
      context={context}
      title="Interface"
      {...(here === undefined ? {} : { windowTitle: `${here.method} ${here.path}` })}
      bar={
        <div class="page-actions">
          {here === undefined ? null : (
            <a class="button" href={hrefOf(context, `/docs#${here.operation.operationId}`)}>
              All routes
            </a>
          )}
          <a class="button" href={hrefOf(context, "/openapi.json")}>
            OpenAPI {model.openapi}
          </a>
        </div>
      }
    >
      {here === undefined ? (
        <p class="lead">
          <InCode text={model.info.description} />
        </p>
      ) : null}
      <nav class="chips" aria-label="Areas">
        {areas.map((area) => (
          <a class="chip" href={hrefOf(context, `/docs#${anchorOf(area)}`)}>
            <span class="value">{area}</span>
          </a>
        ))}
      </nav>
      {here === undefined ? null : <Operation of={here} />}
      {shown.map((area) => (
        <RouteList context={context} area={area} routes={groups.get(area) ?? []} here={here} />
      ))}
    </Page>
  );
}
