"""Words that are no evidence of anything: too common in prose, in code or in the work itself."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOPWORDS = _words("""
    a about above after again against all also although always am an and another any anyway are as at away back
    be because been before being below between both but by came can cannot come could did do does doing done
    down during each either else enough etc even ever every everything few first for from further gave get gets
    getting give given go goes going good got had has have having he her here hers him his how however i if in
    inside instead into is it its itself just keep kept last later least less let like ll look made make makes
    many may me might mine more most much must my need needs never new next no none nor not nothing now of off
    often old on once one only onto or other others our ours out outside over own per please put quite rather re
    really right said same say says second see seem seems seen she should since so some something soon still
    such take taken than that the their theirs them then there therefore these they thing things third this
    those though through thus to together too took toward under unless until up upon us use used uses using
    usually ve very via want wants was way we well went were what when where whether which while who whole whom
    whose why will with within without would yes yet you your yours s t d m
""")
"""Function words and verbs of every sentence; they support nothing, not even the purpose of a number."""

COMMON = STOPWORDS | _words("""
    awk cat cd checkout chmod clone cp diff echo grep head ls mkdir mv origin pwd rebase rm sed sort stash tail tee
    touch uniq upstream wc xargs
    add added adding agent api app application argument arguments array bash bin block bool boolean branch
    broken bug build built bytes call called calling calls case cases cause caused change changed changes check
    checked checking checks class clean cleanup cli client code command commands commit commits component config
    configuration console content correct correctly create created current data date debug default defaults
    define defined delete deleted dir directory docs documentation edit edited empty end enable ensure entry env
    environment error errors example exception exec execute exit expected explicit fail failed failing fails
    failure false feature fetch field fields file files find fine fix fixed fixes fixing flag folder format
    found full function functions generate global group handle handled handler hand help home host html http
    https id import important index info init input insert install int issue issues item items job json key keys
    kind lib library line lines link list lists load local location log logging logs loop main master match
    member memory message messages method missing mode model module name named names node note null number
    object open option options order output package page parameter parse part patch path pattern pip point
    present print problem process program project property pull push py pytest python query question raise read
    reading record remember remove removed rename repeat replace repo report repository request requests require
    required reset resolve response rest result results return returned returns review root row rows rule run
    runner running runs safe save schema script search section self send server service set setting settings
    setup shell show size software solution solve source spec sql src standard start started state status step
    steps stop store stored str string style submit submitting success suite support sure switch syntax system
    table task tasks team temp term test tested testing tests text time times tmp todo token tool tools true try
    type types unit update updated url user users usr utf util utils valid value values var variable verify
    version view wait warning web work worked working works write writes writing written wrong xml yaml year
    zero
""")
"""Words of the trade besides; on their own they are no content of one memory, though they tell a number's purpose."""

COMMON_CAPITALS = _words("""
    AI ALL ALWAYS AND ANY API APIS ASAP ASCII BUT CI CLI CPU CSS CSV DB DNS DO DONE EOF EOL EOT EXIT FAIL FAILED
    FALSE FAQ FIXME FYI GIT GPU GUI HTML HTTP HTTPS ID IDE IDS IMPORTANT IO IP JSON LLM MUST NEVER NONE NOT NOTE
    NULL OK ONLY OR OS PASS PASSED PDF PHP PR PRS RAM README REST SDK SHOULD SQL SSH SSL TBD TCP TLS TODO TRUE
    UI URI URL URLS USB USE UTC UTF UUID UX VM WARNING WIP XML YAML YES THE FOR ERROR INFO DEBUG
    EUR USD GBP JPY CHF NOK SEK DKK
""")
"""Capitals that stand in any technical text."""

COMMON_NAMES = _words("""
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december mondays tuesdays wednesdays thursdays fridays saturdays sundays google cloud
    microsoft visual studio github actions docker kubernetes python linux windows apple amazon english french german
""")
"""Capitalised words that name no one thing of one memory, even two in a row."""

COMMON_FLAGS = _words("""
    --all --debug --force --help --output --quiet --recursive --silent --verbose --version --yes --no --no-pager
    --oneline --name-only --stat --color
""")
"""Options of nearly every program."""

COMMON_COMPOUNDS = _words("""
    non re pre self well long short high low half multi cross end up on off in by built out one two three so
    step read-only write-only real-time run-time open-source command-line
""")
"""First parts of hyphenated English, and a few whole ones: no names of things."""

COMMAND_HEADS = _words("""
    ansible apt bash brew bundle bun cargo cmake composer conda curl deno dig docker dotnet flask gh git go
    gradle helm hatch java just kubectl make mix mvn mypy ng nginx node nox npm npx nx pdm php pip pipx pnpm
    poetry pre-commit psql pytest python python3 rails rake redis-cli ruff ruby rustup sbt sh sqlite3 ssh
    systemctl task terraform tox uv uvicorn vault wget yarn
""")
"""Programs that prose names together with what they are asked to do (``make preview``)."""

FILE_ENDINGS = _words("""
    avro bak bat bz2 c cc cfg cjs conf cpp cs css csv db env ex exs gif go gradle graphql gz h hpp hs html ini
    ipynb java jpeg jpg js json jsonl jsx kt less lock log lua m4 md mjs mk mod parquet patch pdf pem php pl
    plist png po proto ps1 py pyi pyx r rb rs rst sass scala scss sh sql sqlite sum svg swift tar tex tf tfvars
    toml ts tsv tsx txt vue wasm xlsx xml yaml yml zip zsh
""")
"""Endings that make a dotted word a file name."""

COMMON_FILES = _words("""
    readme.md changelog.md contributing.md setup.py setup.cfg pyproject.toml requirements.txt package.json conftest.py
    __init__.py __main__.py index.html index.js main.py app.py tox.ini cargo.toml go.mod pom.xml tsconfig.json
    package-lock.json .gitignore
""")
"""Files that any agent opens unprompted."""

COMMON_TOKENS = _words("""
    node.js vue.js next.js asp.net e.g i.e etc. and/or i18n l10n a11y k8s utf8 utf-8 base64 ipv4 ipv6 python3
    python2 sha1 sha256 md5 x86 x64 arm64 amd64 p50 p95 p99 http2 http1 read/write input/output client/server
    yes/no true/false on/off github gitlab javascript typescript postgresql mysql mongodb linkedin youtube
    stackoverflow macos iphone readonly todo
""")
"""Tokens that look like identifiers and are everyday words of the trade."""
