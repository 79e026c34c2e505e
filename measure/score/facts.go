package main

import "strings"

// fact is a short text that somebody may watch a page for, and what it changes to.
type fact struct {
	kind, language string
	before, after  string
}

// factLines are the facts: for each of six kinds and languages, two forms. A short form has few words or none.
const factLines = `
price en | Price: 49.00 EUR | Price: 54.00 EUR
price en | £1,299 | £1,249
date en | Apply by 3 March 2027 | Apply by 3 May 2027
date en | 2027-03-11 | 2027-11-03
number en | Only 12 kg left in stock | Only 7 kg left in stock
number en | 14 rooms | 3 rooms
negation en | Dogs are allowed on board | Dogs are not allowed on board
negation en | Takes place | Cancelled
contact en | Call Ann Ray on 040 123 4567 | Call Tom Ash on 040 123 4599
contact en | 12 Quay Street, Bristol BS1 4RN | 14 Quay Street, Bristol BS1 4RN
clause en | Either party may give notice of four weeks to the end of a year. | Either party may give notice of six weeks to the end of a year.
clause en | 4.2 The operator answers for gross negligence only. | 4.2 The operator answers for any negligence.
price de | Preis: 49,00 € | Preis: 54,00 €
price de | 1.299 EUR | 1.249 EUR
date de | Bewerbung bis 3. März 2027 | Bewerbung bis 3. Mai 2027
date de | 11.03.2027 | 03.11.2027
number de | Nur noch 12 kg auf Lager | Nur noch 7 kg auf Lager
number de | 14 Zimmer | 3 Zimmer
negation de | Hunde dürfen an Bord | Hunde dürfen nicht an Bord
negation de | Findet statt | Abgesagt
contact de | Frau Reh, Telefon 040 1234567 | Herr Esch, Telefon 040 1234599
contact de | Kaistraße 12, 20457 Hamburg | Kaistraße 14, 20457 Hamburg
clause de | Jede Seite kann mit einer Frist von vier Wochen kündigen. | Jede Seite kann mit einer Frist von sechs Wochen kündigen.
clause de | § 4 (2) Der Betreiber haftet nur für grobe Fahrlässigkeit. | § 4 (2) Der Betreiber haftet für jede Fahrlässigkeit.
price fr | Prix : 49,00 € | Prix : 54,00 €
price fr | 1 299 € | 1 249 €
date fr | Candidatures jusqu’au 3 mars 2027 | Candidatures jusqu’au 3 mai 2027
date fr | 11/03/2027 | 03/11/2027
number fr | Plus que 12 kg en stock | Plus que 7 kg en stock
number fr | 14 chambres | 3 chambres
negation fr | Les chiens sont admis à bord | Les chiens ne sont pas admis à bord
negation fr | Maintenu | Annulé
contact fr | Anne Raie, tél. 01 23 45 67 89 | Luc Frêne, tél. 01 23 45 67 99
contact fr | 12 quai du Port, 29200 Brest | 14 quai du Port, 29200 Brest
clause fr | Chaque partie peut résilier avec un préavis de quatre semaines. | Chaque partie peut résilier avec un préavis de six semaines.
clause fr | Article 4.2 L’exploitant répond de la faute lourde seulement. | Article 4.2 L’exploitant répond de toute faute.
price es | Precio: 49,00 € | Precio: 54,00 €
price es | 1.299 EUR | 1.249 EUR
date es | Solicitudes hasta el 3 de marzo de 2027 | Solicitudes hasta el 3 de mayo de 2027
date es | 11/03/2027 | 03/11/2027
number es | Solo quedan 12 kg | Solo quedan 7 kg
number es | 14 habitaciones | 3 habitaciones
negation es | Se admiten perros a bordo | No se admiten perros a bordo
negation es | Confirmado | Cancelado
contact es | Ana Raya, tel. 981 234 567 | Luis Fresno, tel. 981 234 599
contact es | Calle del Muelle 12, 15001 A Coruña | Calle del Muelle 14, 15001 A Coruña
clause es | Cada parte puede rescindir con un preaviso de cuatro semanas. | Cada parte puede rescindir con un preaviso de seis semanas.
clause es | Artículo 4.2 El operador responde solo por culpa grave. | Artículo 4.2 El operador responde por cualquier culpa.
price zh | 价格：49.00元 | 价格：54.00元
price zh | ¥1,299 | ¥1,249
date zh | 申请截止日期：2027年3月11日 | 申请截止日期：2027年11月3日
date zh | 2027-03-11 | 2027-11-03
number zh | 库存仅剩12公斤 | 库存仅剩7公斤
number zh | 14间客房 | 3间客房
negation zh | 允许携带宠物登船 | 不允许携带宠物登船
negation zh | 如期举行 | 已取消
contact zh | 联系人：王小明，电话 010-1234-5678 | 联系人：李大华，电话 010-1234-5699
contact zh | 上海市港口路12号 | 上海市港口路14号
clause zh | 任何一方可提前四周通知解除合同。 | 任何一方可提前六周通知解除合同。
clause zh | 第四条第二款 经营者仅对重大过失承担责任。 | 第四条第二款 经营者对任何过失承担责任。
price ar | السعر: 49 درهم | السعر: 54 درهم
price ar | ٤٩٫٥٠ ر.س | ٥٤٫٥٠ ر.س
date ar | آخر موعد للتقديم 3 مارس 2027 | آخر موعد للتقديم 3 مايو 2027
date ar | 11/03/2027 | 03/11/2027
number ar | بقي 12 كغ فقط | بقي 7 كغ فقط
number ar | 14 غرفة | 3 غرف
negation ar | يسمح باصطحاب الكلاب | لا يسمح باصطحاب الكلاب
negation ar | مؤكد | ملغى
contact ar | اتصل بأحمد على 040 123 4567 | اتصل بسامي على 040 123 4599
contact ar | شارع الميناء 12، دبي | شارع الميناء 14، دبي
clause ar | يجوز لأي طرف إنهاء العقد بإشعار مدته أربعة أسابيع. | يجوز لأي طرف إنهاء العقد بإشعار مدته ستة أسابيع.
clause ar | المادة 4.2 المشغل مسؤول عن الخطأ الجسيم فقط. | المادة 4.2 المشغل مسؤول عن أي خطأ.
`

// allFacts returns the facts of [factLines].
func allFacts() (all []fact) {
	for _, line := range lines(factLines) {
		part := strings.SplitN(line, " | ", 3)
		kind, language, _ := strings.Cut(part[0], " ")
		all = append(all, fact{kind, language, part[1], part[2]})
	}
	return all
}

// proseOf has two sentences of each language, the text around the facts.
var proseOf = map[string]string{
	"en": `The old quay was built of granite, and for many years the small ships of the bay unloaded salt and slate there.
		Today it belongs to the town, which looks after the walls, the cranes and the path along the water.`,
	"de": `Der alte Kai wurde aus Granit gebaut, und lange Zeit löschten die kleinen Schiffe der Bucht dort Salz und
		Schiefer. Heute gehört er der Stadt, die sich um die Mauern, die Kräne und den Weg am Wasser kümmert.`,
	"fr": `Le vieux quai a été construit en granit, et longtemps les petits navires de la baie y ont déchargé du sel et de
		l’ardoise. Il appartient aujourd’hui à la ville, qui entretient les murs, les grues et le chemin.`,
	"es": `El viejo muelle se construyó de granito, y durante mucho tiempo los barcos pequeños de la bahía descargaron
		allí sal y pizarra. Hoy pertenece a la ciudad, que cuida de los muros, las grúas y el camino.`,
	"zh": `老码头用花岗岩建成，多年来海湾里的小船一直在那里卸下盐和石板，人们也在那里修补渔网，等待潮水。
		如今它归城市所有，由城市照管石墙、起重机和水边的小路，夏天的夜晚常有人在那里散步、钓鱼、听音乐。`,
	"ar": `بني الرصيف القديم من الغرانيت، ولسنوات طويلة كانت السفن الصغيرة تفرغ فيه الملح والأردواز.
		واليوم يعود إلى المدينة التي تعتني بالجدران والرافعات والطريق على الماء.`,
}
