/**
 * @module Corpus of prompts: short questions and instructions as people type them, in many
 * languages, one a line. None of them may stand as a name; what still passes is counted and
 * reported.
 */

/** Prompts by language. */
const prompts: { readonly [language: string]: string } = {
  English: `What is the weather in Paris
    Tell me a joke
    Summarize this document
    Write a poem about the sea
    How do I reset my password?
    Translate hello to French
    Who won the world cup in 1998
    Give me three ideas for dinner
    Fix the bug in this function
    Explain quantum computing simply
    why is the sky blue
    Can you help me?
    book a table for two
    cancel my subscription
    show all open invoices of March
    Plan a trip to Rome
    please call my mother
    Draft an email to my boss
    is it going to rain
    delete everything`,
  German: `Was ist die Hauptstadt von Peru
    Schreib mir ein Gedicht
    Wie wird das Wetter morgen?
    Bitte fasse das zusammen
    Erkläre mir Photosynthese
    Wo ist mein Paket
    Kündige meinen Vertrag
    Übersetze das ins Englische
    Rechnung an Firma Huber senden bitte`,
  French: `Quelle heure est-il
    Écris un poème sur la mer
    Comment ça va ?
    Explique-moi la photosynthèse
    Pourquoi le ciel est bleu
    Résume ce document
    Où est ma commande
    Annule mon abonnement`,
  Spanish: `¿Qué tiempo hace hoy?
    Escribe un poema sobre el mar
    Cuéntame un chiste
    Dónde está mi pedido
    Resume este documento
    cuál es la capital de Perú
    Cancela mi suscripción
    Traduce esto al inglés`,
  Portuguese: `Qual é a capital do Peru
    Escreva um poema sobre o mar
    Onde está meu pedido
    Resuma este documento
    Por que o céu é azul
    Conte uma piada`,
  Italian: `Qual è la capitale del Perù
    Scrivi una poesia sul mare
    Dov'è il mio ordine
    Riassumi questo documento
    Perché il cielo è blu
    Raccontami una barzelletta`,
  Dutch: `Wat is de hoofdstad van Peru
    Schrijf een gedicht over de zee
    Waar is mijn bestelling
    Vat dit document samen
    Vertel een grap`,
  Swedish: `Vad är klockan
    Skriv en dikt om havet
    Var är mitt paket
    Sammanfatta detta dokument`,
  Danish: `Hvad er klokken
    Skriv et digt om havet
    Hvor er min pakke`,
  Norwegian: `Hva er klokka
    Skriv et dikt om havet
    Hvor er pakken min`,
  Finnish: `Mikä on Perun pääkaupunki
    Kirjoita runo merestä
    Missä pakettini on`,
  Polish: `Jaka jest stolica Peru
    Napisz wiersz o morzu
    Gdzie jest moja paczka
    Streść ten dokument
    Dlaczego niebo jest niebieskie`,
  Czech: `Jaké je hlavní město Peru
    Napiš báseň o moři
    Kde je můj balík`,
  Hungarian: `Mi Peru fővárosa
    Írj egy verset a tengerről
    Hol van a csomagom`,
  Romanian: `Care este capitala Perului
    Scrie o poezie despre mare
    Unde este comanda mea`,
  Turkish: `Bugün hava nasıl
    Deniz hakkında bir şiir yaz
    Siparişim nerede
    Bu belgeyi özetle`,
  Greek: `Τι ώρα είναι
    Γράψε ένα ποίημα για τη θάλασσα
    Πού είναι η παραγγελία μου`,
  Russian: `Какая погода в Москве
    Напиши стихи о море
    Где мой заказ
    Объясни мне фотосинтез
    Почему небо голубое
    Отмени мою подписку`,
  Ukrainian: `Яка погода в Києві
    Напиши вірш про море
    Де моє замовлення`,
  Arabic: `ما هي عاصمة بيرو
    اكتب قصيدة عن البحر
    أين طلبي
    لماذا السماء زرقاء`,
  Hebrew: `מה מזג האוויר היום
    כתוב שיר על הים
    איפה ההזמנה שלי`,
  Persian: `پایتخت پرو کجاست
    یک شعر درباره دریا بنویس
    سفارش من کجاست`,
  Hindi: `आज मौसम कैसा है
    समुद्र पर एक कविता लिखो
    मेरा ऑर्डर कहाँ है`,
  Bengali: `আজ আবহাওয়া কেমন
    আমার অর্ডার কোথায়
    সমুদ্র নিয়ে কবিতা লিখুন`,
  Chinese: `今天天气怎么样
    帮我写一首关于大海的诗
    我的订单在哪里
    为什么天空是蓝色的
    总结这份文件
    翻译成英文
    讲个笑话`,
  Japanese: `今日の天気は何ですか
    海についての詩を書いて
    私の注文はどこですか
    この文書を要約してください
    冗談を言って`,
  Korean: `오늘 날씨 어때
    바다에 대한 시를 써줘
    내 주문 어디 있어
    이 문서를 요약해 주세요`,
  Thai: `วันนี้อากาศเป็นอย่างไร
    เขียนบทกวีเกี่ยวกับทะเล
    คำสั่งซื้อของฉันอยู่ที่ไหน`,
  Vietnamese: `Thời tiết hôm nay thế nào
    Viết một bài thơ về biển
    Đơn hàng của tôi đâu`,
  Indonesian: `Bagaimana cuaca hari ini
    Tulis puisi tentang laut
    Di mana pesanan saya`,
  Swahili: `Hali ya hewa ikoje leo
    Andika shairi kuhusu bahari
    Agizo langu liko wapi`,
};

/** Prompts that no rule was made with: the share of them that passes is the honest one. */
export const heldOutPrompts: readonly string[] = `
    Find flights to Berlin tomorrow
    Order more printer paper
    Convert 20 euros to dollars
    Turn off the lights
    Next train to London
    Compare these two contracts
    Send invoice 4711 again
    Remind me at nine
    Best restaurants near Times Square
    Refund order 1234
    Who is the CEO of Acme
    Play some jazz
    Set an alarm for six
    Add milk to shopping list
    Nearest open pharmacy
    Generate unit tests
    Rewrite in formal tone
    Symptoms of diabetes
    Salary of Anna Schmidt
    Reset password for jdoe
    Wie spät ist es
    Suche Flüge nach Berlin
    Vergleiche beide Verträge
    Licht im Wohnzimmer ausschalten
    Nächster Zug nach Hamburg
    Termin mit Frau Meier verschieben
    Trouve un vol pour Berlin
    Compare les deux contrats
    Éteins la lumière du salon
    Quel est le prix
    Busca vuelos a Berlín
    Compara los dos contratos
    Apaga la luz del salón
    Cuánto cuesta
    Procure voos para Berlim
    Quanto custa isso
    Trova voli per Berlino
    Quanto costa questo
    Zoek vluchten naar Berlijn
    Hoeveel kost dit
    Hitta flyg till Berlin
    Znajdź loty do Berlina
    Ile to kosztuje
    Berlin uçuşlarını bul
    Bu ne kadar
    Найди рейсы в Берлин
    Сколько это стоит
    Знайди рейси до Берліна
    ابحث عن رحلات إلى برلين
    كم سعر هذا
    חפש טיסות לברלין
    बर्लिन की उड़ानें खोजो
    查找去柏林的航班
    这个多少钱
    关掉客厅的灯
    ベルリン行きの便を探して
    これはいくらですか
    베를린 항공편 찾아줘
    이거 얼마예요
    หาเที่ยวบินไปเบอร์ลิน
    Tìm chuyến bay đến Berlin
    Cari penerbangan ke Berlin`
  .trim()
  .split("\n")
  .map((line) => line.trim());

/** The prompts of a language, or of all. */
export function promptsOf(language?: string): readonly string[] {
  const texts = language === undefined ? Object.values(prompts) : [prompts[language] ?? ""];
  return texts.flatMap((text) => text.split("\n").map((line) => line.trim()));
}
