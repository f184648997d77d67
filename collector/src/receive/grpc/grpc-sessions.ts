/**
 * @module gRPC sessions: bounds of one connection. HTTP/2 lets a client open streams, ping and
 * change settings without limit; each is bounded here, and a client beyond a bound is notified and
 * disconnected.
 */
import { constants } from "node:http2";
import type { ServerHttp2Session, ServerOptions } from "node:http2";

/** Bounds that Node's HTTP/2 enforces by itself. */
export const sessionBounds: ServerOptions = {
  /** Megabytes for headers, queued answers and streams of one connection. */
  maxSessionMemory: 10,
  maxHeaderListPairs: 64,
  maxSettings: 16,
  maxOutstandingPings: 4,
  maxSessionInvalidFrames: 32,
  /** A client may open a hundred before it has read the settings. */
  maxSessionRejectedStreams: 128,
  settings: {
    enablePush: false,
    // An exporter sends a few at a time; those beyond are refused before they are a stream here.
    maxConcurrentStreams: 32,
    maxHeaderListSize: 8_192,
    initialWindowSize: 1_048_576,
  },
};

/** Bounds against streams that are opened and reset repeatedly (CVE-2023-44487). */
export const resetBounds: { streamResetBurst: number; streamResetRate: number } = {
  streamResetBurst: 256,
  streamResetRate: 32,
};

/** A connection whose client has not begun: empty SETTINGS, and GOAWAY with NO_ERROR, stream 0. */
export const goAwayFrame: Uint8Array = Buffer.from(
  "000000040000000000" + "0000080700000000000000000000000000",
  "hex",
);

/** Bytes that one connection may send before any of them is read. */
const connectionWindow = 8_388_608;
/** Most pings and changes of settings in a window of time; keep-alive needs a few. */
const nuisanceMax = 100;
const nuisanceWindowMs = 10_000;
/** After this long without a frame a connection is closed; clients reconnect. */
const idleMs = 300_000;

/**
 * Enforces a session's bounds: its settings must arrive within `settingsMs`. Calls `onCut` when it
 * is disconnected.
 */
export function boundSession(
  session: ServerHttp2Session,
  settingsMs: number,
  onCut: () => void,
): void {
  session.on("error", () => {});
  const late = setTimeout(() => session.destroy(), settingsMs);
  session.once("remoteSettings", () => clearTimeout(late));
  session.once("close", () => clearTimeout(late));
  session.setLocalWindowSize(connectionWindow);
  session.setTimeout(idleMs, () => session.close());
  let count = 0;
  let windowEnds = 0;
  const nuisance = (): void => {
    const now = performance.now();
    if (now > windowEnds) {
      count = 0;
      windowEnds = now + nuisanceWindowMs;
    }
    if (++count <= nuisanceMax || session.destroyed) return;
    onCut();
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    session.destroy();
  };
  session.on("ping", nuisance);
  session.on("remoteSettings", nuisance);
}
