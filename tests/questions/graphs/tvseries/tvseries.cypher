// TV series graph - sample data for the training course
// run once on an empty database:  MATCH (n) DETACH DELETE n

// ---------- Channels ----------
CREATE (Meridian:Channel {name:'Meridian One', country:'United Kingdom', founded:1982, kind:'public'})
CREATE (Sirocco:Channel {name:'Sirocco', country:'United States', founded:2011, kind:'streaming'})
CREATE (KanalSyv:Channel {name:'Kanal Syv', country:'Norway', founded:1991, kind:'commercial'})
CREATE (ZweiPlus:Channel {name:'Zwei Plus', country:'Germany', founded:1997, kind:'public'})
CREATE (Lumen:Channel {name:'Lumen TV', country:'Ireland', founded:2004, kind:'commercial'})
CREATE (Northlight:Channel {name:'Northlight', country:'United Kingdom', kind:'streaming'})

// ---------- Years ----------
CREATE (Y2014:Year {year:2014})
CREATE (Y2015:Year {year:2015})
CREATE (Y2016:Year {year:2016})
CREATE (Y2017:Year {year:2017})
CREATE (Y2018:Year {year:2018})
CREATE (Y2019:Year {year:2019})
CREATE (Y2020:Year {year:2020})
CREATE (Y2021:Year {year:2021})
CREATE (Y2022:Year {year:2022})
CREATE (Y2023:Year {year:2023})

// ---------- Series ----------
CREATE (Saltmarsh:Series {title:'Saltmarsh', genres:['Crime','Drama'], language:'English', tagline:'The tide always gives them back', budgetMillions:42})
CREATE (GlassHarbour:Series {title:'The Glass Harbour', genres:['Drama'], language:'English', budgetMillions:65})
CREATE (HarbourLights:Series {title:'Harbour Lights', genres:['Comedy'], language:'English', tagline:'Every pub needs a lighthouse', budgetMillions:9})
CREATE (Nordlicht:Series {title:'Nordlicht', genres:['Thriller'], language:'German', budgetMillions:28})
CREATE (MidnightBakery:Series {title:'Midnight Bakery', genres:['Comedy','Romance'], language:'English', tagline:'Love rises slowly', budgetMillions:14})
CREATE (Cartographers:Series {title:'The Cartographers', genres:['History','Drama'], language:'English', tagline:'Some edges are not meant to be drawn', budgetMillions:88})
CREATE (IronOrchard:Series {title:'Iron Orchard', genres:['Drama'], language:'English'})
CREATE (KestrelStation:Series {title:'Kestrel Station', genres:['Science Fiction','Thriller'], language:'English', tagline:'Nobody is due to dock', budgetMillions:120})
CREATE (StationZero:Series {title:'Station Zero', genres:['Science Fiction'], language:'English', budgetMillions:54})
CREATE (ThirdDaughter:Series {title:'The Third Daughter', genres:['Drama','Romance'], language:'English', budgetMillions:23})
CREATE (BrassMonkeys:Series {title:'Brass Monkeys', genres:['Comedy'], language:'English', budgetMillions:7})
CREATE (Vinterhavn:Series {title:'Vinterhavn', genres:['Crime'], language:'Norwegian', tagline:'Ingen går i land', budgetMillions:31})

CREATE
(Saltmarsh)-[:AIRED_ON]->(Meridian),
(GlassHarbour)-[:AIRED_ON]->(Sirocco),
(HarbourLights)-[:AIRED_ON]->(Lumen),
(Nordlicht)-[:AIRED_ON]->(ZweiPlus),
(Nordlicht)-[:AIRED_ON]->(Northlight),
(MidnightBakery)-[:AIRED_ON]->(Lumen),
(Cartographers)-[:AIRED_ON]->(Meridian),
(IronOrchard)-[:AIRED_ON]->(Sirocco),
(KestrelStation)-[:AIRED_ON]->(Sirocco),
(StationZero)-[:AIRED_ON]->(Northlight),
(ThirdDaughter)-[:AIRED_ON]->(Meridian),
(BrassMonkeys)-[:AIRED_ON]->(Northlight),
(Vinterhavn)-[:AIRED_ON]->(KanalSyv),
(Vinterhavn)-[:AIRED_ON]->(Meridian),
(KestrelStation)-[:SPIN_OFF_OF]->(StationZero),
(Vinterhavn)-[:REMADE_AS]->(Saltmarsh)

// ---------- Seasons ----------
CREATE (Saltmarsh)-[:HAS_SEASON]->(SaltS1:Season {number:1, episodes:8})-[:RELEASED_IN]->(Y2017)
CREATE (Saltmarsh)-[:HAS_SEASON]->(SaltS2:Season {number:2, episodes:8})-[:RELEASED_IN]->(Y2018)
CREATE (Saltmarsh)-[:HAS_SEASON]->(SaltS3:Season {number:3, episodes:6})-[:RELEASED_IN]->(Y2020)
CREATE (GlassHarbour)-[:HAS_SEASON]->(GlassS1:Season {number:1, episodes:10})-[:RELEASED_IN]->(Y2019)
CREATE (GlassHarbour)-[:HAS_SEASON]->(GlassS2:Season {number:2, episodes:12})-[:RELEASED_IN]->(Y2021)
CREATE (HarbourLights)-[:HAS_SEASON]->(LightsS1:Season {number:1, episodes:13})-[:RELEASED_IN]->(Y2015)
CREATE (HarbourLights)-[:HAS_SEASON]->(LightsS2:Season {number:2, episodes:20})-[:RELEASED_IN]->(Y2016)
CREATE (HarbourLights)-[:HAS_SEASON]->(LightsS3:Season {number:3, episodes:18})-[:RELEASED_IN]->(Y2017)
CREATE (HarbourLights)-[:HAS_SEASON]->(LightsS4:Season {number:4, episodes:11})-[:RELEASED_IN]->(Y2018)
CREATE (Nordlicht)-[:HAS_SEASON]->(NordS1:Season {number:1, episodes:6})-[:RELEASED_IN]->(Y2020)
CREATE (MidnightBakery)-[:HAS_SEASON]->(BakeryS1:Season {number:1, episodes:12})-[:RELEASED_IN]->(Y2021)
CREATE (MidnightBakery)-[:HAS_SEASON]->(BakeryS2:Season {number:2, episodes:14})-[:RELEASED_IN]->(Y2022)
CREATE (Cartographers)-[:HAS_SEASON]->(CartoS1:Season {number:1, episodes:9})-[:RELEASED_IN]->(Y2022)
CREATE (IronOrchard)-[:HAS_SEASON]->(IronS1:Season {number:1, episodes:10})-[:RELEASED_IN]->(Y2018)
CREATE (IronOrchard)-[:HAS_SEASON]->(IronS2:Season {number:2, episodes:10})-[:RELEASED_IN]->(Y2019)
CREATE (KestrelStation)-[:HAS_SEASON]->(KestS1:Season {number:1, episodes:10})-[:RELEASED_IN]->(Y2021)
CREATE (KestrelStation)-[:HAS_SEASON]->(KestS2:Season {number:2, episodes:9})-[:RELEASED_IN]->(Y2022)
CREATE (KestrelStation)-[:HAS_SEASON]->(KestS3:Season {number:3, episodes:7})-[:RELEASED_IN]->(Y2023)
CREATE (StationZero)-[:HAS_SEASON]->(ZeroS1:Season {number:1, episodes:16})-[:RELEASED_IN]->(Y2014)
CREATE (StationZero)-[:HAS_SEASON]->(ZeroS2:Season {number:2, episodes:22})-[:RELEASED_IN]->(Y2015)
CREATE (ThirdDaughter)-[:HAS_SEASON]->(ThirdS1:Season {number:1, episodes:6})-[:RELEASED_IN]->(Y2023)
CREATE (BrassMonkeys)-[:HAS_SEASON]->(BrassS1:Season {number:1})-[:RELEASED_IN]->(Y2016)
CREATE (Vinterhavn)-[:HAS_SEASON]->(VintS1:Season {number:1, episodes:8})-[:RELEASED_IN]->(Y2015)
CREATE (Vinterhavn)-[:HAS_SEASON]->(VintS2:Season {number:2, episodes:8})-[:RELEASED_IN]->(Y2017)

// ---------- People ----------
CREATE (OrlaT:Person:Actor {name:'Orla Tennant', born:1984, birthplace:'Cork'})
CREATE (DominicA:Person:Actor {name:'Dominic Achebe', born:1979, birthplace:'Leeds'})
CREATE (FreyaL:Person:Actor {name:'Freya Lindqvist', born:1990, birthplace:'Gothenburg'})
CREATE (MarcusB:Person:Actor {name:'Marcus Bell', born:1968, birthplace:'Bristol'})
CREATE (PriyaR:Person:Actor {name:'Priya Raman', born:1987, birthplace:'Leicester'})
CREATE (TomaszW:Person:Actor {name:'Tomasz Wilk', born:1975, birthplace:'Gdansk'})
CREATE (HannahB:Person:Actor {name:'Hannah Bell', born:1995, birthplace:'Bristol'})
CREATE (JonasR:Person:Actor {name:'Jonas Reuter', born:1981, birthplace:'Kiel'})
CREATE (LenaH:Person:Actor {name:'Lena Hartwig', born:1992})
CREATE (CallumF:Person:Actor {name:'Callum Frost', birthplace:'Dundee'})
CREATE (IngridS:Person:Actor {name:'Ingrid Solheim', born:1971, birthplace:'Bergen'})
CREATE (EspenD:Person:Actor {name:'Espen Dahl', born:1986, birthplace:'Bergen'})
CREATE (NaomiO:Person:Actor:Writer {name:'Naomi Okafor', born:1983, birthplace:'London'})
CREATE (RhysP:Person:Actor:Writer {name:'Rhys Pemberton', born:1959, birthplace:'Swansea'})
CREATE (BeatrizC:Person:Actor {name:'Beatriz Coelho', born:1989, birthplace:'Porto'})
CREATE (SamW:Person:Actor {name:'Sam Whitlock', born:1998})
CREATE (JudithA:Person:Writer {name:'Judith Amsel', born:1963, birthplace:'London'})
CREATE (OwenT:Person:Writer {name:'Owen Tennant', born:1977, birthplace:'Cork'})
CREATE (KarinV:Person:Writer {name:'Karin Vogt', born:1970, birthplace:'Hamburg'})
CREATE (NilsA:Person:Writer {name:'Nils Aamodt', born:1966, birthplace:'Bergen'})
CREATE (DesmondC:Person:Writer {name:'Desmond Clarke'})
CREATE (AliceM:Person:Writer {name:'Alice Mbeki', born:1982, birthplace:'Durban'})

CREATE
(OrlaT)-[:SIBLING_OF]->(OwenT),
(MarcusB)-[:PARENT_OF]->(HannahB),
(DominicA)-[:MARRIED_TO {since:2016}]->(NaomiO),
(EspenD)-[:MARRIED_TO {since:2012}]->(FreyaL)

// ---------- Characters ----------
CREATE (MaraQuill:Character {name:'Mara Quill', occupation:'detective inspector'})-[:APPEARS_IN]->(Saltmarsh)
CREATE (BenHollis:Character {name:'Ben Hollis', occupation:'pathologist'})-[:APPEARS_IN]->(Saltmarsh)
CREATE (OldPell:Character {name:'Old Pell', occupation:'fisherman'})-[:APPEARS_IN]->(Saltmarsh)
CREATE (TessQuill:Character {name:'Tess Quill', occupation:'student'})-[:APPEARS_IN]->(Saltmarsh)
CREATE (VictorLane:Character {name:'Victor Lane', occupation:'shipping magnate'})-[:APPEARS_IN]->(GlassHarbour)
CREATE (AdaLane:Character {name:'Ada Lane', occupation:'lawyer'})-[:APPEARS_IN]->(GlassHarbour)
CREATE (RosaMarques:Character {name:'Rosa Marques', occupation:'dock worker'})-[:APPEARS_IN]->(GlassHarbour)
CREATE (MickDoyle:Character {name:'Mick Doyle', occupation:'publican'})-[:APPEARS_IN]->(HarbourLights)
CREATE (SheilaDoyle:Character {name:'Sheila Doyle', occupation:'publican'})-[:APPEARS_IN]->(HarbourLights)
CREATE (FatherNiall:Character {name:'Father Niall', occupation:'priest'})-[:APPEARS_IN]->(HarbourLights)
CREATE (FatherNiall)-[:APPEARS_IN]->(MidnightBakery)
CREATE (Eva:Character {name:'Eva Brandt', occupation:'geologist'})-[:APPEARS_IN]->(Nordlicht)
CREATE (Kessler:Character {name:'Kommissar Kessler', occupation:'detective'})-[:APPEARS_IN]->(Nordlicht)
CREATE (Juno:Character {name:'Juno Pike', occupation:'baker'})-[:APPEARS_IN]->(MidnightBakery)
CREATE (Ravi:Character {name:'Ravi Nair', occupation:'taxi driver'})-[:APPEARS_IN]->(MidnightBakery)
CREATE (Hallam:Character {name:'Edmund Hallam', occupation:'cartographer'})-[:APPEARS_IN]->(Cartographers)
CREATE (Inez:Character {name:'Inez da Costa', occupation:'navigator'})-[:APPEARS_IN]->(Cartographers)
CREATE (LadyHallam:Character {name:'Lady Hallam'})-[:APPEARS_IN]->(Cartographers)
CREATE (Gideon:Character {name:'Gideon Stark', occupation:'steelworker'})-[:APPEARS_IN]->(IronOrchard)
CREATE (Della:Character {name:'Della Stark', occupation:'nurse'})-[:APPEARS_IN]->(IronOrchard)
CREATE (CaptYu:Character {name:'Captain Yusra', occupation:'station commander'})-[:APPEARS_IN]->(KestrelStation)
CREATE (CaptYu)-[:APPEARS_IN]->(StationZero)
CREATE (Otto:Character {name:'OTTO', occupation:'ship computer'})-[:APPEARS_IN]->(KestrelStation)
CREATE (DocFenn:Character {name:'Doctor Fenn', occupation:'physician'})-[:APPEARS_IN]->(KestrelStation)
CREATE (Brack:Character {name:'Sergeant Brack', occupation:'engineer'})-[:APPEARS_IN]->(StationZero)
CREATE (Isolde:Character {name:'Isolde Carrow', occupation:'governess'})-[:APPEARS_IN]->(ThirdDaughter)
CREATE (LordCarrow:Character {name:'Lord Carrow'})-[:APPEARS_IN]->(ThirdDaughter)
CREATE (Wick:Character {name:'Danny Wick', occupation:'plumber'})-[:APPEARS_IN]->(BrassMonkeys)
CREATE (Solveig:Character {name:'Solveig Moe', occupation:'detective'})-[:APPEARS_IN]->(Vinterhavn)
CREATE (Arne:Character {name:'Arne Moe', occupation:'harbour master'})-[:APPEARS_IN]->(Vinterhavn)

CREATE
(OrlaT)-[:PLAYED {episodes:22}]->(MaraQuill),
(DominicA)-[:PLAYED {episodes:19}]->(BenHollis),
(RhysP)-[:PLAYED {episodes:7}]->(OldPell),
(HannahB)-[:PLAYED {episodes:11}]->(TessQuill),
(MarcusB)-[:PLAYED {episodes:22}]->(VictorLane),
(PriyaR)-[:PLAYED {episodes:20}]->(AdaLane),
(BeatrizC)-[:PLAYED {episodes:12}]->(RosaMarques),
(RhysP)-[:PLAYED {episodes:62}]->(MickDoyle),
(OrlaT)-[:PLAYED {episodes:49}]->(SheilaDoyle),
(CallumF)-[:PLAYED {episodes:30}]->(FatherNiall),
(LenaH)-[:PLAYED {episodes:6}]->(Eva),
(JonasR)-[:PLAYED {episodes:6}]->(Kessler),
(HannahB)-[:PLAYED {episodes:26}]->(Juno),
(DominicA)-[:PLAYED {episodes:24}]->(Ravi),
(TomaszW)-[:PLAYED {episodes:9}]->(Hallam),
(BeatrizC)-[:PLAYED {episodes:8}]->(Inez),
(PriyaR)-[:PLAYED {episodes:3}]->(LadyHallam),
(MarcusB)-[:PLAYED {episodes:20}]->(Gideon),
(NaomiO)-[:PLAYED {episodes:18}]->(Della),
(NaomiO)-[:PLAYED {episodes:58}]->(CaptYu),
(JonasR)-[:PLAYED {episodes:26}]->(Otto),
(SamW)-[:PLAYED {episodes:9}]->(DocFenn),
(TomaszW)-[:PLAYED {episodes:10}]->(DocFenn),
(CallumF)-[:PLAYED {episodes:35}]->(Brack),
(FreyaL)-[:PLAYED {episodes:6}]->(Isolde),
(MarcusB)-[:PLAYED {episodes:4}]->(LordCarrow),
(SamW)-[:PLAYED]->(Wick),
(IngridS)-[:PLAYED {episodes:16}]->(Solveig),
(EspenD)-[:PLAYED {episodes:13}]->(Arne)

CREATE
(TessQuill)-[:DAUGHTER_OF]->(MaraQuill),
(AdaLane)-[:DAUGHTER_OF]->(VictorLane),
(Isolde)-[:DAUGHTER_OF]->(LordCarrow),
(MickDoyle)-[:SPOUSE_OF]->(SheilaDoyle),
(Gideon)-[:SPOUSE_OF]->(Della),
(Hallam)-[:SPOUSE_OF]->(LadyHallam),
(Arne)-[:BROTHER_OF]->(Solveig),
(VictorLane)-[:MURDERED {season:2}]->(RosaMarques),
(OldPell)-[:BLACKMAILED {season:1}]->(BenHollis)

// ---------- Writers ----------
CREATE
(JudithA)-[:CREATED]->(Saltmarsh),
(JudithA)-[:WROTE {episodes:14}]->(Saltmarsh),
(OwenT)-[:WROTE {episodes:8}]->(Saltmarsh),
(AliceM)-[:CREATED]->(GlassHarbour),
(AliceM)-[:WROTE {episodes:15}]->(GlassHarbour),
(DesmondC)-[:WROTE {episodes:7}]->(GlassHarbour),
(RhysP)-[:CREATED]->(HarbourLights),
(RhysP)-[:WROTE {episodes:33}]->(HarbourLights),
(OwenT)-[:WROTE {episodes:29}]->(HarbourLights),
(KarinV)-[:CREATED]->(Nordlicht),
(KarinV)-[:WROTE {episodes:6}]->(Nordlicht),
(OwenT)-[:CREATED]->(MidnightBakery),
(OwenT)-[:WROTE {episodes:16}]->(MidnightBakery),
(NaomiO)-[:WROTE {episodes:10}]->(MidnightBakery),
(JudithA)-[:CREATED]->(Cartographers),
(JudithA)-[:WROTE {episodes:9}]->(Cartographers),
(DesmondC)-[:CREATED]->(IronOrchard),
(DesmondC)-[:WROTE {episodes:20}]->(IronOrchard),
(NaomiO)-[:CREATED]->(KestrelStation),
(AliceM)-[:CREATED]->(KestrelStation),
(NaomiO)-[:WROTE {episodes:12}]->(KestrelStation),
(AliceM)-[:WROTE {episodes:11}]->(KestrelStation),
(KarinV)-[:WROTE {episodes:3}]->(KestrelStation),
(DesmondC)-[:WROTE {episodes:38}]->(StationZero),
(JudithA)-[:WROTE {episodes:6}]->(ThirdDaughter),
(NilsA)-[:CREATED]->(Vinterhavn),
(NilsA)-[:WROTE {episodes:16}]->(Vinterhavn)

// ---------- Awards ----------
CREATE (LanternDrama:Award {name:'Golden Lantern for Best Drama', givenBy:'Television Guild'})
CREATE (LanternComedy:Award {name:'Golden Lantern for Best Comedy', givenBy:'Television Guild'})
CREATE (LanternActress:Award {name:'Golden Lantern for Best Actress', givenBy:'Television Guild'})
CREATE (LanternActor:Award {name:'Golden Lantern for Best Actor', givenBy:'Television Guild'})
CREATE (SilverPen:Award {name:'Silver Pen', givenBy:'Society of Screenwriters', prizeMoney:5000})
CREATE (Aurora:Award {name:'Aurora Prize', givenBy:'Bergen Screen Festival', prizeMoney:12000})
CREATE (Viewers:Award {name:'Viewers Choice', givenBy:'Screen Weekly'})

CREATE
(Saltmarsh)-[:WON {year:2018}]->(LanternDrama),
(Saltmarsh)-[:NOMINATED_FOR {year:2019}]->(Aurora),
(GlassHarbour)-[:WON {year:2020}]->(LanternDrama),
(GlassHarbour)-[:NOMINATED_FOR {year:2022}]->(LanternDrama),
(HarbourLights)-[:WON {year:2017}]->(LanternComedy),
(HarbourLights)-[:WON {year:2018}]->(Viewers),
(MidnightBakery)-[:NOMINATED_FOR {year:2022}]->(LanternComedy),
(MidnightBakery)-[:WON {year:2023}]->(LanternComedy),
(Cartographers)-[:NOMINATED_FOR {year:2023}]->(LanternDrama),
(KestrelStation)-[:WON {year:2022}]->(Viewers),
(KestrelStation)-[:WON {year:2023}]->(Viewers),
(KestrelStation)-[:NOMINATED_FOR {year:2022}]->(LanternDrama),
(IronOrchard)-[:NOMINATED_FOR {year:2019}]->(LanternDrama),
(Vinterhavn)-[:WON {year:2016}]->(Aurora),
(Nordlicht)-[:WON {year:2021}]->(Aurora),
(OrlaT)-[:WON {year:2018}]->(LanternActress),
(OrlaT)-[:NOMINATED_FOR {year:2017}]->(LanternActress),
(PriyaR)-[:WON {year:2020}]->(LanternActress),
(NaomiO)-[:NOMINATED_FOR {year:2020}]->(LanternActress),
(NaomiO)-[:WON {year:2022}]->(LanternActress),
(MarcusB)-[:WON {year:2019}]->(LanternActor),
(MarcusB)-[:NOMINATED_FOR {year:2022}]->(LanternActor),
(TomaszW)-[:WON {year:2023}]->(LanternActor),
(DominicA)-[:NOMINATED_FOR {year:2018}]->(LanternActor),
(JudithA)-[:WON {year:2018}]->(SilverPen),
(JudithA)-[:WON {year:2023}]->(SilverPen),
(DesmondC)-[:NOMINATED_FOR {year:2019}]->(SilverPen),
(NaomiO)-[:WON {year:2022}]->(SilverPen)

// ---------- Viewers ----------
CREATE (Gwen:Viewer {name:'Gwen Mackie', age:34, city:'Edinburgh'})
CREATE (Luis:Viewer {name:'Luis Ferrer', age:52, city:'Dublin'})
CREATE (Tamsin:Viewer {name:'Tamsin Reeve', age:27, city:'Bristol'})
CREATE (Piet:Viewer {name:'Piet Vos', age:45, city:'Edinburgh'})
CREATE (Amina:Viewer {name:'Amina Yusuf', age:19, city:'Leeds'})
CREATE (George:Viewer {name:'George Bell', age:68, city:'Bristol'})
CREATE (Kirsty:Viewer {name:'Kirsty Lund', city:'Dublin'})

CREATE
(Gwen)-[:RATED {stars:5, on:date('2020-11-14')}]->(Saltmarsh),
(Gwen)-[:RATED {stars:4, on:date('2022-06-02')}]->(KestrelStation),
(Gwen)-[:RATED {stars:2, on:date('2019-01-20')}]->(HarbourLights),
(Luis)-[:RATED {stars:4, on:date('2021-02-08')}]->(Saltmarsh),
(Luis)-[:RATED {stars:3, on:date('2021-12-30')}]->(GlassHarbour),
(Luis)-[:RATED {stars:5, on:date('2018-03-17')}]->(HarbourLights),
(Luis)-[:RATED {stars:1, on:date('2017-05-05')}]->(BrassMonkeys),
(Tamsin)-[:RATED {stars:5, on:date('2022-10-09')}]->(MidnightBakery),
(Tamsin)-[:RATED {stars:3, on:date('2021-08-21')}]->(KestrelStation),
(Tamsin)-[:RATED {stars:4, on:date('2023-04-11')}]->(ThirdDaughter),
(Piet)-[:RATED {stars:5, on:date('2021-01-03')}]->(Nordlicht),
(Piet)-[:RATED {stars:4, on:date('2018-09-26')}]->(Vinterhavn),
(Piet)-[:RATED {stars:3, on:date('2020-12-01')}]->(Saltmarsh),
(Amina)-[:RATED {stars:5, on:date('2023-09-15')}]->(KestrelStation),
(Amina)-[:RATED {stars:4, on:date('2022-12-19')}]->(MidnightBakery),
(George)-[:RATED {stars:2, on:date('2022-11-11')}]->(Cartographers),
(George)-[:RATED {stars:5, on:date('2019-10-30')}]->(IronOrchard),
(George)-[:RATED {stars:4, on:date('2021-10-05')}]->(GlassHarbour),
(Kirsty)-[:RATED {stars:3, on:date('2016-02-28')}]->(StationZero),
(Gwen)-[:FRIENDS_WITH]->(Piet),
(Gwen)-[:FRIENDS_WITH]->(Tamsin),
(Tamsin)-[:FRIENDS_WITH]->(Amina),
(Luis)-[:FRIENDS_WITH]->(Kirsty)
;
