/**
 * @module Plain page: what a route without a view of its own shows, the model as text.
 */
import type { Child } from "hono/jsx";

import type { Frame } from "./respond.tsx";

/** The model as indented JSON between a heading and a link to its twin. */
export function plainPage(model: unknown, frame: Frame): Child {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{frame.view} · Turnproof</title>
        {frame.jsonHref === undefined ? null : (
          <link rel="alternate" type="application/json" href={frame.jsonHref} />
        )}
      </head>
      <body>
        <h1>{frame.view}</h1>
        <pre>{JSON.stringify(model, null, 2)}</pre>
      </body>
    </html>
  );
}
