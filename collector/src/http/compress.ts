/**
 * @module Compress: pages and JSON travel smaller when whoever asks can read that. Streams of
 * events never do: a compressor would hold back what should be seen at once.
 *
 * Compression beside encryption can tell an onlooker what stands in a body, when that body repeats
 * words that the onlooker chose (BREACH): it needs a browser of the victim that sends many requests
 * with chosen words and the victim's cookie. A browser says of each request where it began, and no
 * page can make it say otherwise: an answer to a request that another site began, or that says
 * nothing of this while it carries a cookie, stays as it is. What is left is what our own pages ask
 * for and what people type.
 */
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

import type { MiddlewareHandler } from "hono";

import type { AppContext, AppEnv } from "./environment.ts";

const squeezed = /^(?:text\/html|application\/(?:problem\+)?json)\b/i;
/** Smaller bodies fit into a packet or two as they are. */
const bytesMin = 1_400;
/** Of a larger body every millisecond of a better level is felt. */
const bytesLarge = 1_000_000;

type Coding = "br" | "gzip";

/** Compresses what a route answers, where it may. */
export function compress(): MiddlewareHandler<AppEnv> {
  return async function compress(c, next) {
    await next();
    const { res } = c;
    if (c.req.method !== "GET" || res.body === null || res.headers.has("Content-Encoding")) return;
    if (!squeezed.test(res.headers.get("Content-Type") ?? "")) return;
    res.headers.append("Vary", "Accept-Encoding");
    const coding = codingOf(c.req.header("accept-encoding") ?? "");
    if (coding === undefined || !beganHere(c)) return;
    const plain = new Uint8Array(await res.arrayBuffer());
    const body = plain.length < bytesMin ? plain : await packed(plain, coding);
    const headers = new Headers(res.headers);
    headers.delete("Content-Length");
    if (body !== plain) headers.set("Content-Encoding", coding);
    c.res = undefined;
    c.res = new Response(body, { status: res.status, headers });
  };
}

/** Whether the words of the request can only be ours or the person's. */
function beganHere(c: AppContext): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  return c.req.header("cookie") === undefined;
}

/** The coding to use: brotli before gzip, neither where it is refused by a quality of zero. */
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

/** On a thread of its own; other requests go on. */
async function packed(plain: Uint8Array, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  const large = plain.length >= bytesLarge;
  const packing =
    coding === "gzip"
      ? zip(plain, { level: large ? 2 : 6 })
      : brotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: large ? 2 : 4 } });
  return Uint8Array.from(await packing);
}
