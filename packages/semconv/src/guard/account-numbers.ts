/**
 * @module Account numbers: payment cards by issuer, length and Luhn, and IBANs by country, length
 * and mod 97. Issuer and length come first, so that snowflakes and timestamps stay ids.
 */

/** Lengths of an IBAN by country, from the public registry of formats. */
const ibanLengths: { readonly [country: string]: number } = Object.fromEntries(
  (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 " +
    "DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 " +
    "IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 " +
    "MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 " +
    "SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** True when the digits have the prefix and length that a card network issues, and pass Luhn. */
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

/** True for an IBAN without separators: two capitals, check digits, its country's length. */
function isIban(text: string): boolean {
  const code = text.toUpperCase();
  if (ibanLengths[code.slice(0, 2)] !== code.length || !/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(code)) {
    return false;
  }
  let remainder = 0;
  for (let step = 0; step < code.length; step++) {
    const char = code.charCodeAt((step + 4) % code.length);
    const value = char < 58 ? char - 48 : char - 55;
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}

/** True when the text holds a payment card number or an IBAN that stands alone, grouped or not. */
export function hasAccountNumber(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (at > 0 && isAlphanumeric(text.charCodeAt(at - 1))) continue;
    const code = text.charCodeAt(at);
    if (isDigit(code) ? cardAt(text, at) : isAlphanumeric(code) && ibanAt(text, at)) return true;
  }
  return false;
}

/** Digits from here, single separators skipped, tested wherever a group ends. */
function cardAt(text: string, start: number): boolean {
  let digits = "";
  let group = 0;
  for (let at = start; at < text.length && digits.length <= 19; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) {
      digits += text[at];
      group++;
      if (isAlphanumeric(text.charCodeAt(at + 1))) continue;
      if (digits.length > 12 && (group === digits.length || group < 8) && isCardNumber(digits)) {
        return true;
      }
    } else if (isSeparator(code) && group > 2 && group < 8) group = 0;
    else return false;
  }
  return false;
}

/** As many letters and digits as the country's IBAN has, single separators skipped. */
function ibanAt(text: string, start: number): boolean {
  if (!isDigit(text.charCodeAt(start + 2)) || !isDigit(text.charCodeAt(start + 3))) return false;
  const length = ibanLengths[text.slice(start, start + 2).toUpperCase()];
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
