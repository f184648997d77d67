/**
 * @module Assets: the files of the pages, read once at start, kept in memory by name, compressed
 * on their first request. A path is only ever a key of this map, so no path can leave it.
 */
import { readFileSync, readdirSync } from "node:fs";
import { extname } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip as gzipWith } from "node:zlib";

import { Hono } from "hono";
import { CodedError } from "@turnproof/semconv";

import type { RouteGroup } from "./endpoint.ts";
import type { AppEnv } from "./environment.ts";

const gzip = promisify(gzipWith);
const brotli = promisify(brotliCompress);

const mediaTypes: { readonly [extension: string]: string } = {
  ".js": "text/javascript; charset=UTF-8",
  ".css": "text/css; charset=UTF-8",
  ".svg": "image/svg+xml",
};

const favicon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20">' +
  '<rect width="20" height="20" rx="5" fill="#2f5bd0"/>' +
  '<path d="M5 6.500h10M8.500 6.500v8l2.300-2 2.200 2" fill="none" stroke="#fff" ' +
  'stroke-width="1.800" stroke-linecap="round" stroke-linejoin="round"/></svg>';

type Bytes = Uint8Array<ArrayBuffer>;

interface Asset {
  readonly type: string;
  readonly plain: Bytes;
  readonly gzip: () => Promise<Bytes>;
  readonly brotli: () => Promise<Bytes>;
}

const assets = loadAssets();

/** The hashed name of a built file; the plain one without a build. */
export function assetFile(name: "app.js" | "app.css" | "early.js"): string {
  const [stem = "", extension = ""] = name.split(".");
  const hashed = [...assets.keys()].find(
    (file) => file.startsWith(`${stem}-`) && file.endsWith(`.${extension}`),
  );
  return hashed ?? name;
}

/** Assets: endpoint declarations. */
export const assetsGroup: RouteGroup = {
  endpoints: {
    "GET /favicon.ico": {
      needs: "open",
      id: "getIcon",
      summary: "The icon",
      returns: "An SVG image.",
      answers: "image/svg+xml",
    },
    "GET /assets/:file": {
      needs: "open",
      id: "getAsset",
      summary: "A file of the pages",
      returns: "The file, with the media type of its extension.",
      answers: "*/*",
    },
  },
  routes: assetsRoutes,
};

/** GET `/assets/{file}` and `/favicon.ico`. */
function assetsRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/favicon.ico", (c) => {
    c.header("Cache-Control", "public, max-age=86400");
    return c.body(favicon, 200, { "Content-Type": "image/svg+xml" });
  });
  app.get("/assets/:file", async (c) => {
    const name = c.req.param("file");
    const asset = assets.get(name);
    if (asset === undefined) throw new CodedError("not_found");
    // Every name has the hash of the file's content, so its content never changes.
    c.header("Cache-Control", "public, max-age=31536000, immutable");
    c.header("Content-Type", asset.type);
    c.header("Vary", "Accept-Encoding");
    const accepted = c.req.header("accept-encoding") ?? "";
    if (/\bbr\b/.test(accepted)) {
      return c.body(await asset.brotli(), 200, { "Content-Encoding": "br" });
    }
    if (/\bgzip\b/.test(accepted)) {
      return c.body(await asset.gzip(), 200, { "Content-Encoding": "gzip" });
    }
    return c.body(asset.plain);
  });
  return app;
}

function loadAssets(): ReadonlyMap<string, Asset> {
  const folder = new URL("../../dist/client/", import.meta.url);
  const found = new Map<string, Asset>();
  for (const name of listed(folder)) {
    const type = mediaTypes[extname(name)];
    if (type === undefined) continue;
    const plain = Uint8Array.from(readFileSync(new URL(name, folder)));
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
    found.set(name, {
      type,
      plain,
      gzip: once(() => gzip(plain, { level: 9 })),
      brotli: once(() => brotli(plain, quality)),
    });
  }
  return found;
}

/** The compressed result, computed once; a failure is tried again. */
function once(compress: () => Promise<Uint8Array>): () => Promise<Bytes> {
  let made: Promise<Bytes> | undefined;
  return () => {
    made ??= compress().then(
      (bytes) => Uint8Array.from(bytes),
      (error: unknown) => {
        made = undefined;
        throw error;
      },
    );
    return made;
  };
}

function listed(folder: URL): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
