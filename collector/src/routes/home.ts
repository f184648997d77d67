/**
 * @module Home: the way from `/` to the turns, and the files of the pages, held in memory by name.
 */
import { readFileSync, readdirSync } from "node:fs";
import { extname } from "node:path";

import { Hono } from "hono";
import { CodedError } from "@turnproof/semconv";

import type { AppEnv } from "../http/environment.ts";
import type { Parts } from "../parts.ts";

const mediaTypes: { readonly [extension: string]: string } = {
  ".js": "text/javascript; charset=UTF-8",
  ".css": "text/css; charset=UTF-8",
  ".svg": "image/svg+xml",
};

const favicon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
  '<path d="M2 3h12v3H9.5v7h-3V6H2z" fill="#3056d3"/></svg>';

/** GET `/`, `/assets/{file}` and `/favicon.ico`. */
export function homeRoutes(parts: Parts): Hono<AppEnv> {
  const base = parts.config.basePath === "/" ? "" : parts.config.basePath;
  const assets = loadAssets();
  const app = new Hono<AppEnv>();
  app.get("/", (c) => c.redirect(`${base}/traces`, 302));
  app.get("/favicon.ico", (c) => c.body(favicon, 200, { "Content-Type": "image/svg+xml" }));
  app.get("/assets/:file", (c) => {
    const asset = assets.get(c.req.param("file"));
    if (asset === undefined) throw new CodedError("not_found");
    return c.body(asset.bytes, 200, { "Content-Type": asset.type, "Cache-Control": "no-cache" });
  });
  return app;
}

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** The built files are known at start; a path is only ever a key of this map. */
function loadAssets(): ReadonlyMap<string, Asset> {
  const folder = new URL("../../dist/client/", import.meta.url);
  const assets = new Map<string, Asset>();
  for (const name of listed(folder)) {
    const type = mediaTypes[extname(name)];
    if (type === undefined) continue;
    assets.set(name, { bytes: Uint8Array.from(readFileSync(new URL(name, folder))), type });
  }
  return assets;
}

function listed(folder: URL): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
