/**
 * @module Provider routes: sign-in through an OpenID Connect provider. The way there is a link,
 * since no form of ours may lead to another origin (security: Sessions, Answers).
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import type { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { z } from "zod";

import { ticketSeconds } from "../../access/sign-in-ticket.ts";
import { html } from "../../http/endpoint.ts";
import type { Endpoints } from "../../http/endpoint.ts";
import { clientAddress } from "../../http/environment.ts";
import type { AppContext, AppEnv } from "../../http/environment.ts";
import { refuse } from "../../http/errors.ts";
import { nextCharsMax } from "../../http/authenticate.ts";
import { ownOrigin } from "../../http/own-origin.ts";
import { readParameters } from "../../http/parameters.ts";
import type { Parts } from "../../parts.ts";
import { endPresented, localPath, openSession } from "./session.ts";

const beginQuery = z.strictObject({ next: z.string().max(nextCharsMax).optional() });

const failures = [
  "sign_in_state",
  "sign_in_refused",
  "sign_in_unassigned",
  "sign_in_unavailable",
] as const satisfies readonly Code[];

/** What each route needs, records and answers. */
export const providerEndpoints: Endpoints = {
  "GET /login/provider": {
    needs: "open",
    id: "beginProviderSignIn",
    summary: "To the identity provider",
    query: beginQuery,
    returns: "To the provider, with a cookie for the way back.",
    status: 303,
    answers: html,
    failures: ["not_configured", "sign_in_refused", "sign_in_unavailable"],
  },
  "GET /login/callback": {
    needs: "open",
    id: "endProviderSignIn",
    summary: "Back from the identity provider",
    text: "The redirect URI of the client; the provider chooses the parameters.",
    returns: "To the requested page, with a session cookie.",
    status: 303,
    answers: html,
    failures: ["not_configured", "throttled", ...failures],
  },
};

/** GET `/login/provider` and `/login/callback`. */
export function mountProvider(app: Hono<AppEnv>, parts: Parts): void {
  const { config, oidc } = parts;
  const base = config.basePath === "/" ? "" : config.basePath;
  const secure = config.cookieSecure;
  const name = secure && config.basePath === "/" ? "__Host-turnproof-sign-in" : "turnproof-sign-in";
  const setTicket = (c: AppContext, value: string): void =>
    setCookie(c, name, value, {
      path: config.basePath,
      httpOnly: true,
      sameSite: "Lax",
      secure,
      maxAge: value === "" ? 0 : ticketSeconds,
    });
  const callback = (c: AppContext): string => `${ownOrigin(c, config)}${base}/login/callback`;

  app.get("/login/provider", async (c) => {
    if (oidc === undefined) return refuse(c, "not_configured");
    const next = localPath(readParameters(c, beginQuery).next, base);
    const { location, ticket } = await oidc.begin(callback(c), next);
    setTicket(c, ticket);
    return c.redirect(location, 303);
  });

  app.get("/login/callback", async (c) => {
    if (oidc === undefined) return refuse(c, "not_configured");
    const answer = new URL(callback(c));
    answer.search = new URL(c.req.url).search;
    const ticket = getCookie(c, name);
    setTicket(c, "");
    try {
      const { opener, next } = await oidc.finish(answer, ticket);
      await openSession(c, parts, opener);
      return c.redirect(next, 303);
    } catch (error) {
      if (!CodedError.is(error) || !(failures as readonly Code[]).includes(error.code)) throw error;
      // The provider knows the user: the role of an earlier session counts no longer.
      if (error.code === "sign_in_unassigned") await endPresented(c, parts);
      return refused(c, parts, error.code);
    }
  });
}

/** As a wrong token: recorded, and slowed where an address has many. */
async function refused(c: AppContext, parts: Parts, code: Code): Promise<Response> {
  const client = clientAddress(c);
  // A user without a role is known to the provider, so it is no guess.
  const isGuess = code !== "sign_in_unavailable" && code !== "sign_in_unassigned";
  const wait = isGuess ? parts.throttle.failed(client ?? "in-process") : 0;
  await parts.audit?.append({
    event: "session.refused",
    route: "GET /login/callback",
    client,
    requestId: c.get("requestId"),
    result: wait > 0 ? "throttled" : code,
  });
  await parts.throttle.hold(wait);
  if (wait > 0) return refuse(c, "throttled", { retryAfterSeconds: wait });
  return refuse(c, code);
}
