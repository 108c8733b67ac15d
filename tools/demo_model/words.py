"""Words that fill the templates. Every list has a part for training and a part that is held out, and in training
many names are made of random syllables, so that copying an argument never depends on having seen it."""
import string

STEMS = """notes todo readme main config report index data list plan draft letter diary recipe budget invoice summary
agenda backup users orders items prices model server client parser lexer tokens sampler walk device kernel cache engine
session loader writer reader matrix vector graph node edge queue stack heap table schema query result output input test
tests bench build deploy setup install license changes history story poem song album photo image icon logo style theme
layout page header footer menu form login account profile settings options flags defaults values names words letters
numbers dates times events meeting minutes travel hotel flight ticket garden flower kitchen shopping groceries books
movies games music lyrics chapter scene paper thesis slides poster homework lesson quiz exam grades students teachers
class school project task issue bug fix patch release version""".split()
HELD_OUT_STEMS = """walnut harbor falcon teapot marble lantern meadow violin cactus pepper saddle pigeon kettle velvet
anchor basket candle dragon feather glacier hammer island jacket ladder magnet needle orchid pebble quartz ribbon
saffron thunder umbrella valley whistle yogurt zebra almond bamboo carpet""".split()

EXTENSIONS = ["txt", "md", "py", "cc", "h", "json", "csv", "log", "toml", "yaml", "sh", "html", "c", "js", "cfg", "ini", "rs"]
FOLDERS = """src docs tests build include scripts data lib bin tools assets examples notes logs photos archive config work
old new shared public private home music images letters backup drafts src/cli src/base docs/adr tests/unit data/raw""".split()
HELD_OUT_FOLDERS = "vault pantry attic cellar workshop studio stable orchard library kiosk lab/raw depot/old".split()

CITIES = """Paris London Berlin Madrid Rome Vienna Oslo Tokyo Cairo Lima Boston Chicago Denver Seattle Toronto Sydney
Mumbai Delhi Bangkok Dublin Lisbon Prague Warsaw Athens Helsinki Stockholm Copenhagen Brussels Amsterdam Zurich Geneva
Munich Hamburg Cologne Milan Naples Venice Florence Barcelona Valencia Seville Porto Lyon Marseille Nice Bordeaux
Manchester Leeds Glasgow Edinburgh Cardiff Houston Dallas Austin Miami Atlanta Detroit Phoenix Portland Montreal
Vancouver Nairobi Lagos Accra Tunis Istanbul Ankara Tehran Beijing Shanghai Osaka Kyoto Seoul Manila Jakarta Hanoi""".split()
HELD_OUT_CITIES = """Turin Bergen Ghent Basel Graz Malaga Bilbao Rouen Dundee Tampa Omaha Quito Cusco Sapporo Nagoya Busan
Perth Hobart Mombasa Izmir Krakow Gdansk Leipzig Bremen Dresden Aarhus Uppsala Tampere Salzburg Bologna""".split()

PEOPLE = """Anna Ben Clara David Emma Frank Grace Henry Ida Jack Kate Leo Maria Nick Olga Paul Rosa Sam Tina Victor
Alice Bob Carol Dan Eva Fred Gina Hans Iris John Laura Mark Nora Oscar Peter Ruth Simon Tom Uma Walter""".split()
HELD_OUT_PEOPLE = "Agnes Boris Celia Dora Edgar Fiona Gustav Helga Igor Judith Klaus Lena Marek Nina Otto Petra".split()

THINGS = """milk bread apples paper ink coffee tea sugar salt rice eggs butter cheese soap rope nails paint glue books
pens stamps flowers seeds boxes chairs lamps tables cups plates knives forks shoes socks hats coats tickets maps keys
coins stones shells""".split()
HELD_OUT_THINGS = "pears plums onions carrots spoons gloves scarves bricks cables mirrors pillows drums".split()

ADJECTIVES = """old new red green blue small large long short warm cold dry wet fast slow quiet loud early late open
closed empty full clean dark bright heavy light soft hard sweet young fresh simple ready""".split()
VERBS = """buy sell call write read send check clean fix move open close count paint wash pack bring find visit answer
ask sort print build test start stop save copy""".split()
NOUNS = """house garden street river bridge tower market office kitchen door table letter engine train boat
road hill forest lake farm mill shop bank church park square wall roof floor room bed clock book story picture map
plan price number word line page list box bag cup plate""".split()

# For questions that nobody taught the model.
TOPICS = """the battle of {X}|the king of {X}|the {X} theorem|the mayor of {X}|the {X} virus|the price of {X}
the population of {X}|the history of {X}|the river {X}|the {X} company|the director of {X}|the inventor of the {X}
the {X} museum|the football club {X}|the {X} protein|the president of {X}|the stock of {X}|the philosophy of {X}
the language of {X}|the {X} war|the orchestra of {X}|the {X} algorithm|the bridge of {X}|the planet {X}
the {X} engine|the novel {X}|the song {X}|the actor {X}|the painter {X}|the poet {X}|the airport of {X}"""
TOPICS = [topic for line in TOPICS.split("\n") for topic in line.split("|")]

_ONSETS = ["b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "br", "cl", "dr", "fl",
           "gr", "pl", "pr", "sh", "sl", "sp", "st", "th", "tr", "ch", "qu", ""]
_VOWELS = ["a", "e", "i", "o", "u", "a", "e", "o", "ai", "ee", "oo", "ou", "ea", "y"]
_CODAS = ["", "", "", "n", "r", "s", "l", "t", "m", "ck", "nd", "st", "rt", "ng", "x", "p", "d", "b"]


_HELD_OUT = {word.lower() for words in (HELD_OUT_STEMS, HELD_OUT_FOLDERS, HELD_OUT_CITIES, HELD_OUT_PEOPLE, HELD_OUT_THINGS)
             for word in words}


def made_up(rng):
    """A pronounceable word that no list has."""
    while True:
        word = "".join(rng.pick(_ONSETS) + rng.pick(_VOWELS) + rng.pick(_CODAS) for _ in range(1 + rng.below(3)))
        if word not in _HELD_OUT:
            return word


def random_characters(rng, length):
    return "".join(rng.pick(string.ascii_lowercase + string.digits) for _ in range(length))


def stem(rng, held_out):
    if held_out:
        return rng.pick(HELD_OUT_STEMS)
    kind = rng.below(10)
    if kind < 3:
        return rng.pick(STEMS)
    if kind < 8:
        return made_up(rng)
    return random_characters(rng, 2 + rng.below(6))


def file_name(rng, held_out, with_folder=True):
    name = stem(rng, held_out)
    kind = rng.below(12)
    if kind == 0:
        name += "_" + stem(rng, held_out)
    elif kind == 1:
        name += "-" + stem(rng, held_out)
    elif kind == 2:
        name += str(rng.below(100))
    elif kind == 3:
        name = name.capitalize()
    elif kind == 4 and not held_out:
        name = name.upper()
    name += "." + rng.pick(EXTENSIONS)
    if with_folder and rng.chance(0.25):
        name = folder(rng, held_out) + "/" + name
    return name


def folder(rng, held_out):
    if held_out:
        return rng.pick(HELD_OUT_FOLDERS)
    return rng.pick(FOLDERS) if rng.chance(0.5) else made_up(rng) + ("/" + made_up(rng) if rng.chance(0.2) else "")


def _listed_or_made(rng, held_out, listed, listed_held_out):
    if held_out:
        return rng.pick(listed_held_out)
    return rng.pick(listed) if rng.chance(0.5) else made_up(rng).capitalize()


def city(rng, held_out):
    return _listed_or_made(rng, held_out, CITIES, HELD_OUT_CITIES)


def person(rng, held_out):
    return _listed_or_made(rng, held_out, PEOPLE, HELD_OUT_PEOPLE)


def thing(rng, held_out):
    if held_out:
        return rng.pick(HELD_OUT_THINGS)
    return rng.pick(THINGS) if rng.chance(0.7) else made_up(rng)


def phrase(rng, held_out):
    """A few plain words: the content of a note, a message, a commit."""
    kind = rng.below(6)
    if kind == 0:
        return f"{rng.pick(VERBS)} {thing(rng, held_out)}"
    if kind == 1:
        return f"{rng.pick(VERBS)} the {rng.pick(ADJECTIVES)} {rng.pick(NOUNS)}"
    if kind == 2:
        return f"{thing(rng, held_out)} and {thing(rng, held_out)}"
    if kind == 3:
        return f"the {rng.pick(NOUNS)} is {rng.pick(ADJECTIVES)}"
    if kind == 4:
        return f"{person(rng, held_out)} {rng.pick(['will', 'did', 'can'])} {rng.pick(VERBS)} the {rng.pick(NOUNS)}"
    return f"{rng.pick(ADJECTIVES)} {rng.pick(NOUNS)}" + (f" {rng.below(100)}" if rng.chance(0.3) else "")
