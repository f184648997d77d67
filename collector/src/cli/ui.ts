/**
 * @module `turnproof ui`: serves the collector until a signal ends it. Stops accepting, drains,
 * closes the store, and exits 0.
 */
import type { Command } from "commander";
import { CodedError, codeOf } from "@turnproof/semconv";
import { providersWith } from "@turnproof/store";

import { configDefaults } from "../config/config-defaults.ts";
import { createClientNetwork } from "../access/client-address.ts";
import { createCollector } from "../collector.ts";
import type { Collector } from "../collector.ts";
import { readConfig } from "../config/read-config.ts";
import type { Config } from "../config/config.ts";
import { listenGrpc } from "../receive/grpc/grpc-server.ts";
import type { GrpcListenOptions } from "../receive/grpc/grpc-server.ts";
import { loadHooks } from "../hooks/hooks-file.ts";
import { createLog } from "../log.ts";
import { listen } from "../server.ts";
import type { Listening } from "../http/connections.ts";
import { version } from "../version.ts";
import { anyOf } from "../config/config-variables.ts";
import { reportFailure } from "./failure.ts";

interface UiFlags {
  readonly host?: string;
  readonly port?: string;
  readonly grpcPort?: string;
  readonly dataDir?: string;
  readonly backend?: string;
}

/** Serves until SIGTERM or SIGINT. */
async function serveUi(flags: UiFlags): Promise<void> {
  let config: Config | undefined;
  try {
    config = readConfig(flags);
    await serve(config);
  } catch (error) {
    reportFailure(error, config === undefined ? {} : { dataDir: config.dataDir });
  }
}

async function serve(config: Config): Promise<void> {
  const log = createLog(config.log);
  // The reader of the log is gone; the collector continues.
  process.stderr.on("error", () => {});
  // The last resort: Node's own report would print a message, which may contain anything.
  process.on("uncaughtException", (error: unknown) => {
    const name = error instanceof Error ? error.name : typeof error;
    log.error("crashed", {
      error_type: name,
      ...(CodedError.is(error) ? { code: error.code } : {}),
    });
    process.exit(1);
  });
  for (const sentence of config.warnings) log.warn("configuration", { sentence });
  const hooks = await loadHooks(config.hooksFile, process.cwd());
  const collector = await createCollector({ config, log, hooks });
  const names = config.origins.map((origin) => new URL(origin).host);
  const { host, port } = config;
  const { admits } = createClientNetwork(config.proxy);
  const beside: { grpc?: Listening | undefined } = {};
  const grpcPort = (): number | undefined => beside.grpc?.port;
  const server = await listen(collector.app, { host, port, log, names, grpcPort, admits }).catch(
    async (error: unknown) => {
      await collector.close();
      throw error;
    },
  );
  const at = { host, port: config.grpcPort, log, httpPort: server.port, admits };
  beside.grpc = await serveGrpc(collector, at);
  const base = config.basePath === "/" ? "" : config.basePath;
  // Registered before it listens: a signal in between would end the process without cleanup.
  const stopped = nextSignal();
  log.info("listening", {
    url: `${server.url}${base}/`,
    backend: collector.store.name,
    data_dir: config.dataDir,
    version,
  });
  const signal = await stopped;
  log.info("stopping", { signal });
  // A second signal ends it at once; acknowledged data is durable all the same. A supervisor and
  // its process group often send the same signal together, which counts once.
  setTimeout(() => void nextSignal().then(() => process.exit(1)), impatienceMs).unref();
  const closed = Promise.all([server.close(), beside.grpc?.close()]);
  collector.endStreams();
  await closed;
  await collector.close();
  log.info("stopped");
  // The embedded engine keeps threads; everything is closed, so the process can exit.
  process.exit(0);
}

const impatienceMs = 1_000;

interface GrpcAt extends Omit<GrpcListenOptions, "port"> {
  readonly port: number | undefined;
}

/**
 * OTLP/gRPC beside OTLP/HTTP. A taken port belongs to another process and does not stop the
 * collector.
 */
async function serveGrpc(
  collector: Collector,
  { port, ...at }: GrpcAt,
): Promise<Listening | undefined> {
  if (port === undefined) return undefined;
  try {
    const grpc = await listenGrpc(collector.receiver, { ...at, port });
    at.log.info("listening_grpc", { url: grpc.url });
    return grpc;
  } catch (error) {
    const code = codeOf(error);
    const sentence =
      `Port ${port} cannot be listened on: OTLP/gRPC is not served, OTLP/HTTP is. ` +
      "Set TURNPROOF_GRPC_PORT to another port or to off.";
    at.log.warn("grpc_not_served", { code, port, sentence });
    return undefined;
  }
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => resolve(signal));
  });
}

/** Adds the command, and makes it what `turnproof` does without one. */
export function addUiCommand(program: Command): void {
  program
    .command("ui", { isDefault: true })
    .description("serve the collector: OTLP in on /v1, operator pages and JSON out")
    .option("--host <host>", `address to listen on (default ${configDefaults.HOST})`)
    .option("--port <port>", `port to listen on, 0 for a free one (default ${configDefaults.PORT})`)
    .option(
      "--grpc-port <port>",
      `port of OTLP/gRPC, 0 for a free one, off for none (default ${configDefaults.GRPC_PORT})`,
    )
    .option(
      "--data-dir <dir>",
      `directory of journal, store and audit log (default ${configDefaults.DATA_DIR})`,
    )
    .option("--backend <kind>", anyOf(providersWith("evidence")))
    .addHelpText(
      "after",
      `
Point any OpenTelemetry app here:
  export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318
  export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
or, for an SDK that supports only gRPC:
  export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4317
  export OTEL_EXPORTER_OTLP_PROTOCOL=grpc

Without authentication only loopback is served. For anything else set TURNPROOF_UI_AUTH_TOKEN,
TURNPROOF_INGEST_TOKENS for the producers, and TURNPROOF_PROXY for what ends TLS;
\`turnproof token\` makes a token, \`turnproof doctor\` explains what is set.`,
    )
    .action((flags: UiFlags) => serveUi(flags));
}
