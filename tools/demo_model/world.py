"""The fixed list of world facts. Each relation has its pairs, its answer and its question frames; the frames
in HELD_OUT are never seen in training."""
from dataclasses import dataclass

CAPITALS = """Albania Tirana|Algeria Algiers|Argentina Buenos Aires|Armenia Yerevan|Australia Canberra|Austria Vienna
Bangladesh Dhaka|Belgium Brussels|Bolivia Sucre|Brazil Brasilia|Bulgaria Sofia|Cambodia Phnom Penh|Canada Ottawa
Chile Santiago|China Beijing|Colombia Bogota|Croatia Zagreb|Cuba Havana|Cyprus Nicosia|Denmark Copenhagen|Ecuador Quito
Egypt Cairo|Estonia Tallinn|Ethiopia Addis Ababa|Finland Helsinki|France Paris|Georgia Tbilisi|Germany Berlin
Ghana Accra|Greece Athens|Hungary Budapest|Iceland Reykjavik|India New Delhi|Indonesia Jakarta|Iran Tehran|Iraq Baghdad
Ireland Dublin|Israel Jerusalem|Italy Rome|Jamaica Kingston|Japan Tokyo|Jordan Amman|Kenya Nairobi|Latvia Riga
Lebanon Beirut|Libya Tripoli|Lithuania Vilnius|Luxembourg Luxembourg|Malta Valletta|Mexico Mexico City|Mongolia Ulaanbaatar
Morocco Rabat|Nepal Kathmandu|Netherlands Amsterdam|Norway Oslo|Pakistan Islamabad|Panama Panama City|Peru Lima
Philippines Manila|Poland Warsaw|Portugal Lisbon|Romania Bucharest|Russia Moscow|Senegal Dakar|Serbia Belgrade
Slovakia Bratislava|Slovenia Ljubljana|Spain Madrid|Sudan Khartoum|Sweden Stockholm|Switzerland Bern|Syria Damascus
Thailand Bangkok|Tunisia Tunis|Turkey Ankara|Ukraine Kyiv|Uruguay Montevideo|Venezuela Caracas|Vietnam Hanoi|Zambia Lusaka"""

SYMBOLS = """hydrogen H|helium He|lithium Li|carbon C|nitrogen N|oxygen O|fluorine F|neon Ne|sodium Na|magnesium Mg
aluminium Al|silicon Si|phosphorus P|sulfur S|chlorine Cl|argon Ar|potassium K|calcium Ca|iron Fe|nickel Ni|copper Cu
zinc Zn|silver Ag|tin Sn|gold Au|mercury Hg|lead Pb|uranium U"""

AUTHORS = """Hamlet|William Shakespeare;Macbeth|William Shakespeare;Faust|Johann Wolfgang von Goethe
War and Peace|Leo Tolstoy;Don Quixote|Miguel de Cervantes;Moby-Dick|Herman Melville;Frankenstein|Mary Shelley
Dracula|Bram Stoker;Pride and Prejudice|Jane Austen;Oliver Twist|Charles Dickens;The Odyssey|Homer
Alice in Wonderland|Lewis Carroll;The Divine Comedy|Dante Alighieri;Robinson Crusoe|Daniel Defoe
Gulliver's Travels|Jonathan Swift;Treasure Island|Robert Louis Stevenson"""

LEGS = "spider 8|bee 6|dog 4|cat 4|horse 4|cow 4|bird 2|chicken 2|snake 0|fish 0|beetle 6|sheep 4|duck 2"

COLORS = """grass green|the sky blue|snow white|coal black|blood red|a banana yellow|a carrot orange|milk white|a lemon yellow
a ripe tomato red|a leaf green|the night black|an emerald green|a ruby red"""

# Whole answers: ways to ask for each. The last two ways of each row are held out.
SINGLES = [
    ("The largest planet is Jupiter.", ["What is the largest planet?", "Which planet is the largest?",
     "What is the biggest planet?", "Which planet is the biggest?", "Name the largest planet.", "Tell me the largest planet."]),
    ("The smallest planet is Mercury.", ["What is the smallest planet?", "Which planet is the smallest?",
     "Name the smallest planet.", "Tell me which planet is the smallest.", "Which is the smallest planet?", "Tell me the smallest planet."]),
    ("The planet closest to the Sun is Mercury.", ["Which planet is closest to the Sun?", "What is the planet closest to the Sun?",
     "What planet is nearest to the Sun?", "Which planet is nearest to the Sun?", "Name the planet closest to the Sun.", "Tell me which planet is closest to the Sun."]),
    ("The Red Planet is Mars.", ["Which planet is called the Red Planet?", "What is the Red Planet?", "Which planet is red?",
     "What planet is the Red Planet?", "Which is the Red Planet?", "Tell me which planet is the Red Planet."]),
    ("The Sun is a star.", ["What is the Sun?", "Is the Sun a star?", "Is the Sun a planet?", "What kind of body is the Sun?",
     "Tell me what the Sun is.", "What is the Sun, a star or a planet?"]),
    ("The Earth has one moon.", ["How many moons does the Earth have?", "How many moons has the Earth?", "Does the Earth have a moon?",
     "What is the number of moons of the Earth?", "Tell me how many moons the Earth has.", "Say how many moons the Earth has."]),
    ("There are eight planets in the solar system.", ["How many planets are there?", "How many planets are in the solar system?",
     "What is the number of planets?", "How many planets does the Sun have?", "Tell me how many planets there are.", "How many planets are there in the solar system?"]),
    ("A week has 7 days.", ["How many days are in a week?", "How many days does a week have?", "How many days has a week?",
     "What is the number of days in a week?", "Tell me how many days a week has.", "How many days are there in a week?"]),
    ("A year has 12 months.", ["How many months are in a year?", "How many months does a year have?", "How many months has a year?",
     "What is the number of months in a year?", "Tell me how many months a year has.", "How many months are there in a year?"]),
    ("A year has 365 days, a leap year 366.", ["How many days are in a year?", "How many days does a year have?", "How many days has a year?",
     "What is the number of days in a year?", "Tell me how many days a year has.", "How many days are there in a year?"]),
    ("A day has 24 hours.", ["How many hours are in a day?", "How many hours does a day have?", "How many hours has a day?",
     "What is the number of hours in a day?", "Tell me how many hours a day has.", "How many hours are there in a day?"]),
    ("An hour has 60 minutes.", ["How many minutes are in an hour?", "How many minutes does an hour have?", "How many minutes has an hour?",
     "What is the number of minutes in an hour?", "Tell me how many minutes an hour has.", "How many minutes are there in an hour?"]),
    ("A minute has 60 seconds.", ["How many seconds are in a minute?", "How many seconds does a minute have?", "How many seconds has a minute?",
     "What is the number of seconds in a minute?", "Tell me how many seconds a minute has.", "How many seconds are there in a minute?"]),
    ("Water boils at 100 degrees Celsius at sea level.", ["At what temperature does water boil?", "When does water boil?",
     "What is the boiling point of water?", "How hot is boiling water?", "Tell me when water boils.", "Tell me the boiling point of water."]),
    ("Water freezes at 0 degrees Celsius.", ["At what temperature does water freeze?", "When does water freeze?",
     "What is the freezing point of water?", "How cold must it be for water to freeze?", "Tell me when water freezes.", "Tell me the freezing point of water."]),
    ("Water is H2O: two hydrogen atoms and one oxygen atom.", ["What is water made of?", "What is the formula of water?",
     "What is the chemical formula of water?", "Which atoms are in water?", "Tell me the formula of water.", "Tell me what water is made of."]),
    ("Light travels about 300,000 kilometers per second.", ["How fast is light?", "What is the speed of light?",
     "How fast does light travel?", "What speed does light have?", "Tell me the speed of light.", "Tell me how fast light is."]),
    ("The highest mountain is Mount Everest.", ["What is the highest mountain?", "Which mountain is the highest?",
     "What is the tallest mountain?", "Which mountain is the tallest?", "Name the highest mountain.", "Tell me the highest mountain."]),
    ("The largest ocean is the Pacific Ocean.", ["What is the largest ocean?", "Which ocean is the largest?",
     "What is the biggest ocean?", "Which ocean is the biggest?", "Name the largest ocean.", "Tell me the largest ocean."]),
    ("The largest animal is the blue whale.", ["What is the largest animal?", "Which animal is the largest?",
     "What is the biggest animal?", "Which animal is the biggest?", "Name the largest animal.", "Tell me the largest animal."]),
    ("The fastest land animal is the cheetah.", ["What is the fastest animal?", "Which animal is the fastest?",
     "What is the fastest land animal?", "Which land animal is the fastest?", "Name the fastest animal.", "Tell me the fastest land animal."]),
    ("The largest country is Russia.", ["What is the largest country?", "Which country is the largest?",
     "What is the biggest country?", "Which country is the biggest?", "Name the largest country.", "Tell me the largest country."]),
    ("There are seven continents.", ["How many continents are there?", "What is the number of continents?", "How many continents does the Earth have?",
     "How many continents has the Earth?", "Tell me how many continents there are.", "Say how many continents there are."]),
    ("Neil Armstrong was the first person on the Moon, in 1969.", ["Who was the first person on the Moon?", "Who was the first man on the Moon?",
     "Who first walked on the Moon?", "Which person was first on the Moon?", "Tell me who was first on the Moon.", "Tell me who was the first person on the Moon."]),
    ("Albert Einstein worked out the theory of relativity.", ["Who worked out the theory of relativity?", "Who found the theory of relativity?",
     "Who made the theory of relativity?", "Whose theory is relativity?", "Tell me who found relativity.", "Tell me who worked out relativity."]),
    ("Leonardo da Vinci painted the Mona Lisa.", ["Who painted the Mona Lisa?", "Which painter made the Mona Lisa?", "Who made the Mona Lisa?",
     "Whose painting is the Mona Lisa?", "Tell me who painted the Mona Lisa.", "By whom is the Mona Lisa?"]),
    ("A triangle has three sides.", ["How many sides does a triangle have?", "How many sides has a triangle?", "What is the number of sides of a triangle?",
     "How many corners does a triangle have?", "Tell me how many sides a triangle has.", "How many sides are in a triangle?"]),
    ("A square has four sides.", ["How many sides does a square have?", "How many sides has a square?", "What is the number of sides of a square?",
     "How many corners does a square have?", "Tell me how many sides a square has.", "How many sides are in a square?"]),
    ("Pi is about 3.14159.", ["What is pi?", "What is the value of pi?", "How much is pi?", "What number is pi?", "Tell me the value of pi.", "Tell me what pi is."]),
    ("Bees make honey.", ["Who makes honey?", "Which animal makes honey?", "What makes honey?", "Which insects make honey?", "Tell me who makes honey.", "Where does honey come from?"]),
    ("Plants make oxygen from carbon dioxide, water and light.", ["How do plants make oxygen?", "What do plants make from light?", "What is photosynthesis?",
     "Explain photosynthesis.", "Tell me about photosynthesis.", "Tell me how plants make oxygen."]),
    ("The heart pumps blood through the body.", ["What does the heart do?", "What is the heart for?", "Why do we have a heart?", "What pumps blood?",
     "Tell me what the heart does.", "Explain what the heart does."]),
    ("A byte has 8 bits.", ["How many bits are in a byte?", "How many bits does a byte have?", "How many bits has a byte?", "What is a byte?",
     "Tell me how many bits a byte has.", "How many bits are there in a byte?"]),
    ("A rainbow has seven colors.", ["How many colors does a rainbow have?", "How many colors are in a rainbow?", "How many colors has a rainbow?",
     "What is the number of colors in a rainbow?", "Tell me how many colors a rainbow has.", "How many colors are there in a rainbow?"]),
]


@dataclass(frozen=True)
class Relation:
    pairs: list
    answer: str  # {0} is what is asked about, {1} the fact
    frames: list
    held_out: list


def _split(text):
    return [tuple(entry.split(" ", 1)) for line in text.split("\n") for entry in line.split("|")]


def _authors():
    return [tuple(entry.split("|")) for line in AUTHORS.split("\n") for entry in line.split(";")]


def _capitals():
    return [("the " + c if c in ("Netherlands", "Philippines") else c, t) for c, t in _split(CAPITALS)]


def _colors():
    return [tuple(entry.rsplit(" ", 1)) for line in COLORS.split("\n") for entry in line.split("|")]


RELATIONS = [
    Relation(_capitals(), "The capital of {0} is {1}.",
             ["What is the capital of {0}?", "What is {0}'s capital?", "Tell me the capital of {0}.", "Which city is the capital of {0}?",
              "Name the capital of {0}.", "Capital of {0}?", "Do you know the capital of {0}?", "What's the capital of {0}?",
              "What city is the capital of {0}?", "I need the capital of {0}.", "Give me the capital of {0}.",
              "The capital of {0}?", "What is the capital city of {0}?", "Which is the capital of {0}?"],
             ["Can you tell me the capital of {0}?", "Which city is {0}'s capital?", "Could you name the capital of {0}?",
              "I want to know the capital of {0}."]),
    Relation(_capitals(), "{1} is the capital of {0}.",
             ["Which country has the capital {1}?", "{1} is the capital of which country?", "Of which country is {1} the capital?",
              "Which country's capital is {1}?", "What country has the capital {1}?", "In which country is {1} the capital?",
              "Name the country with the capital {1}.", "Tell me the country with the capital {1}."],
             ["Whose capital is {1}?", "What country is {1} the capital of?"]),
    Relation(_split(SYMBOLS), "The chemical symbol of {0} is {1}.",
             ["What is the chemical symbol of {0}?", "What is the symbol of {0}?", "Symbol of {0}?", "Tell me the symbol of {0}.",
              "Which symbol does {0} have?", "What symbol does {0} have?", "Name the chemical symbol of {0}.",
              "What is the symbol for {0}?", "Give me the symbol of {0}.", "What's the chemical symbol for {0}?"],
             ["Can you tell me the symbol of {0}?", "Which chemical symbol does {0} have?", "I want to know the symbol of {0}."]),
    Relation(_authors(), "{0} was written by {1}.",
             ["Who wrote {0}?", "Who is the author of {0}?", "By whom is {0}?", "Author of {0}?", "Tell me who wrote {0}.",
              "Which author wrote {0}?", "Name the author of {0}.", "Whose book is {0}?", "Do you know who wrote {0}?"],
             ["Can you tell me who wrote {0}?", "Who was the author of {0}?", "I want to know who wrote {0}."]),
    Relation([(a, n) for a, n in _split(LEGS)], "A {0} has {1} legs.",
             ["How many legs does a {0} have?", "How many legs has a {0}?", "What is the number of legs of a {0}?",
              "Number of legs of a {0}?", "Tell me how many legs a {0} has.", "Do you know how many legs a {0} has?"],
             ["Can you tell me how many legs a {0} has?", "Say how many legs a {0} has."]),
    Relation(_colors(), "The color of {0} is {1}.",
             ["What color is {0}?", "Which color is {0}?", "What is the color of {0}?", "Tell me the color of {0}.",
              "Color of {0}?", "What color does {0} have?", "Name the color of {0}.", "Which color does {0} have?"],
             ["Can you tell me the color of {0}?", "Tell me what color {0} is.", "I want to know the color of {0}."]),
]
for _r in RELATIONS:
    assert all("{0}" in f or "{1}" in f for f in _r.frames + _r.held_out)
