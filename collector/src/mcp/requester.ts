/**
 * @module Requester: the JSON interface of a collector as the tools read it. In the collector a
 * request passes the same gate as one from outside, with the credential of the caller; the command
 * sends requests to a running collector over HTTP. So the tools have no access of their own.
 */

import type { Pricing } from "../cost/call-price.ts";
import { allowedText } from "../ui/display/problem-texts.ts";
import type { RefusedPlace } from "../ui/display/problem-texts.ts";

/** Parameters of a request; undefined ones are left out. */
export type RequestParameters = Readonly<Record<string, string | number | undefined>>;

/** The JSON interface of one collector, for one caller. */
export interface Requester {
  /** The model of a route. @throws Refused with the collector's code */
  json<T>(path: string, parameters?: RequestParameters): Promise<T>;
  /** Address of a page for a person. */
  link(path: string, parameters?: RequestParameters): string;
  /** Prices of model calls, for contracts that bound a cost. */
  pricing(): Promise<Pricing>;
}

/** A refusal of the collector: its code and its own sentence. */
export class Refused extends Error {
  readonly code: string;
  /** The parameter of the collector's interface that it concerns. */
  readonly field: string | undefined;

  constructor(code: string, sentence: string, field?: string) {
    super(sentence);
    this.code = code;
    this.field = field;
  }
}

/** Path and query string. */
export function withQuery(path: string, parameters: RequestParameters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Requests that an app answers itself, as a caller with these headers. */
export function requestWithin(
  dispatch: (request: Request) => Response | Promise<Response>,
  {
    base,
    shown,
    headers,
    pricing,
  }: Pick<Requester, "pricing"> & {
    readonly base: string;
    readonly shown: string;
    readonly headers: Headers;
  },
): Requester {
  return {
    pricing,
    link: (path, parameters) => `${shown}${withQuery(path, parameters)}`,
    json: async <T>(path: string, parameters?: RequestParameters): Promise<T> => {
      const response = await dispatch(
        new Request(`${base}${withQuery(path, parameters)}`, { headers }),
      );
      // An answer that is no JSON is a refusal without a code.
      const body: unknown = await response.json().catch(() => ({}));
      if (response.ok) return body as T;
      const { code, detail, ...place } = body as RefusedPlace & {
        readonly code?: string;
        readonly detail?: string;
      };
      const sentence = detail ?? "The collector refused the request.";
      const allowed = allowedText(place);
      const text = allowed === "" ? sentence : `${sentence} ${allowed}`;
      throw new Refused(code ?? "refused", text, place.field);
    },
  };
}
