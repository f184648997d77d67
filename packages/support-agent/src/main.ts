/**
 * @module `npx @turnproof/support-agent`: a support agent with memory in PGlite and a mock model,
 * to use in a browser while a collector shows each turn. `--help` lists the settings.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { register } from "@turnproof/exporter/register";
import { CodedError } from "@turnproof/semconv";
import { postgres } from "@turnproof/store";

import { startChat } from "./chat-server.ts";
import { watch } from "./collector-process.ts";
import { supportAgent } from "./support-agent.ts";

const help = `A support agent to chat with, with memory in PGlite and a mock model.

  npx @turnproof/support-agent     then open the two addresses that it prints

  --port N         of the chat, 0 for a free one (default 3000)
  --data DIR       where memory and evidence lie
                   (default .turnproof-support-agent)
  --endpoint URL   the collector (default http://127.0.0.1:4318);
                   where none answers on this machine, one is started

Ctrl-C ends it, and the collector that it started. Memory stays in DIR.`;

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void => void process.stderr.write(`${text}\n`);

/** The parsed command line, or the reason why it is invalid. */
function optionsOf(): ReturnType<typeof parsed> | string {
  try {
    const options = parsed();
    if (!/^\d{1,5}$/.test(options.port)) return "--port takes a number.";
    if (!URL.canParse(options.endpoint)) return "--endpoint takes a URL.";
    return options;
  } catch (error) {
    return (error as Error).message;
  }
}

function parsed() {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "3000" },
      data: { type: "string", default: ".turnproof-support-agent" },
      endpoint: { type: "string", default: "http://127.0.0.1:4318" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  return values;
}

/** Resources that were opened; closed in reverse order, also when closing one fails. */
class Opened {
  readonly #closing: (() => Promise<unknown>)[] = [];
  #ended: Promise<void> | undefined;

  add(close: () => Promise<unknown>): void {
    this.#closing.unshift(close);
  }

  close(): Promise<void> {
    this.#ended ??= (async () => {
      // The others are closed all the same; the process ends after them.
      for (const close of this.#closing) await close().catch(() => undefined);
    })();
    return this.#ended;
  }
}

async function run(options: ReturnType<typeof parsed>, opened: Opened): Promise<void> {
  const endpoint = options.endpoint.replace(/\/+$/, "");
  print("Starting …");
  const watching = await watch(endpoint, join(options.data, "collector"));
  opened.add(() => watching.end());
  const telemetry = register({ serviceName: "support-agent", endpoint });
  opened.add(() => telemetry.shutdown());
  const { memory, close } = await openMemory(join(options.data, "memory"));
  opened.add(close);
  const chat = await startChat(supportAgent(memory), Number(options.port));
  opened.add(async () => chat[Symbol.asyncDispose]());
  print(`Talk to the agent: ${chat.url}`);
  print(`Watch its turns:   ${endpoint}/traces`);
  if (watching.problem !== undefined) print(watching.problem);
  print("Ctrl-C ends it.");
}

async function openMemory(path: string) {
  const provider = await postgres({ path });
  return { memory: provider.memory, close: () => provider.close() };
}

/** Why the start failed, in one sentence. */
function reasonOf(error: unknown, { port, data }: ReturnType<typeof parsed>): string {
  if (CodedError.is(error) && error.code === "store_locked") {
    return `Another agent uses ${data}: end it, or choose another directory by --data.`;
  }
  if ((error as { code?: unknown }).code === "EADDRINUSE") {
    return `Port ${port} is taken: choose another by --port, or 0 for a free one.`;
  }
  return CodedError.is(error) ? `${error.code}: ${error.message}` : String(error);
}

const options = optionsOf();
if (typeof options === "string") {
  complain(`${options}\nSee --help.`);
  process.exitCode = 2;
} else if (options.help) print(help);
else {
  const opened = new Opened();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => {
      print("Ending …");
      void opened.close().then(() => print(`Ended. Memory stays in ${options.data}.`));
    });
  }
  try {
    await run(options, opened);
  } catch (error) {
    complain(reasonOf(error, options));
    process.exitCode = 1;
    await opened.close();
  }
}
