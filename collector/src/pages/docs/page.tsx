/**
 * @module Docs page: the OpenAPI description as a page: routes by area, each with its input, its
 * answers and the required permission.
 */
import type { Child } from "hono/jsx";

import type { Frame } from "../../http/frame.ts";
import type { DocsModel } from "./route.ts";
import { InCode } from "./in-code.tsx";
import { Operation } from "./operation.tsx";
import type { RouteText } from "./operation.tsx";
import { Card } from "../../ui/elements/panel.tsx";
import { Page, hrefOf } from "../../ui/layout.tsx";

/** The description of the interface. */
export function docsPage(model: DocsModel, frame: Frame): Child {
  const groups = Map.groupBy(routesOf(model), ({ operation }) => operation.tags[0] ?? "");
  return (
    <Page
      frame={frame}
      title="Interface"
      bar={
        <div class="page-actions">
          <a class="button" href={hrefOf(frame, "/openapi.json")}>
            OpenAPI {model.openapi}
          </a>
        </div>
      }
    >
      <p class="lead">
        <InCode text={model.info.description} />
      </p>
      <nav class="chips" aria-label="Areas">
        {model.tags.map(({ name }) =>
          groups.has(name) ? (
            <a class="chip" href={`#${anchorOf(name)}`}>
              <span class="value">{name}</span>
            </a>
          ) : null,
        )}
      </nav>
      {model.tags.map(({ name }) => {
        const routes = groups.get(name);
        return routes === undefined ? null : (
          <Card title={name} id={anchorOf(name)} flush end={`${routes.length} routes`}>
            <ul class="routes">
              {routes.map((route) => (
                <Operation of={route} />
              ))}
            </ul>
          </Card>
        );
      })}
    </Page>
  );
}

function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}

/** Every route once; a page and its JSON twin are one. */
function routesOf({ paths }: DocsModel): RouteText[] {
  const isTwin = (path: string): boolean =>
    path.endsWith(".json") && Object.hasOwn(paths, path.slice(0, -".json".length));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "get" || !isTwin(path))
      .map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation: operation as RouteText["operation"],
        hasTwin: method === "get" && Object.hasOwn(paths, `${path}.json`),
      })),
  );
}
