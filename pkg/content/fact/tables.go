package fact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tidemark/tidemark/pkg/content/extract/noise"
)

// listed are the words of each role, in lower case. An underscore stands between the words of a phrase.
var listed = map[role]string{
	denies: `
		not no never without neither nor none nobody nothing cannot prohibited forbidden banned
		nicht kein keine keinen keinem keiner keines nie niemals ohne weder verboten untersagt
		pas jamais sans aucun aucune ne ni interdit interdite interdits interdites
		no sin nunca jamás ningún ninguno ninguna tampoco prohibido prohibida
		não sem nunca nenhum nenhuma nem proibido proibida
		non senza nessun nessuno nessuna né vietato vietata
		niet geen nooit zonder verboden
		nie bez nigdy żaden żadna żadne zakaz zabronione
		inte icke ingen inga utan aldrig ikke uden uten aldri ei eivät ilman
		не нет без никогда нельзя запрещено ні немає
		ne není bez nelze nikdy zákaz nem nélkül tilos nu fără değil yok yasak δεν χωρίς όχι
		لا ليس ليست لن لم غير بدون دون ممنوع يمنع אין לא ללא אסור नहीं بدون نہیں không
		不 没 沒 無 无 非 未 禁 勿 ない ません なし 不可 禁止 除く 않 없 못 금지 불가`,
	offered: `
		available unavailable in_stock out_of_stock back_in_stock sold_out sold fully_booked booked_out
		no_longer_available discontinued withdrawn recalled cancelled canceled postponed suspended delayed rescheduled
		closed now_open open_now open_today currently_open reopened reopens vacant vacancy vacancies waiting_list
		waitlist expired preorder pre_order backorder low_stock out_of_service out_of_order
		verfügbar ausverkauft vergriffen ausgebucht auf_lager vorrätig lieferbar abgesagt verschoben entfällt
		ausgefallen eingestellt geschlossen geöffnet gesperrt belegt warteliste abgelaufen vorbestellbar
		disponible indisponible en_stock épuisé épuisée rupture_de_stock complet annulé annulée annulés reporté reportée
		suspendu suspendue fermé fermée fermés ouvert ouverte ouverts expiré supprimé supprimée
		agotado agotada en_existencia cancelado cancelada cancelados aplazado aplazada suspendido suspendida cerrado
		cerrada cerrados abierto abierta caducado
		disponível indisponível esgotado esgotada em_estoque em_stock adiado adiada suspenso suspensa fechado fechada
		aberto aberta encerrado encerrada
		disponibile esaurito esaurita annullato annullata rinviato rinviata sospeso sospesa chiuso chiusa aperto aperta
		beschikbaar uitverkocht op_voorraad leverbaar volgeboekt geannuleerd afgelast uitgesteld gesloten geopend
		dostępny dostępna dostępne niedostępny niedostępna wyprzedany wyprzedane odwołany odwołana odwołane przełożony
		zamknięty zamknięta zamknięte otwarty otwarta otwarte zawieszony
		slutsåld inställt inställd stängt udsolgt utsolgt aflyst avlyst lukket stengt loppuunmyyty peruttu suljettu
		распродано отменено отменён отменен закрыто закрыт открыто vyprodáno zrušeno zavřeno tükendi iptal kapalı
		ملغى ملغي ملغاة مؤجل مغلق مفتوح متوفر متاح نفد נמכר בוטל סגור
		售罄 缺货 有货 现货 已取消 取消 延期 推迟 暂停 关闭 關閉 休业 已满 停售 已售完 売り切れ 完売 在庫 中止 休業 閉店 休館 運休
		満席 募集終了 営業中 販売終了 품절 매진 취소 연기 휴무 마감`,
	free: `gratis kostenlos kostenfrei gratuit gratuite gratuits gratuites gratuito gratuita gratuitos gratuitas
		bezpłatny bezpłatna bezpłatne бесплатно مجاني مجانا zdarma ilmainen ücretsiz free_of_charge free_entry
		free_admission free_delivery free_shipping 免费 免費 無料 무료`,
	money: `eur usd gbp chf jpy cny rmb pln czk sek nok dkk huf ron bgn rub uah try inr krw brl cad aud nzd sgd hkd mxn
		zar aed sar ils thb idr myr php vnd
		euro euros eura dollar dollars dólares pound pounds pence cent cents ct franken francs yen zł złotych kč ft kr
		kronor kroner lei лв руб рубля рублей грн tl lira درهم دراهم ريال دينار جنيه ليرة ر
		元 块 円 日元 美元 欧元 원`,
	percent:  `percent per_cent prozent pourcent pour_cent por_ciento por_cento per_cento procent procenta процентов`,
	ofClock:  `am pm uhr o_clock klo 点 點 时 時 시`,
	ofDate:   `年 月 日 号 號 년 월 일`,
	particle: `de del of o d per pour por the`,
	contact: `tel tél telefon telephone téléphone teléfono telefone telefono phone call fax mobile mobil whatsapp
		hotline telefoon телефон тел هاتف على 电话 電話 热线`,
	clauseWord: `article artikel artículo articolo artigo art section clause cláusula clausola klausel paragraph
		paragraphe párrafo abschnitt ziffer absatz sección punkt статья пункт المادة مادة البند`,
	noticed: "copyright",
	counting: `two three four five six seven eight nine ten eleven twelve fourteen fifteen twenty thirty forty sixty ninety
		zwei drei vier fünf sechs sieben acht neun zehn elf zwölf vierzehn fünfzehn zwanzig dreißig sechzig neunzig
		deux trois quatre cinq six sept huit neuf dix onze douze quatorze quinze vingt trente soixante
		dos tres cuatro cinco seis siete ocho nueve diez doce catorce quince veinte treinta sesenta noventa
		dois duas três quatro cinco seis sete oito nove dez doze quatorze quinze vinte trinta sessenta
		due tre quattro cinque sei sette otto nove dieci dodici quattordici quindici venti trenta sessanta
		twee drie vier vijf zes zeven acht negen tien twaalf veertien twintig dertig zestig
		dwa dwie dwóch trzy trzech cztery czterech pięć pięciu sześć siedem osiem dziesięć czternaście trzydzieści
		två tre fyra fem sju åtta nio tio fire seks syv otte
		два две три четыре пять шесть семь восемь десять
		أسبوعين ثلاثة ثلاث أربعة أربع خمسة خمس ستة ست سبعة سبع ثمانية تسعة عشرة عشر`,
	timeUnit: `second seconds minute minutes hour hours day days week weeks month months year years night nights
		sekunde sekunden stunde stunden tag tage tagen woche wochen monat monate monaten jahr jahre jahren minuten
		heure heures jour jours semaine semaines mois an ans année années nuit nuits
		hora horas minuto minutos día días semana semanas mes meses año años noche noches
		dia dias mês ano anos noite noites ora ore minuti giorno giorni settimana settimane mese mesi anno anni
		uur dag dagen weken maand maanden jaar godzin godziny dni dnia tydzień tygodnie tygodni miesiąc miesiące miesięcy
		lat lata dagar vecka veckor månad månader år uge uger måned måneder
		день дня дней неделя недели недель месяц месяца месяцев года лет часа часов
		يوم أيام أسبوع أسابيع شهر أشهر سنة سنوات ساعة ساعات دقيقة
		周 週 天 个月 個月 ヶ月 か月 年 小时 小時 時間 分钟 日 주 개월 시간`,
	unit: `kg g mg lb lbs oz t km m cm mm mi ft l ml cl kw kwh mw gb mb tb kb mph kmh min h hr hrs mm² m² qm
		mio mrd million millions billion k bn st nd rd th er`,
	weekday: `monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
		saturdays sundays montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag montags dienstags mittwochs
		donnerstags freitags samstags sonntags lundi mardi mercredi jeudi vendredi samedi dimanche
		lunes martes miércoles jueves viernes sábado sábados domingo domingos segunda_feira terça_feira quarta_feira
		quinta_feira sexta_feira lunedì martedì mercoledì giovedì venerdì sabato domenica
		maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
		poniedziałek wtorek środa czwartek piątek sobota niedziela
		星期一 星期二 星期三 星期四 星期五 星期六 星期日 周一 周二 周三 周四 周五 周六 周日
		月曜 火曜 水曜 木曜 金曜 土曜 日曜`,
}

// hanNumbers are the numbers of more than one before a unit of time.
const hanNumbers = "二三四五六七八九十两兩"

// piece is a phrase of a script without spaces.
type piece struct {
	text string
	role role
}

// lists are the words that are looked up.
type lists struct {
	words  map[string]role  // also phrases, with a space between their words
	pieces map[rune][]piece // by their first letter, the longest first
}

// table is built on first use.
var table = sync.OnceValue(func() lists {
	t := lists{map[string]role{}, map[rune][]piece{}}
	for what, words := range listed {
		for w := range strings.FieldsSeq(words) {
			t.add(strings.ReplaceAll(w, "_", " "), what)
		}
	}
	const least = 6 // letters of a month that means nothing else
	for name := range noise.Months() {
		what := month
		if utf8.RuneCountInString(name) >= least || name == "april" {
			what |= longMonth
		}
		t.add(name, what)
	}
	for r := range t.pieces {
		slices.SortFunc(t.pieces[r], func(a, b piece) int { return cmp.Compare(len(b.text), len(a.text)) })
	}
	return t
})

func (t lists) add(phrase string, what role) {
	if r, _ := utf8.DecodeRuneInString(phrase); unspaced(r) {
		t.addPiece(r, phrase, what)
		return
	}
	t.words[phrase] |= what
	if first, _, several := strings.Cut(phrase, " "); several {
		t.words[first] |= more
	}
}

func (t lists) addPiece(r rune, phrase string, what role) {
	for i, p := range t.pieces[r] {
		if p.text == phrase {
			t.pieces[r][i].role |= what
			return
		}
	}
	t.pieces[r] = append(t.pieces[r], piece{phrase, what})
}
