/**
 * @module Prepare: batches made ready for a store in another thread than the one that sends them
 * (`appendPrepared`). Loads no engine.
 */
export { BlockPreparer } from "./clickhouse/prepared-batch.ts";
