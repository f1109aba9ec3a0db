"""Two stores of eight memories, which is about what most people have, and what is asked of them."""

WORKSHOP = (
    "Replaced ESLint and Prettier by Biome, one tool for both.",
    "CI/CD runs on GitHub Actions (GHA); secrets live in the organisation, not in the repository.",
    "Deployment to the cluster uses Helm charts in deploy/.",
    "Redis holds sessions only; losing it logs people out and nothing more.",
    "The invoice PDF is rendered by WeasyPrint because the customer checks the fonts.",
    "Playwright tests run against the staging build every night.",
    "Feature flags come from Unleash and default to off.",
    "Terraform state is kept in the bucket of the platform team.",
)

# Each question names one thing, and one memory holds that name.
NAMES = (
    ("how do I set up Prettier with tabs?", "Prettier"),
    ("GHA secrets config", "GHA"),
    ("Add a Helm value for the log level", "Helm"),
    ("why does our bundle still ship an ESLint config file?", "ESLint"),
    ("bump the version of Redis in docker compose to eight", "Redis"),
    ("upgrade to the newest WeasyPrint and look whether anything breaks", "WeasyPrint"),
    ("write me a Playwright fixture that logs a user in", "Playwright"),
    ("remove the dead toggles that Unleash reports as stale", "Unleash"),
    ("import an existing DNS zone into Terraform please", "Terraform"),
    ("format the whole tree with Biome in one commit", "Biome"),
)

STRANGE = (
    "what is the weather going to be in Lisbon?",
    "Who won the match against Brazil yesterday?",
    "translate this poem by Rilke for me",
    "book a table for Saturday evening",
    "how do plants turn sunlight into sugar",
)

SHOP = (
    "Orders go to the warehouse over SFTP at six in the evening; later ones wait a day.",
    "The Grafana board called checkout is what whoever is on call looks at first.",
    "Moved from Yarn to pnpm because the lock file conflicted in every branch.",
    "Sentry drops events over 200 KB, so we cut breadcrumbs to the last twenty.",
    "Android builds need JDK 17; with 21 Gradle 7 fails on class file version 65.",
    "The importer keeps its cursor in Mongo, since the pod is restarted every night.",
    "VAT ids are checked against VIES once and cached for thirty days.",
    "Dates in the API are always UTC; the Oslo office sees local time only in the browser.",
)

# Asked as people do: in other words, with an error as it came, for a thing that only lies near.
PLAIN = (
    ("how are orders handed to the warehouse", "SFTP"),
    ("Grafana link for on-call", "Grafana"),
    ("why pnpm and not Yarn?", "pnpm"),
    ("Sentry event was too large", "Sentry"),
    ("Gradle: Unsupported class file major version 65", "JDK"),
    ("where does the importer remember how far it got", "cursor"),
    ("is VIES down? VAT check fails", "VIES"),
    ("add a JDK matrix to the Android build", "JDK"),
    ("which time zone do API dates use", "UTC"),
    ("Mongo migration of the importer", "Mongo"),
)
