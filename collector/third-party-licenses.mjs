/**
 * @module ThirdPartyLicenses: the license texts of the packages inside a bundle, in a file beside
 * it, because their licenses ask for that.
 */
import { licensePlugin } from "rolldown-license-plugin";

/** Writes `THIRD-PARTY-LICENSES.txt`. A package without a license ends the build. */
export function thirdPartyLicenses() {
  return licensePlugin({
    failOnUnlicensed: true,
    done(packages, context) {
      const source = packages
        .filter(({ name }) => name !== "turnproof" && !name.startsWith("@turnproof/"))
        .map(({ name, version, license, licenseText }) =>
          [`${name} ${version} (${license})`, licenseText.trim()].join("\n\n").trim(),
        )
        .join(`\n\n${"-".repeat(80)}\n\n`);
      context.emitFile({
        type: "asset",
        fileName: "THIRD-PARTY-LICENSES.txt",
        source: `${source}\n`,
      });
    },
  });
}
