/**
 * @module Display name: what names an agent, a workflow or a service, and no sentence. Names and
 * short prompts cannot be told apart for certain; what speaks to somebody is taken for a prompt,
 * and a name that is taken for one is keyed, not lost.
 */

/** Letters of any script, digits and ordinary punctuation. */
const namePattern: RegExp = /^[\p{L}\p{N}_@$#&([][\p{L}\p{M}\p{N} _.,:()[\]&'’+\-–—/@#$|·•]*$/u;

const charsMax = 48;
const wordsMax = 4;

/** Characters of a name in scripts that are written without spaces. */
const spacelessCharsMax = 12;

/** Digits in a row of words of nothing else: a number is no name. */
const bareDigitsMax = 6;

/** Han, kana, Thai, Lao, Khmer, Burmese and Tibetan are written without spaces. */
const spacelessLetter: RegExp =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}]/gu;

/**
 * Words of speech: who is asked or spoken to, and how. They stand in a prompt of two words or more
 * and hardly in a name.
 */
const speechWords: ReadonlySet<string> = new Set(
  (
    "a an the me my mine you your yours we us our i'm i've what what's who who's whose why how when " +
    "where which is are was were am do does did can could should would please this that these those " +
    "there here have has had let's hello hi hey thanks tell give show write explain " +
    "ich du sie wir mir mich dir dich mein meine meinen dein deine ihr bitte was wer wie warum wann " +
    "ist sind bin hast habe kannst können ein eine einen einem einer das dem den der diese dieser " +
    "dieses hallo danke schreib schreibe erkläre zeig zeige gib sag " +
    "je tu vous nous moi mon ma mes ton votre vos quel quelle quels quelles quoi qui que comment " +
    "pourquoi quand est sont un une des cette ces ce bonjour merci peux pouvez écris explique dis " +
    "yo tú usted mi mis tus qué quién cómo cuándo dónde cuál es son está están una unos este esta " +
    "esto hola gracias puedes escribe explica dime dame por eu você meu minha seu sua quê quem como " +
    "onde quando qual são está um uma isso olá obrigado pode escreva explique diga io mio mia tuo " +
    "tua che chi cosa perché quale sono è uno questo questa ciao grazie puoi scrivi spiega dimmi " +
    "dammi ik jij mijn jouw wat wie hoe waarom wanneer zijn een het deze dit hallo dank kun schrijf " +
    "jag du min mitt din vad vem hur varför när är ett detta hej tack kan skriv jeg meg hva hvem " +
    "hvordan hvorfor er dette hvad hvorfor ja mnie mój moja twój co kto jak dlaczego kiedy gdzie " +
    "jest są to ten proszę cześć napisz wyjaśnij powiedz co kdo jak proč kdy kde je jsou mi můj " +
    "prosím napiš ben sen bana benim senin ne kim nasıl neden niçin zaman nerede bir bu lütfen " +
    "merhaba yaz açıkla söyle saya kamu anda apa siapa bagaimana mengapa kapan mana adalah ini itu " +
    "tolong halo tulis jelaskan tôi bạn của là gì ai sao nào khi đâu này hãy xin giúp viết " +
    "я ты вы мы мне меня мой моя мои твой ваш что кто как почему когда где какой какая это эта этот " +
    "есть привет спасибо пожалуйста напиши объясни скажи дай покажи мені мій що хто чому коли де " +
    "який це цей будь ласка напиши поясни εγώ εσύ μου σου τι ποιος πώς γιατί πότε πού είναι ένα " +
    "μια αυτό παρακαλώ γεια γράψε אני אתה שלי מה מי איך למה מתי איפה זה בבקשה שלום כתוב " +
    "أنا أنت ما ماذا من كيف لماذا متى أين هل هذا هذه اكتب اشرح من فضلك مرحبا قل " +
    "मैं तुम आप मेरा मेरी क्या कौन कैसे क्यों कब कहाँ है हैं यह कृपया नमस्ते लिखो बताओ मुझे " +
    "আমি তুমি আপনি আমার কি কে কেন কখন কোথায় এই লিখুন বলুন আমাকে " +
    "나 저 너 나는 저는 내 제 뭐 무엇 누구 어떻게 왜 언제 어디 이거 안녕 해줘 써줘 알려줘 주세요 " +
    "해주세요 알려주세요 뭐야 있어 mimi wewe nini nani vipi kwa lini wapi hii tafadhali habari"
  ).split(" "),
);

/** The same in scripts without spaces, where a word is found inside. */
const spacelessSpeech: RegExp =
  /[吗嗎呢我你您谁誰哪]|什么|什麼|怎么|怎麼|为什么|為什麼|如何|多少|请帮|請幫|请问|請問|告诉|告訴|你好|ください|下さい|教えて|ですか|ますか|でしょう|なぜ|どう|何[をがですか]|して$|ไหม|อะไร|ทำไม|ช่วย|อย่างไร|ที่ไหน|เมื่อไหร่/u;

/** True when so few of the characters are of scripts without spaces that they may be a name. */
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
  let words = 0;
  let letters = false;
  for (const token of text.split(" ")) {
    // A dash or an ampersand between words is none.
    if (token.length === 1 && !/[\p{L}\p{N}]/u.test(token)) continue;
    if (++words > wordsMax || speaks(token)) return false;
    letters ||= /\p{L}/u.test(token);
  }
  return letters;
}

function hasWide(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return true;
  return false;
}

/** A long number tells somebody's account or telephone, not a name. */
function isBareNumber(text: string): boolean {
  return text.length > bareDigitsMax && /^[\d().,+-]+$/.test(text);
}

/** True for a word of speech; an abbreviation in capitals is none. */
function speaks(token: string): boolean {
  const word = token.replace(/[.,:]$/, "").replaceAll("’", "'");
  if (word.length > 1 && word === word.toUpperCase() && word !== word.toLowerCase()) return false;
  // One capital is an initial or a mark: Plan A.
  if (/^[A-Z]$/.test(word)) return false;
  return speechWords.has(word.toLowerCase());
}
