/**
 * @module Speech: words that mark a prompt, in 30 languages. They are few and common; a prompt
 * without any of them is not found.
 */

/**
 * Words of questions and of address. They occur in a prompt of two words or more and hardly ever
 * in a name.
 */
export const speechWords: ReadonlySet<string> = new Set(
  (
    "a an the me my your yours we us our i'm i've what what's who who's whose why how when " +
    "where which is are was were am does did can could should would please this that these " +
    "those there have has had let's hi hey thanks tell give write explain everything ich wir " +
    "mir mich dir dich meine meinen dein deine ihr bitte wer wie wo warum wann ist sind bin " +
    "hast habe kannst können ein eine einen einem einer diese dieser dieses hallo danke schreib " +
    "schreibe erkläre zeig zeige gib sag je tu vous nous moi votre vos quel quelle quels " +
    "quelles quoi qui que comment pourquoi quand sont un une cette ces ce bonjour merci peux " +
    "pouvez écris explique dis yo tú usted qué quién cómo cuándo dónde cuál está están una unos " +
    "este esta esto hola gracias puedes escribe explica dime dame cuéntame eu você meu minha " +
    "seu sua quê quem como onde quando qual são um uma isso olá obrigado pode escreva diga " +
    "conte che chi cosa perché quale sono è questo questa dov'è ciao grazie puoi scrivi spiega " +
    "dimmi dammi raccontami riassumi tuo tua ik jij mijn jouw wat hoe waarom wanneer zijn een " +
    "deze dank kun schrijf vertel dit jag mitt din vad vem hur varför när är ett detta hej tack " +
    "kan skriv jeg meg hva hvem hvordan hvorfor hvor dette hvad mikä missä kuka kuinka miksi " +
    "milloin kirjoita kerro minun pakettini onko mitä mnie mój moja moje moją twój kto jak jaka " +
    "jaki jakie dlaczego kiedy gdzie jest są ten proszę cześć napisz streść wyjaśnij powiedz " +
    "kdo jaké jaký proč kdy kde jsou můj prosím napiš hol hogyan miért mikor írj csomagom care " +
    "unde cum scrie comanda mea bana benim senin nasıl neden niçin nerede bir bu lütfen merhaba " +
    "yaz açıkla söyle özetle siparişim kamu anda siapa bagaimana mengapa kapan adalah ini itu " +
    "tolong halo tulis jelaskan tôi bạn gì ai sao nào khi đâu này hãy xin giúp viết я ты вы мы " +
    "мне меня мой моя мою мои твой ваш что кто как почему когда где какой какая какое какие эта " +
    "этот есть привет спасибо пожалуйста напиши объясни скажи дай покажи отмени мені мій моє що " +
    "хто чому коли де який яка яке які це цей будь поясни εγώ εσύ μου σου τι ποιος πώς γιατί " +
    "πότε πού είναι ένα μια αυτό παρακαλώ γεια γράψε אני אתה שלי מה מי איך למה מתי איפה זה " +
    "בבקשה שלום כתוב أنا أنت ما ماذا من كيف لماذا متى أين هل هذا هذه اكتب اشرح مرحبا قل کجاست " +
    "چیست چرا چگونه چه کی این بنویس मैं तुम आप मेरा मेरी क्या कौन कैसे कैसा क्यों कब कहाँ है " +
    "हैं यह कृपया नमस्ते लिखो बताओ मुझे আমি তুমি আপনি আমার কি কে কেন কখন কোথায় কেমন এই লিখুন " +
    "বলুন আমাকে 나 저 너 나는 저는 내 제 뭐 무엇 누구 어떻게 왜 언제 어디 어때 어때요 이거 안녕 해줘 써줘 알려줘 주세요 해주세요 알려주세요 뭐야 있어 " +
    "mimi wewe nini nani vipi lini wapi hii tafadhali habari andika kuhusu langu"
  ).split(" "),
);

/**
 * Words that titles have as well as prompts, in lower case; a title's other words begin with
 * capitals.
 */
export const titleWords: ReadonlySet<string> = new Set(
  (
    "a an the my me your our us we this that these those and as at by for from in into of on or " +
    "per to via vs with"
  ).split(" "),
);

/**
 * Verbs of requests, in first position. With capitals throughout, such a text is the name of a
 * workflow: Send Welcome Email.
 */
export const requests: ReadonlySet<string> = new Set(
  (
    "add analyze answer arrange ask book buy calculate call cancel change check choose classify " +
    "close compare compose compute convert correct count create debug define delete describe " +
    "design draft draw edit estimate extract fetch fill find fix format generate get guess help " +
    "identify improve invent list look make open optimize outline paraphrase pay plan " +
    "play predict prepare print propose provide rank read recommend refund remind remove rename " +
    "replace rewrite schedule search send set shorten show simplify solve sort start " +
    "stop suggest summarize summarise teach transfer transform translate turn update use verify " +
    "ändere bestelle buche berechne beschreibe erstelle fasse finde kündige liste mach mache " +
    "nenne öffne plane prüfe schalte sende suche übersetze vergleiche zähle zeichne ajoute " +
    "annule achète appelle calcule cherche compte corrige crée décris dessine donne envoie " +
    "éteins fais montre ouvre planifie prépare raconte rédige réserve résume traduis trouve " +
    "abre apaga añade busca calcula cambia cancela compara compra crea dibuja encuentra envía " +
    "genera haz lista llama muestra pon prepara recomienda reserva resume traduce abra adicione " +
    "busque cancele compre crie corrija descreva encontre envie faça gere mostre procure " +
    "recomende reserve resuma traduza aggiungi apri annulla calcola cerca confronta correggi " +
    "descrivi elenca invia mostra prenota spegni traduci trova bestel boek geef maak noem stuur " +
    "vat vergelijk vertaal zet zoek boka hitta jämför lägg öppna sammanfatta skicka översätt " +
    "bestil oversæt bestill finn oversett anuluj dodaj kup narysuj otwórz podaj policz popraw " +
    "porównaj przetłumacz wyślij zamów znajdź zrób najdi najít pošli přelož vytvoř keress küldj " +
    "fordítsd caută trimite tradu ara bul çevir ekle gönder hesapla iptal karşılaştır oluştur " +
    "добавь закажи измени исправь купи найди нарисуй открой отправь переведи подбери посчитай " +
    "придумай сделай создай составь сравни додай знайди зроби переклади порівняй створи اشتر " +
    "أرسل ابحث احسب احجز ألخص ترجم لخص قارن חפש מצא תרגם שלח הזמן חשב खोजो बनाओ भेजो अनुवाद " +
    "জানাও খুঁজুন tìm dịch tạo gửi đặt cari buat terjemahkan kirim pesan hitung tafuta tafsiri " +
    "tuma"
  ).split(" "),
);

/** The same for scripts without spaces, where a word is matched anywhere in the text. */
export const spacelessSpeech: RegExp =
  /[吗嗎呢我你您谁誰哪]|什么|什麼|怎么|怎麼|为什么|為什麼|如何|多少|请帮|請幫|请问|請問|告诉|告訴|你好|翻译成|翻譯成|总结一|总结这|讲个|写一|这份|ください|下さい|教えて|ですか|ますか|でしょう|なぜ|どう|何[をがですか]|[しいっ]て$|ไหม|อะไร|ทำไม|อย่างไร|ที่ไหน|เมื่อไหร่/u;
