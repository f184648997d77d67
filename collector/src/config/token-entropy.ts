/**
 * @module Token entropy: the bits of the shortest description of a token, from random characters,
 * words, runs of digits, steps along a keyboard or an alphabet, and copies of what came before. A
 * typed token has a short one, however many words it joins; a random token has none that is much
 * shorter than itself. Estimates of a password's guesses count each word as thousands at least, so
 * that four common ones pass them.
 */

/** Bits of a letter that often follows the one before it: what English has in running text. */
const commonPairBits = 1.3;
/** Bits of any other letter of a word. */
const rarePairBits = 5.5;
/** Bits that a part costs before its first character. */
const partBits = { word: 9, digits: 3, step: 6.5, copy: 8 };
const knownWordBits = 6;
const stepBits = 0.5;
const digitBits = Math.log2(10);
/** Bits of a change between upper and lower case within a word. */
const caseBits = 3;

/** Letters that often follow a letter: nine in ten pairs within the words of this documentation. */
const commonPairs = pairsOf(
  "a:cdgilmnprstu b:eu c:aehklot d:aeis e:acdefilmnprstvx f:aior g:e h:aeior i:cdeglmnorst " +
    "k:e l:adeilost m:aeiop n:acdegopst o:cdflmnoprstuvw p:aelort q:u r:adeinostuy s:cehiopstu " +
    "t:aehiorstu u:delmnrst v:ei w:ehins x:pt",
);

/** Words that tokens are typed with. */
export const words: readonly string[] = [
  ..."password passwort secret letmein welcome changeme default super correct horse battery".split(
    " ",
  ),
  ..."staple monkey dragon shadow master summer winter test admin operator viewer account".split(
    " ",
  ),
  ..."token ingest collector turnproof production staging release company service".split(" "),
  ..."secure private public".split(" "),
];

const steps = stepsOf([
  "0123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "1q2w3e4r5t6y7u8i9o0p",
  "qazwsxedcrfvtgbyhnujmikolp",
]);

const spelled: Readonly<Record<string, string>> = {
  0: "o",
  1: "i",
  3: "e",
  4: "a",
  5: "s",
  7: "t",
};

/** Bits of the shortest description; punctuation has none. */
export function entropyBits(token: string): number {
  const text = token.replaceAll(/[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]+/g, "");
  const lower = text.toLowerCase();
  const plain = lower.replaceAll(/[013457]/g, (digit) => spelled[digit] ?? digit);
  const random = randomBits(text);
  /** The shortest description of the text up to each place. */
  const least = [0, ...Array.from(text, () => Number.POSITIVE_INFINITY)];
  const reach = (end: number, bits: number): void => {
    least[end] = Math.min(bits, least[end] ?? bits);
  };
  for (let at = 0; at < text.length; at += 1) {
    const before = least[at] ?? 0;
    reach(at + 1, before + random);
    runOf(lower, at, isDigit, (end, length) =>
      reach(end, before + partBits.digits + length * digitBits),
    );
    const isStep = (_: string, place: number): boolean =>
      steps.has(lower.slice(place - 1, place + 1));
    if (at > 0) {
      runOf(lower, at, isStep, (end, length) =>
        reach(end, before + partBits.step + length * stepBits),
      );
    }
    let word = before + partBits.word;
    runOf(lower, at, isLetter, (end, length) => {
      if (length > 1) word += pairBits(text, lower, end - 1, length > 2);
      reach(end, word);
    });
    for (const known of words) {
      if (plain.startsWith(known, at)) reach(at + known.length, before + knownWordBits);
    }
    const copy = before + partBits.copy + Math.log2(at + 1);
    for (let end = at + 3; end <= text.length && copied(lower, at, end); end += 1) reach(end, copy);
  }
  return least[text.length] ?? 0;
}

/** Bits of one character of a random text that has these kinds of characters. */
function randomBits(text: string): number {
  if (/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text)) return /^\d+$/.test(text) ? digitBits : 4;
  const sizes = [/[a-z]/, /[A-Z]/].map((kind) => (kind.test(text) ? 26 : 0));
  // A character that is not ASCII is one of a byte's.
  const others = /[^\da-zA-Z]/.test(text) ? 194 : 0;
  const size = sizes.reduce((sum, one) => sum + one, /\d/.test(text) ? 10 : 0);
  return Math.log2(Math.max(1, size + others));
}

function pairBits(text: string, lower: string, at: number, countsCase: boolean): number {
  const isCommon = commonPairs.has(lower.slice(at - 1, at + 1));
  const isChange = countsCase && isLower(text[at]) !== isLower(text[at - 1]);
  return (isCommon ? commonPairBits : rarePairBits) + (isChange ? caseBits : 0);
}

/** Calls with each end of the run that begins here. */
function runOf(
  text: string,
  start: number,
  belongs: (one: string, place: number) => boolean,
  each: (end: number, length: number) => void,
): void {
  for (let at = start; at < text.length && belongs(text[at] ?? "", at); at += 1) {
    each(at + 1, at + 1 - start);
  }
}

const isDigit = (one: string): boolean => one >= "0" && one <= "9";
const isLetter = (one: string): boolean => one >= "a" && one <= "z";
const isLower = (one = ""): boolean => isLetter(one);

/** Whether this part stands before itself in the text. */
function copied(text: string, start: number, end: number): boolean {
  const found = text.indexOf(text.slice(start, end));
  return found < start;
}

function pairsOf(list: string): ReadonlySet<string> {
  const rows = list.split(" ").map((row) => row.split(":"));
  return new Set(rows.flatMap(([first = "", next = ""]) => Array.from(next, (one) => first + one)));
}

/** Pairs of neighbours in both directions, and of one character twice. */
function stepsOf(rows: readonly string[]): ReadonlySet<string> {
  const pairs = rows.flatMap((row) =>
    Array.from(row, (one, at) => [one + one, one + (row[at + 1] ?? ""), (row[at + 1] ?? "") + one]),
  );
  return new Set(pairs.flat().filter((pair) => pair.length === 2));
}
