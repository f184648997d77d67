/**
 * @module Account numbers: payment cards by issuer, length and Luhn, and IBANs by country, length
 * and mod 97. Issuer and length are checked first, so that snowflakes and timestamps remain ids.
 */

/**
 * What follows an IBAN's check digits by country, from the public registry of formats: digits (n),
 * capitals (a) or either (c). Without it a random id of sixteen hex digits passes for a Belgian
 * account once in sixty thousand.
 */
const accountForms: { readonly [country: string]: readonly [form: RegExp, length: number] } =
  Object.fromEntries(
    (
      "AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BI23n BR23n1a1c BY4c4n16c " +
      "CH5n12c CR18n CY8n16c CZ20n DE18n DJ23n DK14n DO4c20n EE16n EG25n ES20n FI14n FK2a12n FO14n " +
      "FR10n11c2n GB4a14n GE2a16n GI4a15c GL14n GR7n16c GT24c HN4a20n HR17n HU24n IE4a14n IL19n " +
      "IQ4a15n IS22n IT1a10n12c JO4a4n18c KW4a22c KZ3n13c LB4n20c LC4a24c LI5n12c LT16n LU3n13c " +
      "LV4a13c LY21n MC10n11c2n MD20c ME18n MK3n10c2n MN16n MR23n MT4a5n18c MU4a19n3a NI4a20n " +
      "NL4a10n NO11n OM3n16c PK4a16c PL24n PS4a21c PT21n QA4a21c RO4a16c RS18n RU14n15c SA2n18c " +
      "SC4a20n3a SD14n SE20n SI15n SK20n SM1a10n12c SO19n ST21n SV4a20n TL19n TN20n TR6n16c UA6n19c " +
      "VA18n VG4a16n XK16n YE4a4n18c"
    )
      .split(" ")
      .map((entry) => [entry.slice(0, 2), accountForm(entry.slice(2))]),
  );

/** The pattern and the total length of an IBAN whose body is written like `4a14n`. */
function accountForm(body: string): [RegExp, number] {
  const classes = { n: "[0-9]", a: "[A-Z]", c: "[A-Z0-9]" } as const;
  let pattern = "^[A-Z]{2}[0-9]{2}";
  let length = 4;
  for (const [, count, kind] of body.matchAll(/(\d{1,2})([nac])/g)) {
    pattern += `${classes[kind as keyof typeof classes]}{${count}}`;
    length += Number(count);
  }
  return [new RegExp(`${pattern}$`), length];
}

/** True when the digits have a card network's prefix and length, and pass Luhn. */
export function isCardNumber(digits: string): boolean {
  return isIssued(digits) && passesLuhn(digits);
}

function isIssued(digits: string): boolean {
  const length = digits.length;
  if (length < 13 || length > 19) return false;
  const two = Number(digits.slice(0, 2));
  const four = Number(digits.slice(0, 4));
  if (two >= 40 && two <= 49) return length === 13 || length === 16 || length === 19;
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return length === 16;
  if (two === 34 || two === 37) return length === 15;
  if (two === 36 || two === 38 || (four >= 3000 && four <= 3059)) return length === 14;
  if (four >= 3528 && four <= 3589) return length === 16;
  if (four === 6011 || two === 65 || (four >= 6440 && four <= 6499)) return length === 16;
  return two === 62 && length >= 16;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, double = false; at >= 0; at--, double = !double) {
    let digit = digits.charCodeAt(at) - 48;
    if (double) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 === 0;
}

/** True for an IBAN without separators: its country's form, and check digits by mod 97. */
function isIban(text: string): boolean {
  const code = text.toUpperCase();
  if (accountForms[code.slice(0, 2)]?.[0].test(code) !== true) return false;
  let remainder = 0;
  for (let step = 0; step < code.length; step++) {
    const char = code.charCodeAt((step + 4) % code.length);
    const value = char < 58 ? char - 48 : char - 55;
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/**
 * True when the text holds a payment card number or an IBAN that stands alone, grouped or not; with
 * `groupedOnly`, digits in one run are no card.
 */
export function hasAccountNumber(text: string, groupedOnly: boolean): boolean {
  for (let at = 0; at < text.length; at++) {
    if (at > 0 && isAlphanumeric(text.charCodeAt(at - 1))) continue;
    const code = text.charCodeAt(at);
    if (isDigit(code) ? cardAt(text, at, groupedOnly) : isAlphanumeric(code) && ibanAt(text, at))
      return true;
  }
  return false;
}

/** Collects digits from here, skipping single separators; tests them wherever a group ends. */
function cardAt(text: string, start: number, groupedOnly: boolean): boolean {
  let digits = "";
  let group = 0;
  for (let at = start; at < text.length && digits.length <= 19; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      digits += text[at];
      group++;
      if (isAlphanumeric(text.charCodeAt(at + 1))) continue;
      const standing = group === digits.length ? !groupedOnly : group < 8;
      if (digits.length > 12 && standing && isCardNumber(digits)) return true;
    } else if (isSeparator(code) && group > 2 && group < 8) group = 0;
    else return false;
  }
  return false;
}

/** Collects as many letters and digits as the country's IBAN has, skipping single separators. */
function ibanAt(text: string, start: number): boolean {
  if (!isDigit(text.charCodeAt(start + 2)) || !isDigit(text.charCodeAt(start + 3))) return false;
  const length = accountForms[text.slice(start, start + 2).toUpperCase()]?.[1];
  if (length === undefined) return false;
  let code = "";
  let at = start;
  for (; at < text.length && code.length < length; at++) {
    if (isAlphanumeric(text.charCodeAt(at))) code += text[at];
    else if (!isSeparator(text.charCodeAt(at))) return false;
  }
  return !isAlphanumeric(text.charCodeAt(at)) && isIban(code);
}

function isDigit(code: number): boolean {
  return code > 47 && code < 58;
}

function isAlphanumeric(code: number): boolean {
  return isDigit(code) || (code > 64 && code < 91) || (code > 96 && code < 123);
}

/** Space, dash or dot. */
function isSeparator(code: number): boolean {
  return code === 32 || code === 45 || code === 46;
}
