/**
 * @module The seed of every property: one number, so that a run on another machine draws what this
 * one drew. `TURNPROOF_TEST_SEED` names another; `random` explores, and fast-check then prints the
 * seed of what failed.
 */
import fc from "fast-check";

const requested = process.env["TURNPROOF_TEST_SEED"] ?? "20261121";

if (requested !== "random")
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(requested) });
