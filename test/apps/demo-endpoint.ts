/** @module DemoEndpoint: the collector to which `npm run demo` sends, checked before it sends. */

/** Why nothing is sent, in one line that begins with a code. */
export class EndpointProblem extends Error {}

/** A collector that listens responds to its health within this time. */
const healthMs = 5_000;

/**
 * The address of the collector, without a path or a slash at its end.
 *
 * @throws EndpointProblem `url_invalid`
 */
export function endpointOf(
  option: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): string {
  const name = option === undefined ? "OTEL_EXPORTER_OTLP_ENDPOINT" : "--endpoint";
  const text = option ?? variables["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "http://127.0.0.1:4318";
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isPlain) {
    throw new EndpointProblem(
      `url_invalid: ${name} is an address of http or https such as http://127.0.0.1:4318.`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/**
 * Waits for the health of the collector.
 *
 * @throws EndpointProblem `unreachable` where nothing listens, or something else does
 */
export async function reach(endpoint: string): Promise<void> {
  const signal = AbortSignal.timeout(healthMs);
  const status = await fetch(`${endpoint}/healthz`, { signal }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return `status ${answer.status}`;
    },
    () => "no answer",
  );
  if (status === "status 200") return;
  throw new EndpointProblem(
    `unreachable: no collector answers at ${endpoint} (${status}), and nothing was sent. ` +
      "Start one in another terminal with npm start, or name another with --endpoint.",
  );
}
