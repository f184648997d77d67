/**
 * @module ThirdPartyLicenses: the license texts of the packages inside a bundle, in a file beside
 * it, because their licenses require that.
 */
import { licensePlugin } from "rolldown-license-plugin";

/**
 * Writes `THIRD-PARTY-LICENSES.txt`. A package without a license ends the build.
 * @param {{ list?: string }} [options] `list`: name of a further file, a JSON array of
 *   `{ name, version }`, from which the bill of materials has the packages inside the bundle.
 */
export function thirdPartyLicenses({ list } = {}) {
  return licensePlugin({
    failOnUnlicensed: true,
    done(packages, context) {
      const others = packages.filter(
        ({ name }) => name !== "turnproof" && !name.startsWith("@turnproof/"),
      );
      const source = others
        .map(({ name, version, license, licenseText }) =>
          [`${name} ${version} (${license})`, licenseText.trim()].join("\n\n").trim(),
        )
        .join(`\n\n${"-".repeat(80)}\n\n`);
      context.emitFile({
        type: "asset",
        fileName: "THIRD-PARTY-LICENSES.txt",
        source: `${source}\n`,
      });
      if (list === undefined) return;
      const named = others.map(({ name, version }) => ({ name, version }));
      context.emitFile({ type: "asset", fileName: list, source: `${JSON.stringify(named)}\n` });
    },
  });
}
