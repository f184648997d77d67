/**
 * @module Client: requests of commands to a running collector. A refusal is returned as the
 * collector's problem, never as a page.
 */
import { readClientConfig } from "../config/read-config.ts";
import { allowedText } from "../ui/display/problem-texts.ts";
import type { RefusedPlace } from "../ui/display/problem-texts.ts";

/** Address and token of the collector; flags take precedence over the environment. */
export interface ClientFlags {
  readonly url?: string;
  readonly token?: string;
}

/** A refusal of the collector. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  /** The parameter that it concerns, by the collector's name. */
  readonly field: string | undefined;
  /** After this time the same request may be answered; only of 429 and 503 with `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    code: string,
    detail: string,
    { field, retryAfterMs }: { readonly field?: string; readonly retryAfterMs?: number } = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.field = field;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Parameters of a request; undefined ones are left out. */
export type Parameters = Readonly<Record<string, string | number | undefined>>;

/** Requests to one collector. */
export interface Client {
  readonly url: string;
  json<T>(path: string, parameters?: Parameters): Promise<T>;
  text(path: string, parameters?: Parameters): Promise<string>;
  /** The answer itself, its body unread. */
  answer(path: string, parameters?: Parameters, signal?: AbortSignal): Promise<Response>;
  post(path: string, body: string, contentType: string, token?: string): Promise<Response>;
}

/** A client of the collector given by flags or environment. */
export function createClient(flags: ClientFlags): Client {
  const config = readClientConfig(flags);
  const base = config.url.replace(/\/$/, "");
  const headers = (token = config.token): Record<string, string> =>
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  const get = async (
    path: string,
    parameters: Parameters = {},
    signal?: AbortSignal,
  ): Promise<Response> => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) query.set(name, String(value));
    }
    const suffix = query.size === 0 ? "" : `?${query.toString()}`;
    const response = await reach(`${base}${path}${suffix}`, {
      headers: { accept: "application/json", ...headers() },
      redirect: "error",
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
  };
  return {
    url: base,
    json: async <T>(path: string, parameters?: Parameters) =>
      (await (await get(path, parameters)).json()) as T,
    text: async (path, parameters) => (await get(path, parameters)).text(),
    answer: get,
    post: (path, body, contentType, token) =>
      reach(`${base}${path}`, {
        method: "POST",
        body,
        headers: { "content-type": contentType, ...headers(token) },
      }),
  };
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  if (!URL.canParse(url))
    throw new Refusal(0, "url_invalid", "The collector's address is not a URL.");
  try {
    return await fetch(url, init);
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause;
    // Scheme, host and port only: a path or a credential of the address is not printed.
    throw new Refusal(0, "unreachable", `No collector answers at ${new URL(url).origin}.`);
  }
}

/**
 * The body of an answer, in the pieces in which it arrived: joining them copies a large one once
 * more.
 *
 * @throws Refusal `answer_incomplete` where the transfer broke
 */
export async function wholeBody(answer: Response): Promise<readonly Uint8Array[]> {
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body ?? []) pieces.push(piece);
    return pieces;
  } catch {
    throw new Refusal(0, "answer_incomplete", "The collector's answer ended before it was whole.");
  }
}

async function refusalOf(response: Response): Promise<Refusal> {
  // A proxy's refusal has no JSON; its status is reported.
  const problem = (await response.json().catch(() => ({}))) as {
    readonly code?: string;
    readonly detail?: string;
    readonly field?: string;
  } & RefusedPlace;
  const sentence = problem.detail ?? "The collector refused the request.";
  const detail = [sentence, allowedText(problem)].filter((part) => part !== "").join(" ");
  const retryAfterMs = retryAfterOf(response);
  return new Refusal(response.status, problem.code ?? "refused", detail, {
    ...(problem.field === undefined ? {} : { field: problem.field }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Time of the header in seconds, the form that the collector sends. */
function retryAfterOf({ status, headers }: Response): number | undefined {
  const seconds = headers.get("retry-after") ?? "";
  const isBusy = status === 503 || status === 429;
  return isBusy && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}
