/**
 * @module Guard of sockets, loaded with `--require` before anything else: whatever a library tries
 * to reach beyond loopback fails at once and is written to the file FOREIGN_REPORT, so that the
 * scenario fails even where the library swallows the error.
 */
"use strict";
const dgram = require("node:dgram");
const dns = require("node:dns");
const { appendFileSync } = require("node:fs");
const net = require("node:net");

const loopback =
  /^(?:localhost|127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3}|0\.0\.0\.0|::)?$/;

function check(host, how) {
  if (typeof host !== "string" || loopback.test(host)) return;
  appendFileSync(process.env.FOREIGN_REPORT, `${how}\n`);
  throw new Error(`a foreign test reaches loopback only (${how})`);
}

/** The host that arguments of `connect` name; a path or a port alone is of this machine. */
function hostOf([first, second]) {
  const [options, host] = Array.isArray(first) ? first : [first, second];
  if (typeof options === "object" && options !== null) return options.host;
  return typeof host === "string" ? host : undefined;
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function guarded(...given) {
  check(hostOf(given), "net.connect");
  return connect.apply(this, given);
};

const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function guarded(...given) {
  check(
    given.slice(1).find((part) => typeof part === "string"),
    "dgram.send",
  );
  return send.apply(this, given);
};

for (const home of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const name of Object.getOwnPropertyNames(home)) {
    if (!/^(lookup|resolve|reverse)/.test(name) || typeof home[name] !== "function") continue;
    const whole = home[name];
    const promises = home === dns.promises || home === dns.promises.Resolver.prototype;
    home[name] = function guarded(host, ...rest) {
      try {
        check(host, `dns.${name}`);
      } catch (error) {
        if (promises) return Promise.reject(error);
        throw error;
      }
      return whole.call(this, host, ...rest);
    };
  }
}
