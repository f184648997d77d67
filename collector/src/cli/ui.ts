/**
 * @module `turnproof ui`: serves the collector until a signal ends it. Stops accepting, drains,
 * closes the store, and exits 0.
 */
import type { Command } from "commander";
import { CodedError } from "@turnproof/semconv";

import { createCollector } from "../collector.ts";
import { readConfig } from "../config.ts";
import type { Config } from "../config.ts";
import { loadHooks } from "../hooks-file.ts";
import { createLog } from "../log.ts";
import { listen } from "../server.ts";
import { version } from "../version.ts";
import { reportFailure } from "./failure.ts";

interface UiFlags {
  readonly host?: string;
  readonly port?: string;
  readonly dataDir?: string;
  readonly backend?: string;
}

/** Serves until SIGTERM or SIGINT. */
async function serveUi(flags: UiFlags): Promise<void> {
  try {
    await serve(readConfig(flags));
  } catch (error) {
    reportFailure(error);
  }
}

async function serve(config: Config): Promise<void> {
  const log = createLog(config.log);
  // Whoever read the log is gone; the collector stays.
  process.stderr.on("error", () => {});
  // The last resort: Node's own report would print a message, and a message may hold anything.
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
  const server = await listen(collector.app, { host, port, log, names }).catch(
    async (error: unknown) => {
      await collector.close();
      throw error;
    },
  );
  const base = config.basePath === "/" ? "" : config.basePath;
  log.info("listening", {
    url: `${server.url}${base}/`,
    backend: collector.store.name,
    data_dir: config.dataDir,
    version,
  });
  const signal = await nextSignal();
  log.info("stopping", { signal });
  // Whoever asks again does not want to wait; what was acknowledged is durable all the same. A
  // supervisor and its group often send the same signal at once, which is asking only once.
  setTimeout(() => void nextSignal().then(() => process.exit(1)), impatienceMs).unref();
  const closed = server.close();
  collector.endStreams();
  await closed;
  await collector.close();
  log.info("stopped");
  // The embedded engine keeps threads; everything is closed, so the process may end.
  process.exit(0);
}

const impatienceMs = 1_000;

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
    .option("--host <host>", "address to listen on (default 127.0.0.1)")
    .option("--port <port>", "port to listen on, 0 for a free one (default 4318)")
    .option("--data-dir <dir>", "where journal, store and audit lie (default .turnproof)")
    .option("--backend <kind>", "clickhouse, filesystem, postgres, mongodb or ephemeral")
    .addHelpText(
      "after",
      `
Point any OpenTelemetry app here:
  export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318
  export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf

Without authentication only loopback is served. For anything else set TURNPROOF_UI_AUTH_TOKEN,
and TURNPROOF_INGEST_TOKENS for the producers; \`turnproof doctor\` explains what is set.`,
    )
    .action((flags: UiFlags) => serveUi(flags));
}
