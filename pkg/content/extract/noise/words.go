package noise

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// lineRole is the set of roles that a word may have in a line that a rule folds.
type lineRole uint64

const (
	counted   lineRole = 1 << iota // things that pages count beside a document
	oneThing                       // one such thing; only after a number, because "Answer: 42" is not a count
	seen                           // actions of readers, counted with "times": "viewed 12 times"
	viewed                         // "viewed"
	times                          // "times", "by"
	filler                         // words that add nothing: "total", "so far"
	scale                          // "k" and "million" after a number
	helpful                        // "helpful"
	found                          // the other words of "12 of 15 people found this helpful"
	star                           // "stars"
	of                             // "out of"
	person                         // "people", "visitors"
	watching                       // "viewing", "online"
	this                           // the other words of "17 people are viewing this"
	cart                           // "cart"
	sold                           // "sold"
	last                           // "last"
	hours                          // units of time of an hour and more
	minutes                        // units of time below an hour
	seconds                        // units of time below a minute
	millis                         // the millisecond, which is also one of the units in seconds
	clock                          // "time"
	current                        // "now", "current"
	todays                         // "today"
	month                          // names of months
	weekday                        // names of weekdays, and words between the parts of a date
	halfDay                        // "am", "pm", time zones
	is                             // "is", "the"
	generated                      // "generated"
	pageNoun                       // "page"
	page                           // the other words of "page generated in 12 ms by the server"
	ends                           // "ends"
	within                         // "in"
	left                           // "left", "remaining"
	sale                           // the other words of "hurry, the sale ends in 03:12:44"
	visitor                        // "visitor"
	ordinal                        // "number"
	you                            // the other words of "you are visitor number 12"
)

// lineWords are the words of each role. In scripts without spaces, an entry may be any piece of a line.
var lineWords = map[lineRole]string{
	counted: `
		views pageviews visits hits reads downloads likes shares comments replies followers subscribers votes upvotes
		downvotes reactions reviews ratings answers bookmarks favorites favourites retweets reposts plays impressions
		aufrufe seitenaufrufe zugriffe ansichten klicks kommentare antworten bewertungen abonnenten
		vues commentaires réponses partages avis téléchargements abonnés lectures évaluations
		vistas visitas comentarios respuestas descargas seguidores opiniones compartidos suscriptores reproducciones
		valoraciones reseñas visualizaciones lecturas
		visualizzazioni commenti risposte condivisioni recensioni letture iscritti valutazioni
		visualizações comentários respostas seguidores leituras avaliações inscritos acessos
		weergaven reacties antwoorden volgers beoordelingen
		visningar kommentarer svar visninger katselukertaa kommenttia kommentit
		wyświetleń wyświetlenia wyświetlenie odsłon odsłony komentarzy komentarze komentarzem odpowiedzi polubień
		просмотров просмотра просмотры комментариев комментария комментарии ответов ответа отзывов отзыва отзывы
		скачиваний подписчиков лайков голосов оценок
		переглядів перегляди коментарів коментарі відгуків
		zobrazení komentářů komentáře zhlédnutí přečtení yorum görüntülenme görüntüleme okunma izlenme beğeni takipçi
		προβολές σχόλια vizualizări comentarii megtekintés hozzászólás
		مشاهدة مشاهدات تعليقات تعليق قراءة צפיות תגובות بازدید دیدگاه व्यूज़ टिप्पणियाँ
		xem đọc dilihat tayangan komentar pembaca
		阅读 閱讀 浏览 瀏覽 点击 點擊 播放 评论 評論 留言 点赞 點贊 收藏 转发 轉發 分享 回复 回覆 粉丝 粉絲 下载量 下載量 下载 下載
		观看 觀看 访问量 訪問量 人气 人氣 阅读量 浏览量 点击量 播放量 下载次数 阅读数 浏览数 访问 訪問 关注 阅 閲覧 閲覧数
		再生 回視聴 視聴回数 再生回数 閲覧回数 アクセス数 ビュー コメント いいね フォロワー シェア お気に入り ブックマーク ダウンロード ダウンロード数
		조회 조회수 댓글 댓글수 추천 추천수 공감 좋아요 방문자 방문자수 다운로드 팔로워 구독자 리뷰 답글 공유 ครั้งที่เข้าชม การดู`,
	oneThing: `
		view pageview visit hit read download like share comment reply follower subscriber vote upvote reaction review
		answer aufruf kommentar antwort bewertung vue commentaire réponse partage téléchargement abonné visita
		comentario respuesta descarga seguidor opinión commento risposta comentário resposta weergave reactie antwoord
		visning комментарий просмотр ответ отзыв komentarz komentář`,
	seen: `
		viewed seen read visited watched downloaded shared played angesehen aufgerufen gelesen gesehen geteilt
		heruntergeladen vu vue lu lue consulté consultée téléchargé visto vista leído leída visitado visualizado
		visualizzato letto letta lido lida acessado bekeken gelezen visad läst vist lest просмотрено прочитано
		переглянуто wyświetlono przeczytano görüntülendi okundu izlendi zobrazeno přečteno dilihat dibaca katsottu
		luettu ดู เข้าชม อ่าน đã`,
	viewed: `viewed angesehen vu consulté visto visualizado visualizzato bekeken просмотрено görüntülendi`,
	times: `times by mal fois veces vezes volte keer maal gånger ganger gange раз рази разів razy krát kez kali lần
	lượt
		kertaa ครั้ง`,
	filler: `total totals so far all overall gesamt insgesamt bisher au en totales totale totali totaal totalt всего
		wszystkich toplam celkem somme y e und and de
		次 回 人 件 条 條 个 個 量 数 數 次数 次數 人数 人數 已有 已 总 總 共 共有 有 累计 累計 被 的 位 件の 회 명 개 건 수 번 총
		名 度 のの 合計 总共`,
	scale:   `k m b bn tsd mio mil mila mln rb тыс млн mrd 万 萬 千 亿 億 만 천 억 w`,
	helpful: `helpful hilfreich utile utiles útil útiles nuttig användbart przydatne полезной полезным 参考 有用 도움`,
	found: `out of found this that the was were review answer article comment page people person persons users user
		readers customers one fanden fand dies diese dieses von rezension bewertung als personnes personne ont a
		trouvé
		cela cet avis commentaire sur personas persona encontraron encontró esto esta opinión de reseña que le les
		resultó resultado persone persona hanno ha trovato questo questa recensione su di pessoas pessoa acharam achou
		isso esta avaliação mensen personen vonden dit klanten av personer tyckte detta var osób uznało to za z людей
		человек человека из считают сочли это отзыв посчитали の うち 人 人の お客様 が この これ レビュー 情報 に なった と
		考えています 人中 人が 认为 觉得 此 条 评论 명 중 명이 이 리뷰 가 되었 습니다 되었습니다 에 을 받았습니다 from found`,
	star: `stars star sterne sternen stern étoiles étoile estrellas stelle estrelas sterren stjärnor stjerner gwiazdek
		gwiazdki звезд звёзд звезды yıldız rated rating ratings average durchschnitt note moyenne media 星 つ星 星级 별점 별`,
	of: `out of von sur de su di van av z из のうち 分 满分 满 만점 5つ中 中`,
	person: `people person persons users user visitors visitor guests guest members member shoppers others buyers
		customers viewers readers personen person leute nutzer besucher gäste gast mitglieder benutzer kunden andere
		personnes personne utilisateurs visiteurs invités membres internautes clients autres
		personas persona usuarios visitantes invitados miembros clientes otras
		persone utenti visitatori ospiti membri clienti pessoas usuários utilizadores membros outras
		mensen bezoekers gebruikers gasten leden klanten personer användare besökare gäster medlemmar
		osób osoby użytkowników gości человек человека пользователей посетителей гостей kişi ziyaretçi kullanıcı üye
		lidí uživatelů orang pengunjung người khách 人 位 名 人が 人の 用户 用戶 访客 訪客 会员 會員 游客 명 명이 명의 사용자
		회원 방문자 고객 คน`,
	watching: `viewing watching looking browsing online sehen schauen betrachten ansehen regardent consultent ligne
	viendo
		mirando consultando línea guardando visualizzando linea vendo olhando visualizando bekijken kijken tittar
		ogląda przegląda смотрят смотрит просматривают просматривает онлайн bakıyor inceliyor görüntülüyor çevrimiçi
		đang melihat prohlíží 在线 線上 正在浏览 正在瀏覽 正在观看 正在觀看 在看 正在看 正在查看 浏览中 観覧中 閲覧中 視聴中 見ています
		が見ています が閲覧しています 閲覧しています オンライン 보고 시청 접속 접속자 온라인 กำลังดู`,
	this: `are is have has this that it item items product article page listing now right currently at moment in the
	their
		there s also just and others more current today here looking like das dies dieses diesen artikel produkt
		gerade
		sich momentan jetzt derzeit an im sind ist haben aktuell und ihn es seite ce cet cette produit article
		actuellement en moment ont sont cela le la page y et este esto esta producto artículo ahora mismo momento
		actualmente están está hay en stanno sta questo prodotto articolo adesso ora momento sono e este isto produto
		agora estão está neste momento online no dit deze product nu op dit moment zijn er den här just nu på varan
		teraz ten produkt to jest aktualnie сейчас этот товар это на сайте şu anda bu ürünü ürüne şuan právě tento này
		xem ini sedang 正在 现在 現在 当前 這個 这个 此 商品 本 页 がこの を の この 商品を に 今 지금 이 상품을 을 를 있습니다
		있어요 중 중입니다 페이지를 현재 สินค้านี้ ขณะนี้ อยู่`,
	cart: `cart carts basket baskets bag bags warenkorb warenkörben einkaufswagen panier paniers carrito carritos
	carrello
		carrelli carrinho carrinhos winkelwagen winkelmandje varukorg koszyku корзине корзинах sepette sepetinde
		sepetine 购物车 購物車 カート 장바구니`,
	sold: `sold bought purchased ordered purchases orders verkauft gekauft bestellt vendus vendu achetés achetées
	acheté
		commandés vendidos vendidas vendido comprados comprado compraron venduti vendute venduto acquistati acquistato
		comprados verkocht gekocht sålda solgt sprzedano kupiło продано купили куплено satıldı satın alındı prodáno
		đã bán terjual 已售 售出 已售出 销量 販売 売れました 購入されました 個売れました 판매 판매됨 구매 판매되었습니다 ขายแล้ว`,
	last: `last past previous latest within in the over during den letzten letzte im au cours des dernières dernier
	derniers
		ces en las los últimas últimos último el nelle negli ultime ultimi nell ultimo nas nos últimas últimos último
		de
		afgelopen laatste senaste siste w ciągu ostatnich за последние последний son geçen posledních trong qua dalam
		terakhir 过去 過去 最近 近 内 內 間 で 直近 지난 최근 동안 ใน ที่ผ่านมา`,
	hours: `hour hours h hr hrs day days d week weeks month stunde stunden tag tage tagen woche monat heure heures
	jour
		jours semaine mois hora horas día días semana mes ore ora giorno giorni settimana mese dia dias semana mês uur
		uren dag dagen timmar timme timer time dygn dagar godzin godziny godzinę dni dzień час часа часов день дня
		дней
		дн ч д saat gün hodin dny giờ ngày jam hari 小时 小時 时 時 天 日 時間 시간 일 ชั่วโมง วัน`,
	millis: `ms millisecond milliseconds msec мс 毫秒 ミリ秒`,
	minutes: `minute minutes min mins m minuten minutos minuto minuti minuut minuter minutter minut minuty минут
	минуты
		мин м dakika dk phút menit 分 分钟 分鐘 분 นาที`,
	seconds: `second seconds sec secs s ms millisecond milliseconds msec sekunde sekunden sek seconde secondes segundo
		segundos seg secondo secondi seconden sekunder sekund sekundy секунд секунды секунда сек с мс saniye sn giây
		detik 秒 毫秒 초 ミリ秒 วินาที`,
	clock: `time uhrzeit zeit heure hora ora tijd tid czas время час saat čas giờ waktu 时间 時間 時刻 시간 시각 เวลา`,
	current: `now current currently server aktuelle aktuell jetzt actuelle actual actuelles serveur attuale corrente
	atual
		servidor huidige nu aktuell nuvarande nå nu aktualny obecny текущее сейчас şimdiki şu an geçerli aktuální hiện
		tại sekarang 现在 現在 当前 當前 目前 北京 の 현재 지금 ปัจจุบัน`,
	month: `月 월`,
	weekday: `st nd rd th er of de del den der d le the os ý 年 日 號 号 년 일 星期 周 週 曜日 요일 星期一 星期二 星期三 星期四
		星期五 星期六 星期日 星期天 周一 周二 周三 周四 周五 周六 周日 月曜日 火曜日 水曜日 木曜日 金曜日 土曜日 日曜日 火 水 木 金 土`,
	halfDay: `am pm a p uhr h o clock utc gmt cet cest est edt pst pdt cst cdt mst mdt bst ist jst msk et pt ct mt
		上午 下午 午前 午後 오전 오후 น`,
	is: `is it the ist es est il nous sommes es son la las el è sono le oggi é são het is de den är er jest to сейчас
	是 为 為
		は です 본 은 는 입니다 คือ nay là 本日 the date datum fecha data päivä date`,
	generated: `generated rendered processed loaded executed load loading execution generation rendering erstellt
		generiert geladen ladezeit générée générée généré chargée chargement généré generada generado cargada carga
		procesado generata generato caricata caricamento gerada gerado carregada carregado gegenereerd geladen
		laadtijd
		genererad genererades laddades generert genereret wygenerowano wygenerowana załadowano сгенерирована
		сгенерировано создана загружена загрузки генерации oluşturuldu yüklendi vygenerována tạo dimuat
		生成 生成时间 页面生成 执行时间 耗时 加载时间 加载 处理时间 页面执行时间 生成時間 処理時間 ページ生成時間 表示速度 読み込み時間 생성 로딩
		실행 สร้าง`,
	pageNoun: `page pages seite página pagina strona stronę страница страницы sidan siden sayfa stránka trang halaman
		页面 頁面 ページ 페이지 页面执行时间 ページ生成時間 页面生成 หน้า`,
	page: `page pages this the was were in with by on from server cache time and queries query database sql db memory
	peak
		took used using usage took mb kb gb total seite in wurde die diese und abfragen page en a été cette requêtes
		avec
		temps de la página en la se ha ha esta con consultas tiempo pagina in è stata questa query tempo página em foi
		esta tempo consultas deze is werd in sidan på siden på strona w stronę страница за была страницы запросов
		время
		sayfa içinde stránka byla za trang trong halaman dalam 页面 用时 于 次 查询 数据库 查询次数 ページ を に で の 時間
		페이지 시간 에 쿼리 หน้า ใน`,
	ends: `ends end ending expires expire expiring closes starts begins over endet läuft ab beginnt expire termine
	finit
		commence termina acaba finaliza vence caduca empieza comienza scade finisce inizia encerra expira começa
		eindigt
		verloopt begint slutar utlöper börjar slutter utløper udløber kończy się wygasa заканчивается закончится
		истекает начнется начнётся bitiyor bitmesine başlamasına končí vyprší kết thúc berakhir
		距结束 距離結束 距 结束 結束 仅剩 終了 終了まで 締切 締切まで 开始 開始 開始まで 종료 마감 종료까지 마감까지 สิ้นสุด`,
	within: `in dans en tra fra em over om za через sau kala sonra trong dalam 还有 還有 まで 后 後 까지 ใน`,
	left: `left remaining remain remains countdown noch verbleibend verbleibende übrig restzeit restant restante
	restantes
		reste plus quedan queda faltan falta rimanente rimanenti mancano resta faltam restam resterend resterende nog
		kvar återstår igjen gjenstår tilbage pozostało zostało осталось остается kaldı kalan zbývá còn lại tersisa
		剩余 剩餘 还剩 還剩 倒计时 倒計時 残り あと 남은 남음 남았습니다 เหลือ`,
	sale: `sale offer deal deals auction bid bidding promotion promo discount time hurry only still the this today s
	flash
		up and until angebot aktion auktion zeit die das der und offre offres vente enchère promotion temps il l la
		que
		oferta ofertas subasta tiempo venta la el se offerta asta tempo vendita l leilão promoção o a oferta tempo
		aanbieding actie veiling tijd de erbjudande erbjudandet rean auktionen tid tilbud tilbudet licytacja oferta
		promocja czas do końca акция распродажа аукцион до конца предложение скидка время indirim kampanya teklif süre
		için akce nabídka aukce čas ưu đãi thời gian promo waktu
		活动 活動 优惠 優惠 特卖 促销 限时 时间 時間 拍卖 秒杀 本场 セール タイムセール オークション 時間 の は が まで お 세일 할인 시간 이벤트 까지
		경매 เวลา`,
	visitor: `visitor visitors besucher visiteur visitante visitatore bezoeker besökare посетитель ziyaretçi 访客 訪客 位访客
		訪問者 人目 方の 방문자 번째`,
	ordinal: `number no nr num nummer numéro número numero номер numarası 第 번`,
	you: `you are our the since sie sind unser der vous êtes le notre usted es el nuestro lei è il você é o u bent de
	du är
		вы siz 您是 您 是 第 本站 本站第 あなたは 番目の 人目の 訪問者です 당신은 의 입니다 our site website`,
}

// plainFacts are words of headings under which numbers are information.
const plainFacts = `limits limit quota quotas plan plans pricing prices price allowance allowances included results
result
	election elections votes vote poll polls score scores ranking statistics figures
	grenzen kontingent tarif tarife preise ergebnis ergebnisse wahl wahlen abstimmung statistik
	limites limite tarifs prix résultats résultat élection élections scrutin vote
	límites precios planes resultados resultado elección elecciones votación
	limiti prezzi piani risultati risultato elezioni votazione limites preços planos resultados eleição eleições
	votação
	limieten prijzen resultaten verkiezingen gränser priser resultat val лимиты тарифы цены результаты выборы
	голосование
	limity ceny wyniki wybory 限额 套餐 价格 结果 选举 投票 制限 料金 プラン 結果 選挙 한도 요금 결과 선거 투표`

// vocabulary holds the words of lines that may be folded.
type vocabulary struct {
	roles  map[string]lineRole
	facts  map[string]bool
	widest int // largest length, in bytes, of a piece in a script without spaces
}

// lineVocabulary is built on first use.
var lineVocabulary = sync.OnceValue(func() vocabulary {
	v := vocabulary{roles: map[string]lineRole{}, facts: map[string]bool{}}
	add := func(r lineRole, w string) {
		v.roles[w] |= r
		if unspaced([]rune(w)[0]) {
			v.widest = max(v.widest, len(w))
		}
	}
	for r, list := range lineWords {
		for w := range strings.FieldsSeq(list) {
			add(r, w)
		}
	}
	p := timePhrases()
	for w := range p.months {
		add(month, w)
	}
	for line := range strings.Lines(timewords) {
		kind, list, _ := strings.Cut(strings.TrimSpace(line), "\t")
		role := map[string]lineRole{"today": todays, "weekday": weekday}[kind]
		if role == 0 {
			continue
		}
		for phrase := range strings.SplitSeq(list, "\t") {
			for _, t := range tokens(nil, phrase) {
				if t.kind == word && !unspaced([]rune(t.word)[0]) {
					add(role, t.word)
				}
			}
			if unspaced([]rune(phrase)[0]) {
				add(role, phrase)
			}
		}
	}
	for w := range strings.FieldsSeq(plainFacts) {
		v.facts[w] = true
	}
	return v
})

// IsTimeWord reports whether a word, in lower case, is part of dates and times: a month, a day of the week, a unit of
// time or a half of the day, in any language that pages are read in.
func IsTimeWord(word string) bool {
	return lineVocabulary().roles[word]&(month|weekday|hours|minutes|seconds|halfDay) != 0
}

// SaysNow reports whether a line has a word that a time in it is that of the present: a word for now, for a clock, or
// one of [SaysUpdated].
func SaysNow(line string) bool { return hasWord(line, current|clock) || SaysUpdated(line) }

// SaysUpdated reports whether a line has a word that a time in it is that at which the text was made or changed.
func SaysUpdated(line string) bool {
	return hasWord(line, generated) || strings.Contains(strings.ToLower(line), "as of ")
}

// hasWord reports whether a line has a word of some roles; for [generated], also one that shows the time of writing.
func hasWord(line string, roles lineRole) bool {
	v := lineVocabulary()
	for word := range strings.FieldsFuncSeq(strings.ToLower(line), func(r rune) bool { return !unicode.IsLetter(r) }) {
		begins := func(stem string) bool { return strings.HasPrefix(word, stem) }
		if v.roles[word]&roles != 0 || roles&generated != 0 && (word == "stand" || slices.ContainsFunc(written, begins)) {
			return true
		}
	}
	return false
}
