/**
 * @module Personal numbers: telephone and social security numbers written as such, with a plus
 * sign or separators. Digits alone count as an id.
 */

/** A United States social security number: areas, groups and serials that are issued. */
const socialPattern: RegExp =
  /(?:^|[^A-Za-z0-9.-])(?:00[1-9]|0[1-9]\d|[1-578]\d\d|6[0-57-9]\d|66[0-57-9])[- ](?:0[1-9]|[1-9]\d)[- ](?:000[1-9]|00[1-9]\d|0[1-9]\d\d|[1-9]\d{3})(?![A-Za-z0-9]|[.-]\d)/;

/** A North American telephone number in three groups. */
const northAmericanPattern: RegExp =
  /(?:^|[^A-Za-z0-9.-]|[A-Za-z]-)(?:1[ .-])?\(?[2-9]\d\d\)?[ .-]{1,2}[2-9]\d\d[ .-]\d{4}(?![A-Za-z0-9]|[.-]\d)/;

/** True when the text holds a social security number. */
export function hasSocialNumber(text: string): boolean {
  return socialPattern.test(text);
}

/** True when the text holds a telephone number. */
export function hasTelephoneNumber(text: string): boolean {
  return (text.includes("+") && hasInternational(text)) || northAmericanPattern.test(text);
}

/** Fewest and most digits of an international number (ITU-T E.164). */
const digitsMin = 8;
const digitsMax = 15;

/** A plus sign that follows no letter or digit, then 8 to 15 digits, separators between them. */
function hasInternational(text: string): boolean {
  for (let plus = text.indexOf("+"); plus !== -1; plus = text.indexOf("+", plus + 1)) {
    if (plus > 0 && isAlphanumeric(text.charCodeAt(plus - 1))) continue;
    const first = text.charCodeAt(plus + 1);
    if (first < 49 || first > 57) continue;
    let digits = 0;
    let at = plus + 1;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code > 47 && code < 58) digits++;
      else if (!isSeparator(code)) break;
    }
    if (digits >= digitsMin && digits <= digitsMax && !isAlphanumeric(text.charCodeAt(at))) {
      return true;
    }
  }
  return false;
}

function isAlphanumeric(code: number): boolean {
  return (code > 47 && code < 58) || (code > 64 && code < 91) || (code > 96 && code < 123);
}

/** Space, dash, dot, slash or a bracket. */
function isSeparator(code: number): boolean {
  return code === 32 || (code > 44 && code < 48) || code === 40 || code === 41;
}
