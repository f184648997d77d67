/** @module Witness. */
export {};
