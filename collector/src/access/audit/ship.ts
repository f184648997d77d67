/**
 * @module Ship: sends checkpoints of the audit log to places that outlive this host: a file, a
 * syslog server, a webhook, a bucket. Only the newest one matters, so a target that is away
 * receives the newest when it is back. Shipping never delays an answer (security: Audit).
 */
import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { hostname } from "node:os";

import { isoNow } from "@turnproof/semconv";
import { AwsClient } from "aws4fetch";

import type { Config } from "../../config/config.ts";
import type { ShipTarget } from "../../config/ship-targets.ts";
import type { Log } from "../../log.ts";
import { appendDurably } from "./log-file.ts";
import { signerOf } from "./note.ts";
import type { Append } from "./reserve.ts";

/** Credentials of targets; absent ones are not sent. */
export interface ShipSecrets {
  readonly webhookToken?: string;
  readonly s3?: { readonly keyId: string; readonly secret: string; readonly region: string };
}

/** State of the targets, for Health and metrics. */
export interface ShipState {
  readonly targets: number;
  /** Size of the newest checkpoint that every target has; null before the first. */
  readonly shipped: number | null;
  /** Targets whose last attempt failed. */
  readonly failing: number;
  readonly failures: number;
}

/** Checkpoints on their way. */
export interface Shipper {
  ship(size: number, note: string): void;
  readonly state: ShipState;
  /** Gives what is on its way a last chance. */
  close(deadlineMs: number): Promise<void>;
}

/** Targets, secrets, and times that tests shorten. */
export interface ShipOptions {
  readonly targets: readonly ShipTarget[];
  readonly secrets: ShipSecrets;
  readonly log: Log;
  readonly retryMs?: number;
  readonly timeoutMs?: number;
  /** How text is written to a file; default: the file system's own. */
  readonly append?: Append;
}

const defaults = { retryMs: 1_000, timeoutMs: 10_000 } as const;
const retryMsMax = 60_000;
/** How long a syslog server may keep a connection open whose message was sent. */
const keptOpenMs = 1_000;

/** Opens a shipper to its targets. */
export function createShipper(options: ShipOptions): Shipper {
  const lanes = options.targets.map(
    (target) => new TargetLane(target, { ...defaults, ...options }),
  );
  return {
    ship: (size, note) => {
      for (const lane of lanes) lane.take({ size, note });
    },
    get state() {
      const sizes = lanes.map(({ shipped }) => shipped);
      const all = sizes.every((size) => size !== null) ? Math.min(...sizes) : null;
      return {
        targets: lanes.length,
        shipped: lanes.length === 0 ? null : all,
        failing: lanes.filter(({ failing }) => failing).length,
        failures: lanes.reduce((sum, { failures }) => sum + failures, 0),
      };
    },
    close: async (deadlineMs) => {
      await Promise.all(lanes.map((lane) => lane.close(deadlineMs)));
    },
  };
}

/** The shipper of a configuration. */
export function shipperOf(
  config: Pick<Config, "auditShip" | "auditWebhookToken" | "auditS3">,
  log: Log,
): Shipper {
  const { auditShip: targets, auditWebhookToken: webhookToken, auditS3: s3 } = config;
  const secrets = { ...(webhookToken === undefined ? {} : { webhookToken }), ...(s3 && { s3 }) };
  return createShipper({ targets, secrets, log });
}

interface WaitingCheckpoint {
  readonly size: number;
  readonly note: string;
}

type LaneOptions = ShipOptions & { readonly retryMs: number; readonly timeoutMs: number };

/** One target: the newest checkpoint waits while another is on its way. */
class TargetLane {
  readonly #target: ShipTarget;
  readonly #options: LaneOptions;
  #waiting: WaitingCheckpoint | undefined;
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #inRow = 0;
  shipped: number | null = null;
  failures = 0;

  constructor(target: ShipTarget, options: LaneOptions) {
    this.#target = target;
    this.#options = options;
  }

  get failing(): boolean {
    return this.#inRow > 0;
  }

  take(checkpoint: WaitingCheckpoint): void {
    this.#waiting = checkpoint;
    // While a target is away its timer decides.
    if (this.#timer === undefined) this.#start();
  }

  #start(): void {
    this.#timer = undefined;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
      if (this.#waiting === undefined || this.#closed) return;
      if (this.#inRow === 0) this.#start();
      else this.#timer = setTimeout(() => this.#start(), this.#pause()).unref();
    });
  }

  #pause(): number {
    return Math.min(retryMsMax, this.#options.retryMs * 2 ** (this.#inRow - 1));
  }

  async #send(): Promise<void> {
    const checkpoint = this.#waiting;
    if (checkpoint === undefined) return;
    this.#waiting = undefined;
    try {
      await deliver(this.#target, checkpoint, this.#options);
      this.shipped = checkpoint.size;
      this.#inRow = 0;
    } catch (error) {
      // Any failure of the target is tried again; the log line below has its kind and a code, since
      // an error's text may hold the target's address.
      this.failures += 1;
      this.#inRow += 1;
      this.#waiting ??= checkpoint;
      const { kind } = this.#target;
      if (this.#inRow === 1) {
        this.#options.log.warn("audit_not_shipped", { target: kind, reason: reasonOf(error) });
      }
    }
  }

  async close(deadlineMs: number): Promise<void> {
    // First, so that the end of an attempt sets no timer again.
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    if (this.#waiting === undefined) return;
    const late = new Promise((resolve) => setTimeout(resolve, deadlineMs).unref());
    await Promise.race([this.#send(), late]);
  }
}

/** Resolves when the target has it; a syslog server over UDP sends no reply. */
async function deliver(
  target: ShipTarget,
  { size, note }: WaitingCheckpoint,
  options: Pick<ShipOptions, "secrets" | "append"> & { readonly timeoutMs: number },
): Promise<void> {
  const { secrets, append, timeoutMs } = options;
  const signal = AbortSignal.timeout(timeoutMs);
  if (target.kind === "file") {
    await appendDurably(target.path, note, append);
  } else if (target.kind === "syslog") {
    await toSyslog(target, syslogLine(note), timeoutMs);
  } else if (target.kind === "webhook") {
    const token = secrets.webhookToken;
    await answered(
      fetch(target.url, {
        method: "POST",
        body: note,
        redirect: "manual",
        signal,
        headers: {
          "content-type": "text/plain; charset=utf-8",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      }),
    );
  } else {
    const url = `${target.url}/${objectName(size, note)}`;
    const { keyId = "", secret = "", region } = secrets.s3 ?? {};
    const client = new AwsClient({
      accessKeyId: keyId,
      secretAccessKey: secret,
      service: "s3",
      ...(region === undefined ? {} : { region }),
    });
    const sha256 = createHash("sha256").update(note).digest();
    const request = await client.sign(url, {
      method: "PUT",
      body: note,
      headers: {
        "content-type": "text/plain; charset=utf-8",
        "x-amz-content-sha256": sha256.toString("hex"),
        // A bucket with Object Lock refuses an object without one.
        "x-amz-checksum-sha256": sha256.toString("base64"),
      },
    });
    await answered(fetch(request, { redirect: "manual", signal }));
  }
}

/**
 * Name of the object of a checkpoint: a folder for the key that signed it, the size, and a part of
 * the note's digest. Another history of the same size is another object: it replaces none.
 */
function objectName(size: number, note: string): string {
  const digest = createHash("sha256").update(note).digest("hex");
  return `${signerOf(note)}/${String(size).padStart(12, "0")}-${digest.slice(0, 16)}.checkpoint`;
}

async function answered(response: Promise<Response>): Promise<void> {
  const { ok, body, status } = await response;
  await body?.cancel();
  if (!ok) throw Object.assign(new Error("refused"), { code: `HTTP_${status}` });
}

/** Why a target has no checkpoint: a status, a code of the system or of TLS, `timeout`. */
function reasonOf(error: unknown): string {
  const { name, code, cause } = error as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly cause?: unknown;
  };
  if (name === "TimeoutError") return "timeout";
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return code;
  return typeof cause === "object" && cause !== null ? reasonOf(cause) : "unknown";
}

/** A message of RFC 5424: facility 13 (log audit), severity 5, and the note as base64. */
function syslogLine(note: string): string {
  const host =
    hostname()
      .replace(/[^\x21-\x7e]/g, "")
      .slice(0, 255) || "-";
  const head = `<109>1 ${isoNow()} ${host} turnproof ${process.pid} audit -`;
  return `${head} checkpoint=${Buffer.from(note).toString("base64")}`;
}

async function toSyslog(
  { protocol, host, port }: Extract<ShipTarget, { readonly kind: "syslog" }>,
  line: string,
  timeoutMs: number,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    if (protocol === "udp") {
      const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
      socket.once("error", reject);
      socket.send(line, port, host, (error) => {
        socket.close();
        if (error === null) resolve();
        else reject(error);
      });
      return;
    }
    const socket = connect({ host, port, timeout: timeoutMs });
    socket.once("timeout", () => {
      socket.destroy(Object.assign(new Error("timeout"), { name: "TimeoutError" }));
    });
    socket.once("error", reject);
    // RFC 6587: each message with its length in front.
    socket.once("connect", () => socket.end(`${Buffer.byteLength(line)} ${line}`));
    // A syslog server sends no reply. It has the message once this side has ended, also where it
    // does not close the connection.
    socket.once("finish", () => setTimeout(() => socket.destroy(), keptOpenMs).unref());
    socket.once("close", (failed) => (failed ? undefined : resolve()));
    socket.resume();
  });
}
