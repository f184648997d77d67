/**
 * @module Prepare: prepares batches for a store in a worker thread (`appendPrepared`). Loads no
 * engine.
 */
export { BlockPreparer } from "./clickhouse/prepared-batch.ts";
