/**
 * @module Compress: compresses pages and JSON when the client accepts it. Event streams are never
 * compressed: a compressor would delay events.
 *
 * Compression inside encryption can reveal a body to an observer, when the body repeats words that
 * the observer chose (BREACH): this needs a browser of the victim that sends many requests with
 * chosen words and the victim's cookie. A browser states the origin of each request, and no page
 * can change that: an answer to a request from another site, or without that statement and with a
 * cookie, is not compressed. The remaining requests come from our own pages and from what people
 * type.
 */
import { Duplex } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";

import type { MiddlewareHandler } from "hono";

import type { AppContext, AppEnv } from "./environment.ts";

const squeezed = /^(?:text\/html|application\/(?:problem\+)?json)\b/i;
/** Smaller bodies fit into a packet or two uncompressed. */
const bytesMin = 1_400;
/** Above this size a better compression level costs noticeable time. */
const bytesLarge = 1_000_000;

type Coding = "br" | "gzip";

/** Compresses a route's answer, where allowed. */
export function compress(): MiddlewareHandler<AppEnv> {
  return async function compress(c, next) {
    await next();
    const { res } = c;
    if (c.req.method !== "GET" || res.body === null || res.headers.has("Content-Encoding")) return;
    if (!squeezed.test(res.headers.get("Content-Type") ?? "")) return;
    // A reading thread has added it where the answer is its own.
    if (!/\baccept-encoding\b/i.test(res.headers.get("Vary") ?? "")) {
      res.headers.append("Vary", "Accept-Encoding");
    }
    const coding = codingOf(c.req.header("accept-encoding") ?? "");
    if (coding === undefined || !beganHere(c)) return;
    if (c.get("bodyFollows") === true) {
      const headers = new Headers(res.headers);
      headers.set("Content-Encoding", coding);
      const body = res.body.pipeThrough(packer(coding));
      c.res = undefined;
      c.res = new Response(body, { status: res.status, headers });
      return;
    }
    const plain = new Uint8Array(await res.arrayBuffer());
    const body = plain.length < bytesMin ? plain : await packed(plain, coding);
    const headers = new Headers(res.headers);
    headers.delete("Content-Length");
    if (body !== plain) headers.set("Content-Encoding", coding);
    c.res = undefined;
    c.res = new Response(body, { status: res.status, headers });
  };
}

/** True when the request's words come from our pages or the person. */
function beganHere(c: AppContext): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  return c.req.header("cookie") === undefined;
}

/** The coding to use: brotli before gzip, neither with a quality of zero. */
function codingOf(accepted: string): Coding | undefined {
  const offered = accepted
    .toLowerCase()
    .split(",")
    .map((part) => part.split(";").map((word) => word.trim()))
    .filter(([, quality]) => quality === undefined || !/^q=0(?:\.0*)?$/.test(quality))
    .map(([name]) => name);
  return (["br", "gzip"] as const).find((coding) => offered.includes(coding));
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Packs a body that follows in pieces; each is sent as a whole, and waits for no other. */
function packer(coding: Coding): ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array> {
  const stream =
    coding === "gzip"
      ? createGzip({ level: 6, flush: constants.Z_SYNC_FLUSH })
      : createBrotliCompress({
          flush: constants.BROTLI_OPERATION_FLUSH,
          params: { [constants.BROTLI_PARAM_QUALITY]: 4 },
        });
  return Duplex.toWeb(stream) as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array>;
}

/** In a thread of its own; other requests continue. */
async function packed(plain: Uint8Array, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  const large = plain.length >= bytesLarge;
  const packing =
    coding === "gzip"
      ? zip(plain, { level: large ? 2 : 6 })
      : brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: large ? 2 : 4 } });
  return Uint8Array.from(await packing);
}
