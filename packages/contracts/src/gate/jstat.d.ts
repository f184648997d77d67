/** The part of jStat that the gate uses: quantiles, and the logarithm of the gamma function. */
declare module "jstat" {
  export const jStat: {
    readonly beta: { inv(p: number, alpha: number, beta: number): number };
    readonly normal: {
      inv(p: number, mean: number, sd: number): number;
      cdf(x: number, mean: number, sd: number): number;
    };
    gammaln(x: number): number;
  };
  const all: { readonly jStat: typeof jStat };
  export default all;
}
