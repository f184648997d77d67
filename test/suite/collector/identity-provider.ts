/**
 * @module Identity provider: the foreign `oidc-provider` on loopback, its people, and a browser
 * without a screen that walks from the collector to it and back with its cookies.
 */
import { createServer } from "node:http";
import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { Provider } from "oidc-provider";

import type { Desk } from "./desk.ts";

/** Claims of the people, by the name that they type. */
const people: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  anna: { realm: { groups: ["staff", "evidence-admins"] }, company: "acme" },
  vera: { realm: { groups: ["staff"] }, company: "acme" },
  nobody: { realm: { groups: ["guests"] }, company: "acme" },
  nowhere: { realm: { groups: ["staff"] } },
};

/** A running provider. */
export interface IdentityProvider {
  readonly issuer: string;
  /** Whether the signature of each token is another one. */
  forges: boolean;
  close(): Promise<void>;
}

/** Starts a provider with one client, whose redirect URIs are those of the origins. */
export async function openProvider(origins: readonly string[]): Promise<IdentityProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "turnproof",
        client_secret: "a-secret-of-the-client-0123456789",
        redirect_uris: origins.map((origin) => `${origin}/login/callback`),
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    claims: { openid: ["sub"], evidence: ["realm", "company"] },
    scopes: ["openid", "evidence"],
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...people[id] }),
    }),
  });
  const answer = provider.callback();
  const own: IdentityProvider = { issuer, forges: false, close: () => closed(server) };
  server.on("request", (request, response) => {
    if (own.forges && request.url === "/token") forge(response);
    void answer(request, response);
  });
  return own;
}

/** Changes the signature of the token in a response. */
function forge(response: ServerResponse): void {
  const end = response.end.bind(response) as (body: string) => ServerResponse;
  response.end = ((body: string) => {
    const swapped = body.replace(/("id_token":"[^".]*\.[^".]*\.)[^"]{8}/, "$1AAAAAAAA");
    return end(swapped);
  }) as typeof response.end;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** A browser without a screen. */
export interface Visitor {
  /** Goes through the provider up to the address that leads back to the collector. */
  answerFor(name: string, change?: (location: URL) => void): Promise<string>;
  /** Sends a request to the collector. */
  request(path: string, init?: RequestInit): Promise<Response>;
  readonly cookies: Map<string, string>;
}

/** A visitor of a collector, with cookies of each origin of its own. */
export function visit(desk: Desk, origin: string): Visitor {
  const cookies = new Map<string, string>();
  const foreign = new Map<string, string>();
  const query: Visitor["request"] = async (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set("cookie", textOf(cookies));
    const response = await desk.collector.app.request(`${origin}${path}`, { ...init, headers });
    keep(cookies, response);
    return response;
  };
  const walk = async (url: URL, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie: textOf(foreign) },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }),
    });
    keep(foreign, response);
    return response;
  };
  return {
    request: query,
    cookies,
    async answerFor(name, change) {
      const begun = await query("/login/provider?next=/traces/health");
      let at = new URL(begun.headers.get("location") ?? "");
      change?.(at);
      const forms = [{ prompt: "login", login: name, password: "any" }, { prompt: "consent" }];
      for (let step = 0; step < 12; step += 1) {
        const needsPerson = at.pathname.startsWith("/interaction/");
        const response = await walk(at, needsPerson ? forms.shift() : undefined);
        const location = response.headers.get("location");
        if (location === null) throw new Error(`the provider stops with ${response.status}`);
        const next = new URL(location, at);
        if (next.origin === origin) return `${next.pathname}${next.search}`;
        at = next;
      }
      throw new Error("the provider leads nowhere");
    },
  };
}

function textOf(cookies: ReadonlyMap<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

function keep(cookies: Map<string, string>, response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
    if (value === "" || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
    else cookies.set(name, value);
  }
}
