/** @module Vector: raw cosine over embeddings, the only similarity in this package. */

/** Cosine in [-1, 1]; 0 for vectors that cannot be compared. */
export function cosineOf(a: readonly number[] | undefined, b: readonly number[]): number {
  if (a === undefined || a.length !== b.length) return 0;
  let dot = 0;
  let left = 0;
  let right = 0;
  for (let i = 0; i < b.length; i += 1) {
    const x = a[i] as number;
    const y = b[i] as number;
    dot += x * y;
    left += x * x;
    right += y * y;
  }
  return left === 0 || right === 0 ? 0 : dot / Math.sqrt(left * right);
}
