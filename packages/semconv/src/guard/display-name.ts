/**
 * @module Display name: accepts the name of an agent, a workflow or a service and refuses a
 * sentence. Names and short prompts cannot be separated with certainty; a text that addresses a
 * reader counts as a prompt, and a name refused that way is keyed, not lost.
 */

import { requests, spacelessSpeech, speechWords, titleWords } from "./speech.ts";

/** Letters of any script, digits and ordinary punctuation. */
const namePattern: RegExp = /^[\p{L}\p{N}_@$#&([][\p{L}\p{M}\p{N} _.,:()[\]&'’+\-–—/@#$|·•]*$/u;

const charsMax = 48;
const wordsMax = 4;

/** Most characters of a name in scripts that are written without spaces. */
const spacelessCharsMax = 12;

/** Most digits of a text that is only digits: a longer number is no name. */
const bareDigitsMax = 6;

/** Han, kana, Thai, Lao, Khmer, Burmese and Tibetan are written without spaces. */
const spacelessLetter: RegExp =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]/gu;

/** True when the text has few enough characters of scripts without spaces to be a name. */
export function isShortInSpacelessScripts(text: string): boolean {
  if (text.length <= spacelessCharsMax || !hasWide(text)) return true;
  return (text.match(spacelessLetter)?.length ?? 0) <= spacelessCharsMax;
}

/** True for a text that may be shown as a name. */
export function isDisplayName(text: string): boolean {
  if (text.length > charsMax || !namePattern.test(text) || text.endsWith(" ")) return false;
  const wide = hasWide(text);
  if (wide && (!isShortInSpacelessScripts(text) || spacelessSpeech.test(text))) return false;
  if (!text.includes(" ")) return !isBareNumber(text);
  // A dash or an ampersand between words is not a word.
  const words = text.split(" ").filter((token) => /[\p{L}\p{N}]/u.test(token));
  if (words.length > wordsMax) return false;
  const titled = isTitle(words);
  if (words.some((word) => isSpeech(word, titled)) || (!titled && requestsSomething(words))) {
    return false;
  }
  return words.some((word) => /\p{L}/u.test(word));
}

/**
 * True for words that begin with capitals as in a title, except its small words: Find My Order,
 * Book a Table. Prompts are rarely typed that way.
 */
function isTitle(words: readonly string[]): boolean {
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word));
  const rest = words.filter((word) => !/^\p{Lu}/u.test(word));
  return (
    capitals.length > 1 && capitals[0] === words[0] && rest.every((word) => titleWords.has(word))
  );
}

/** Fewest words of a request. */
const requestWordsMin = 3;

/** True for a request of three words or more, or of any length with a counting number. */
function requestsSomething(words: readonly string[]): boolean {
  if (words.length < requestWordsMin || !requests.has((words[0] as string).toLowerCase())) {
    return false;
  }
  return words.slice(1).some((word) => /^(?:\p{Ll}|\p{Lo}|\d)/u.test(word));
}

function hasWide(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return true;
  return false;
}

/** A long number is an account or telephone number, not a name. */
function isBareNumber(text: string): boolean {
  return text.length > bareDigitsMax && /^[\d().,+-]+$/.test(text);
}

/** True for a word of speech; an abbreviation in capitals and a title's own word are not. */
function isSpeech(token: string, titled: boolean): boolean {
  if (titled && titleWords.has(token.toLowerCase())) return false;
  const word = token.replace(/[.,:]$/, "").replaceAll("’", "'");
  if (word.length > 1 && word === word.toUpperCase() && word !== word.toLowerCase()) return false;
  if (/-(?:moi|toi|nous|vous|il|elle|tu|je)$/i.test(word)) return true;
  // One capital is an initial or a mark: Plan A.
  if (/^[A-Z]$/.test(word)) return false;
  return speechWords.has(word.toLowerCase());
}
