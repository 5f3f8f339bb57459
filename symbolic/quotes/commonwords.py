"""Words that name nobody in particular, however they are capitalised: a fixed list, and why.

A part of a name counts as a mention only if it is rare ("Ines" of Ines Varga). A sentence begins
with a capital, titles of works capitalise every word, and half of all organisations are called
University or Company: such words prove nothing. Only words of four letters and more stand here,
since shorter ones never count. The list never grows by itself.

Given names are absent on purpose: notes call people by them.
"""

from __future__ import annotations

_GRAMMAR = """
about above according across actually after again against ahead almost alone along already also
although altogether always among amongst another anybody anyone anything anyway anywhere apart
around aside away back barely because been before behind being below beneath beside besides
between beyond both cannot certain certainly clearly could despite does doing done down during
each early either else elsewhere enough especially even eventually ever every everybody everyone
everything everywhere except exactly fairly finally first following former formerly forth forward
fourth from further furthermore generally half hardly have having hence here herself himself
however hundred indeed inside instead into itself just largely last lastly late later latter least
less like likewise little long many maybe meanwhile merely might mine more moreover most mostly
much must myself namely near nearby nearly neither never nevertheless next nine nobody none
nonetheless nothing notwithstanding nowhere often once only onto opposite other others otherwise
ours ourselves outside over overall part particular particularly past perhaps plus possibly
previous previously probably quite rather really recently round same second seldom several shall
should similar similarly since some somebody somehow someone something sometimes somewhat
somewhere soon still such suddenly than that their theirs them themselves then there thereafter
thereby therefore these they third this those though thousand three through throughout thus till
today together tomorrow tonight toward towards twice under underneath unless unlike until unto
upon usually various versus very well were what whatever when whenever where whereas wherever
whether which whichever while whole whom whose will with within without would yesterday your yours
yourself four five seven eight eleven twelve million billion dozen
"""

_TIME = """
january february march april june july august september october november december sept monday
tuesday wednesday thursday friday saturday sunday thurs tues spring summer autumn winter morning
afternoon evening night noon midnight daily weekly monthly yearly annual century centuries decade
decades year years month months week weeks days hour hours minute minutes date dates season
seasons time times moment period easter christmas januar februar märz juni juli oktober dezember
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag janvier février mars avril
juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi
dimanche enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
lunes martes miércoles jueves viernes sábado domingo gennaio febbraio aprile maggio giugno luglio
settembre ottobre dicembre janeiro fevereiro maio junho julho setembro outubro novembro dezembro
января февраля марта апреля июня июля августа сентября октября ноября декабря понедельник вторник
среда четверг пятница суббота воскресенье
"""

_TITLES = """
admiral ambassador archbishop architect artist author baron baroness bishop captain cardinal
chairman chancellor chief colonel commander consul corporal count countess dame dean deputy
director doctor duchess duke editor emperor empress engineer father frau general governor herr
inspector judge junior justice keeper king lady lieutenant lord madame mademoiselle maestro major
manager marshal master mayor minister miss mister monsieur mother officer owner pastor pope
president prince princess prof professor queen rabbi reverend saint secretary senator senior señor
señora sergeant sheikh sister brother student sultan teacher treasurer vice viscount writer actor
actress singer composer producer player coach founder leader member aunt uncle cousin grandmother
grandfather friend
"""

_BODIES = """
academy administration agency airline airlines airport alliance archive archives army assembly
associates association authority band bank board books brothers bureau cabinet center centre
chamber championship championships church circle city clinic club coalition college commission
committee commonwealth communications community companies company conference confederation
congress consortium convention cooperative corporation corps council county court cricket
department design development distribution district division economic education electric
electronics empire energy engineering enterprise enterprises entertainment estate exchange
exhibition faculty federal federation festival film films finance financial firm football force
forces foundation fund gallery games gesellschaft government group guild gymnasium health holding
holdings hospital hotel house industrial industries industry information initiative institute
institution insurance international journal kingdom labor laboratories laboratory labour league
library limited magazine management market media medical medicine metropolitan military ministry
mission municipal municipality museum national navy network news newspaper office olympic olympics
opera orchestra order organisation organization palace parliament partners partnership party press
production productions program programme project public publications publishers publishing race
radio railway records regional registry republic research resources restaurant royal sales school
schools science sciences security series service services shop social society software solutions
sports stadium state states station store studio studios survey system systems team technical
technologies technology television temple theater theatre trade training transport tribune trust
union united university verein verlag universität université universidad università institut
escuela école hochschule partei partido parti partito stadt ville ciudad città staat straße
strasse platz haus deutsche deutscher deutsches société compañía sociedad associação companhia
baseball basketball hockey rugby soccer tennis volleyball athletics golf swimming cycling boxing
wrestling racing sport grand open university's championship's democratic republican socialist
communist liberal conservative people peoples workers women woman youth junior world global
"""

_PLACES = """
abbey avenue basin beach borough bridge canal canyon cape capital castle cathedral cave cavern
channel cliff coast coastal country creek desert east eastern europe european falls farm field
fields forest fort garden gardens gate glacier gorge gulf harbor harbour heights hill hills isle
isles island islands lake lakes land lane lower mill mount mountain mountains north northeast
northern northwest ocean park peak peninsula place plain plains plateau point pond port province
range region reserve reservoir ridge river rivers road rock rocks shore south southeast southern
southwest spring springs square strait street summit territory tower town towns upper valley
village ville water waters well wells west western wood woods observatory pacific atlantic central
africa america asia earth moon continent hemisphere
"""

_PEOPLES = """
african american argentine asian australian austrian belgian brazilian british bulgarian canadian
chilean chinese colombian croatian cuban czech danish dutch egyptian english estonian european
finnish french german greek hebrew hungarian icelandic indian indonesian iranian iraqi irish
israeli italian japanese jewish korean latin lithuanian latvian malaysian mexican norwegian
pakistani persian peruvian polish portuguese romanian roman russian scottish serbian slovak
slovene soviet spanish swedish swiss syrian taiwanese thai turkish ukrainian vietnamese welsh arab
arabic muslim christian catholic protestant orthodox buddhist hindu deutsch englisch
"""

_WORKS = """
adventure adventures album anthology article ballad battle book cartoon chapter chronicles classic
collected collection comedy complete concert death dictionary documentary drama edition
encyclopedia episode essay essays fantasy fiction final game great guide handbook history horror
introduction legend letter letters life live lost love manual memoir movie music musical mystery
myth novel novella number original page painting paper part photo picture play poem poems poetry
portrait prize award awards medal quest reader record return review romance saga sequel short show
single song songs sonata soundtrack story stories studies study symphony tale tales thriller title
track tragedy trilogy version video volume volumes voyage wars western words work works writing
"""

_NATURE = """
angel animal apple baby ball bear bird birds black blood blue boat body brown butterfly cats child
children cloud cold crystal dark darkness daughter dawn days dead death devil diamond dogs door
dragon dream dreams dress dust eagle edge eyes face family fire fish flower flowers folk food fool
ghost girl girls giant gold golden good grass green grey ground hand hands head heart heaven hell
hero home horse human hunter iron jungle killer knight lamb legacy light lights lion little magic
mind mirror money monkey monster mouse name nature orange paradise party peace pearl person pink
plant power purple rain rainbow rebel rhythm ring rose scarlet secret seed shadow shadows ship
silver sleep snow soldier sons soul sound space spirit star stars steel stone storm story sugar
sunset sweet sword thing things thunder tiger tree trees truth victory voice wall warrior water
white wife wild wind window wing wings winter witch wolf wonder world yellow young
"""

_ORDINARY = """
able access account action active activity address advanced advice agent agreement allow amount
analysis answer appendix application approach area argument arts assistant attack attempt
attention available average backend background base basic become begin beginning best better bill
block board book border bottom branch break bring buffer build building built business buying call
called came campaign card care career case category cause central century chair challenge chance
change changes character charge check choice class classes clean clear click clock close code
color colour column come command comment comments commercial common comparison computer concept
condition conditions config configuration connection contact content contents context contract
control copy cost create created culture current custom customer daily data database deal debate
default define degree demand demo describe description desktop detail details developed developer
device difference different difficult digital direct directory discussion distance document
documentation double download draft drive driver easy editor effect effort electronic element
email employee enable engine enter entry environment error event events evidence example examples
exercise existing experience export express extra fact factor failed fair fall fast father feature
features figure file files filter fine fixed float flow focus folder followed font footnote form
format formula found fourth frame free fresh front full function functions future gave getting
give given goal going gone great grid grow growth guidelines hard hardware have head heading
headline hear heat height help helpful here high higher home hope hosted hour idea ideas image
images import important impact include included income increase index initial input insert install
installation instance instructions integration interest interface internal internet introduction
issue item items joined journey keep keyword kind know knowledge known labels lack language
languages large latest launch lead learn learning leave left legal lesson lesson letter level
license line link links list lists literature living load local location logic look looking loss
machine made main make making manage material mathematics matter mean meaning meaning means
measure meet meeting message method methods metal middle mind mini mixed mobile mode model modern
module more motion move movement moved named native natural need needs nested note notes notice
object objects official older online open operation operations opinion option options ordinary
output outline package page pair paragraph parent pass path pattern payment performance permanent
personal phase phone physical piece plan plans planning platform please plugin point policy
political politics pool poor popular position possible post practice preface prefix present
pressure price primary principal print priority private problem problems process processing
product products professional programming progress promise proper property properties protection
purpose quality question questions quick quote random rate read reading ready real reason received
recent reduce reference references reform regular related release released remote repair report
reports request required requirements response rest result results right rights role root rule
rules safe sale sample save saying scene schedule scope score screen script search section select
self sense sent separate server session setting settings setup shape share shared side sign simple
site situation size skill slow small smart snippet solution source sources special specific speed
sport staff stage standard start started statement status step steps stock stop strategy string
strong structure style subject success summary supply support supported sure surface switch symbol
syntax table tables tags take taken talk target task tasks taught template term terms test testing
tests text theme theory thing think thought tips told tool tools topic total touch tour track
traditional traffic travel treatment trip true trying turn tutorial type types unit units unique
unknown update updated upgrade usage used useful user users using usual value values variable
vector view virtual visual visit waiting walk want warning watch ways weather website week weight
welcome went wiki wide window windows wish word word worked worker working worth write written
wrong wrote zero bekannt eine einem einen einer diese dieser dieses nach oder ohne über unter wenn
dass nicht sich auch aber sein haben wird werden dans avec pour mais être elle nous vous leur
cette sont plus comme para pero como este esta esto desde hasta sobre cuando donde porque della
delle degli sono questo questa anche quando come dell dove
"""

COMMON = frozenset(
    " ".join(
        (_GRAMMAR, _TIME, _TITLES, _BODIES, _PLACES, _PEOPLES, _WORKS, _NATURE, _ORDINARY)
    ).casefold().split()
)
"""The words, case-folded."""
