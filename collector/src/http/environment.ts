/** @module Environment of a request: values that the middleware sets for every route. */
import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { CodedError } from "@turnproof/semconv";

import type { Principal } from "../access/principal.ts";
import type { TypedIdentity } from "../access/typed-identity.ts";
import type { OpenSession } from "../access/sessions.ts";
import type { Problem } from "./problem.ts";
import type { ShownRefusal } from "../ui/display/shown-refusal.ts";
import type { PageAnswer } from "./page-context.ts";
import type { AppliedAddress } from "../ui/display/ignored-texts.ts";
import type { RefusedRange } from "../ui/display/time-range.ts";

/** A request that passed the gate, for a reading thread. */
export interface PassedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly requestId: string;
  readonly route: string;
  readonly principal: Principal;
  /** CSRF token of the caller's session, for the forms of a page. */
  readonly csrfToken?: string;
}

/** Hono's environment of the collector's app. */
export interface AppEnv {
  Bindings: {
    /** Node's request, when the app is served by Node; absent for `app.request`. */
    readonly incoming?: { readonly socket: { readonly remoteAddress?: string } };
    readonly outgoing?: {
      readonly destroyed: boolean;
      readonly socket?: { resetAndDestroy(): unknown } | null;
      destroy(): unknown;
      once(event: "close", listener: () => void): unknown;
    };
    /** In a reading thread: the request as it passed the gate. */
    readonly passed?: PassedRequest;
  };
  Variables: {
    requestId: string;
    /** Template of the matched route, such as `GET /traces/:root_trace_id`. */
    route: string;
    principal: Principal | undefined;
    session: OpenSession | undefined;
    /** Digest of the principal's credential; absent where none is configured. */
    credential: string | undefined;
    /** True where the access is not recorded: only the state of the process is read. */
    unrecorded: boolean | undefined;
    /** Address of the client, behind a declared proxy as well. */
    client: string | undefined;
    /** How browsers reach the collector. */
    scheme: "http:" | "https:";
    renderer: Renderer;
    /** Parameters that the page's twin needs beside those of the request. */
    twinQuery: Readonly<Record<string, string>> | undefined;
    /** The range of the request that its page does not apply. */
    refusedRange: RefusedRange | undefined;
    /** What the page applies of its address; undefined where that is all of it. */
    applied: AppliedAddress | undefined;
    /** The page that a refused form was on, and the reason; undefined for every other answer. */
    posted: PostedPage | undefined;
    /** True where the body is made after the headers are sent. */
    bodyFollows: boolean | undefined;
    /** Converts a typed identity to its stored form. */
    typed: TypedIdentity;
    /** The collector's clock, epoch milliseconds; relative times count back from it. */
    now: () => number;
    /** Answers an MCP request; absent in a reading thread. */
    mcp: ((c: AppContext) => Promise<Response>) | undefined;
  };
}

/** Page of a form. */
export interface PostedPage {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly refusal: ShownRefusal;
}

/** Context of a collector's request. */
export type AppContext = Context<AppEnv>;

/** Renders pages of one collector; created once and used by requests. */
export interface Renderer {
  page<M>(c: AppContext, answer: PageAnswer<M>, status: number): Response | Promise<Response>;
  /** True where the answer is a page with a picker of its range of time. */
  hasPicker(c: AppContext): boolean;
  /** True where the answer is a page that marks what it does not apply of its address. */
  isMarkedPage(c: AppContext): boolean;
  problem(c: AppContext, problem: Problem): Response | Promise<Response>;
}

/** The authenticated principal of a protected route. */
export function principalOf(c: AppContext): Principal {
  const principal = c.get("principal");
  if (principal === undefined) throw new CodedError("unauthenticated");
  return principal;
}

/** Address of the client; forwarding headers count from a declared proxy only. */
export function clientAddress(c: AppContext): string | undefined {
  return c.get("client") ?? peerAddress(c);
}

/** Address of the peer's socket. */
export function peerAddress(c: AppContext): string | undefined {
  return c.env?.incoming?.socket.remoteAddress;
}

/** True when the client is a browser that accepts a page. */
export function wantsPage(c: AppContext): boolean {
  if (c.req.path.endsWith(".json")) return false;
  return /\btext\/html\b/.test(c.req.header("accept") ?? "") && !prefersJson(c);
}

/** True when the answer is JSON: by its path, or because `Accept` prefers it. */
export function answersJson(c: AppContext): boolean {
  return c.req.path.endsWith(".json") || prefersJson(c);
}

/** True when `Accept` has JSON, and prefers it to a page. */
export function prefersJson(c: AppContext): boolean {
  const preferred = accepts(c, {
    header: "Accept",
    supports: ["text/html", "application/json"],
    default: "text/html",
  });
  return preferred === "application/json";
}
