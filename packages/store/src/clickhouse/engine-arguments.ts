/**
 * @module EngineArguments: bounds of the embedded engine, whose defaults are those of a server.
 * They are no settings of a statement: the first connection to a directory passes them (decision
 * 0017).
 */

const megabyte = 2 ** 20;

/** Settings of the engine's process, by name; caches in bytes. */
export const engineBounds: Readonly<Record<string, number>> = {
  mark_cache_size: 64 * megabyte,
  index_mark_cache_size: 32 * megabyte,
  primary_index_cache_size: 64 * megabyte,
  text_index_tokens_cache_size: 16 * megabyte,
  text_index_header_cache_size: 16 * megabyte,
  text_index_postings_cache_size: 64 * megabyte,
  query_condition_cache_size: 16 * megabyte,
  compiled_expression_cache_size: 16 * megabyte,
  // How often the engine reads its own memory from /proc; by default some 20 times a second.
  memory_worker_period_ms: 1_000,
  // An idle thread holds memory and three open descriptors, of its files under /proc.
  max_thread_pool_free_size: 8,
};

/** The same as arguments of a connection. */
export const engineArguments: readonly string[] = Object.entries(engineBounds).map(
  ([name, value]) => `--${name}=${value}`,
);
