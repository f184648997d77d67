/**
 * @module Name key: the keyed form of a name that may be content. It is made in two steps, a
 * digest and then a fingerprint under the deployment's key. A producer without a key sends the
 * digest and the receiver applies the key, so the stored form does not depend on who made it.
 */
import { digestOf, identityPurpose, keyedFingerprint } from "./fingerprint.ts";
import type { Key } from "./fingerprint.ts";
import { isKeyedName } from "./guard/screen-identity.ts";
import type { IdentityKey } from "./guard/screen-identity.ts";

/** Purpose under which names are keyed. */
const namePurpose = "name";

/** Stands in the place of a key's name: the digest of a name that no key was applied to yet. */
const digestKid = "n0";
const digestPattern = new RegExp(`^${digestKid}_[a-z2-7]{26}$`);

/**
 * The digest of a name: `n0_<26 base32 characters>`. Without a key, a short name can be guessed.
 */
export function nameDigest(name: string): string {
  if (isKeyedName(name)) return name;
  return `${digestKid}_${digestOf(["name/v1", name.normalize("NFC")])}`;
}

/**
 * A name under a key: `<kid>_<26 base32 characters>`, the same for the name and for its digest. A
 * keyed name is returned unchanged.
 */
export function keyedName(name: string, key: Key): string {
  const digest = nameDigest(name);
  if (!digestPattern.test(digest)) return digest;
  return keyedFingerprint(digest, { key, purpose: namePurpose });
}

/**
 * The function by which a deployment keys what the guard refuses: identities by their fingerprint,
 * names by {@link keyedName}. A keyed name of a listed name becomes readable again.
 */
export function createIdentityKey(key: Key, knownNames: readonly string[] = []): IdentityKey {
  const own = new RegExp(`^${key.kid}_[a-z2-7]{26}$`);
  const readable = new Map(knownNames.map((name) => [keyedName(name, key), name] as const));
  return (value, row) => {
    if (row.keyed === "name") {
      const keyed = keyedName(value, key);
      return readable.get(keyed) ?? keyed;
    }
    return own.test(value) ? value : keyedFingerprint(value, { key, purpose: identityPurpose });
  };
}
