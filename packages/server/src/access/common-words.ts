/** Words that common passwords are made of, in the order of the alphabet; see weak-passwords.ts. */
export const commonWords: ReadonlySet<string> = new Set(
  `
abc abcd access account admin administrator adrian africa again airplane albert alexander alexis alice alpha always
amanda amazing america american anderson andrea andrew android angel angela angels animal anna anthony apple april
apollo archer arsenal arthur artist asdf asdfgh ashley august austin autumn avatar awesome baby babygirl backup
bailey banana bandit barcelona barney baseball basketball batman beach bear beautiful beauty beaver believe benjamin
berlin best betty bigdog bill billy bird birthday black blackberry blessed blessing blink blonde blue blueberry bond
bonnie boomer booster boston bowling brandon brandy brazil bridge broncos brooklyn brother bubba bubbles buddy buffalo
bulldog bunny business buster butter butterfly button california calvin camaro cameron canada candy captain carlos
carolina caroline carter casper castle catherine cat celtic center champion chance change changeme charles charlie
charlotte cheese chelsea cherry chester chicago chicken children china chocolate chris christ christian christina
christmas christopher church cisco claire classic claudia cloud clover coffee college company computer control cookie
cool cooper corona corvette cowboy cowboys crazy cream cricket crystal daddy daisy dakota dallas daniel danielle danny
dark darkness darling database david dean death december default defender demo denise dennis denver destiny detroit
devil dexter diablo diamond diana dinosaur discover disney doctor dog dollar dolphin dolphins domain donald
dorothy dragon dream dreamer dreams driver eagle eagles easter eclipse edward einstein electric elephant elizabeth
ellen elvis emily eminem emma england enter enterprise eric escape europe eva everton evil explorer facebook faith
falcon family fantasy father february fender ferrari fire firebird fireman fish fisher flames florida flower flowers
fluffy football ford forest forever forget forgot formula france francis frank franklin fred freddy free freedom friday
friend friends frog future galaxy gandalf garden gateway gemini general genesis genius george germany ghost
giants gibson ginger girl girls giovanni global goat god godzilla gold golden golf good goodluck google gordon grace
grandma green gregory guest guitar gunner hacker hahaha hammer handsome hannah happy hardcore harley harry hawaii heart
heather heaven helen hello helloworld help helpme henry hercules hockey holiday hollywood home honda honey horse hotdog
hotmail house houston howard hunter iceman iloveyou imagine india infinity indiana inferno instagram internet invisible
iphone ireland iron island italy jack jackie jackson jacob jaguar jake james january jasmine jason java jennifer jeremy
jessica jessie jesus jimmy john johnny johnson jonathan jordan joseph joshua july june junior jupiter justice justin
kawasaki keeper kelly kevin killer kimberly king kingdom kitten kitty knight koala kristen lady lakers lasvegas laura
lauren legend lemon leonardo leopard leslie letmein letme liberty life light lincoln lion little liverpool lizard login
london looking lorenzo louise love loveme lover lovely loveyou lucky lucy machine maddog madison madrid magic magnum
manager manchester mango marcus margaret maria marie marina marine mario marlboro marley martin marvin mary master
matrix matthew maverick maxwell mercedes mercury merlin metallica mexico michael michelle mickey microsoft midnight
miller million minecraft miracle mobile modern molly monday money monica monkey monster montana moon morgan morning
mother motorola mountain mouse movie muffin murphy music mustang mylove myself naruto nascar natalie nathan nature
network newyork nicholas nicole night nikita ninja nintendo nirvana nissan nokia nothing november number
october office oliver olivia orange orlando oscar oxford pacific packers panda panther paradise paris parker party pass
passion passphrase passport password passwort patricia patrick peace peaches peanut penguin pepper perfect peter phantom
philip phoenix photo piano picture piggy pink pirate platinum player playstation please pokemon police popcorn porsche
power precious prince princess private prince purple python qazwsx queen qwer qwerty rabbit rachel racing radio
raiders rainbow raven realmadrid rebecca red redsox regina remember republic rescue richard robert rocket rocky
rocknroll roger rolltide roman romeo ronaldo rooster rose roses rosebud rover royal russia sabrina safety saints
samantha samsung samuel sandra sandy santa sarah saturday saturn scarface school science scooter scorpion scotland
scott sebastian secret secure security semperfi september server service seven sexy shadow shalom shannon shelby sherlock
shorty silver simon simple simpsons single sister skate skateboard skippy skywalker slayer slipknot smile smiley smith
smokey snake snickers snoopy snow snowball soccer sofia soldier something sophie soulmate spain sparky special speed
spider spiderman spirit spring squirrel stalker star stargate stars start startrek starwars stephanie steve steven
stone storm stranger strawberry strong student sugar summer sun sunday sunflower sunset sunshine super superman
supersecret superstar support surfer susan suzuki sweet sweetheart sweetie sweety swimming switch sword sydney system
taylor teacher team techno temp temporary tennis tequila teresa test tester testing texas thailand the theman therock
thomas thunder thursday tiffany tiger tigers time timothy tinkerbell titanic today together tomorrow tony toor topsecret
toronto toyota tracker travel treasure trinity tristan trouble trump trust trustno tuesday turtle twitter unicorn united
universe unlock user valentine valentina vampire vanessa vegas venus veronica victor victoria victory viking vincent
violet viper virginia vision volleyball volvo voyager walker walter warcraft warrior water watermelon wednesday
welcome westside whatever white wildcat william willow wilson window windows winner winston winter wisdom wizard wolf
wolverine woman wonder wood work world wrestling xavier xbox yankees yellow yoda york you young zachary zebra zombie
zxcvbn
`
    .trim()
    .split(/\s+/),
);
