package app

import (
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
)

// meanings describes each setting for docs/settings.md, in plain text with units. The bounds of the value replace
// {bounds}, {least} and {most}.
var meanings = [][2]string{
	{"AzureWebJobsStorage",
		"Storage account: a connection string, or UseDevelopmentStorage=true for an Azurite that is running " +
			"already. Where it is set, tidemark start uses it unless STORAGE says otherwise"},
	{"AzureWebJobsStorage__accountName",
		"Storage account by name, opened with an identity instead of a key"},
	{"AzureWebJobsStorage__blobServiceUri",
		"Address of the blob service, when it does not follow from the account's name"},
	{"AzureWebJobsStorage__queueServiceUri",
		"Address of the queue service, likewise"},
	{"AzureWebJobsStorage__tableServiceUri",
		"Address of the table service, likewise"},
	{"AzureWebJobsStorage__credential",
		"managedidentity for a managed identity; unset tries the usual sources of an Azure identity in turn"},
	{"AzureWebJobsStorage__clientId",
		"Client id of a user-assigned managed identity"},
	{"TIDEMARK_DATA",
		"Folder of the search index; with tidemark start also of the embedded store or Azurite's data, and of the " +
			"log"},
	{"MEMORY_LIMIT_MB",
		"Mebibytes that the program and the document readers it starts may use together, at least {least}. Unset " +
			"takes what the control group (container) or the machine has, at most 1024. GOMEMLIMIT follows it, unless " +
			"that is set itself"},
	{"REGISTRY_TABLE_NAME",
		"Table of items, 3 to 58 letters and digits. With another name the tables of pointers and of hints are " +
			"named after it"},
	{"REGISTRY_PARTITION_STRATEGY",
		"host or scheme: what the items of one partition share. Must not be changed once there are items"},
	{"CRAWL_BASE_INTERVAL_SECONDS",
		"Seconds between two checks of a page that changes"},
	{"CRAWL_MAX_INTERVAL_SECONDS",
		"Most seconds between two checks"},
	{"CRAWL_UNCHANGED_STEPS",
		"Unchanged checks in a row before the interval grows by a step: 1, 3, 7, 14 times the base"},
	{"CRAWL_ERROR_BACKOFF_BASE",
		"Seconds to the next try after a failure; each further failure doubles them"},
	{"CRAWL_GONE_AFTER",
		"Checks in a row that find 404 or 410 before a page is Gone"},
	{"CRAWL_GONE_SHARE",
		"Share of a host's pages, 0 to 1, that may become Gone within a day; 3 always may. The others stay as " +
			"they are until a second check a day later. 1 believes everything at once"},
	{"CRAWL_REMOVE_GONE",
		"Whether Gone pages leave the index"},
	{"CRAWL_SOFT_404",
		"Whether a page counts as missing when it looks like what its host shows, with status 200, for pages that " +
			"do not exist. To know, a host is asked for such a page once a week at most"},
	{"CRAWL_PURGE_GONE_DAYS",
		"Days after which a Gone page is purged with everything that was kept of it, {bounds}; 0 keeps it"},
	{"CRAWL_FULL_CHECK_EVERY",
		"Checks in a row in which a site only says that a page has not changed, {bounds}, after which the page is " +
			"requested without conditions; 0 is any number. See CRAWL_FULL_CHECK_DAYS"},
	{"CRAWL_FULL_CHECK_DAYS",
		"Days without the whole page after which it is requested without conditions, {bounds}; 0 is any time. One " +
			"of the two limits is enough until the page's ETag or Last-Modified was seen to change with the content; " +
			"then both must be exceeded"},
	{"CHANGES_KEEP_DAYS",
		"Days for which changes stay in the feed, {bounds}"},
	{"RULES_FILE",
		"File of rules and channels, YAML, for those who keep them in git: they are shown elsewhere as such and " +
			"changed there only. One with mistakes stops the start"},
	{"WEBHOOK_ALLOW_HOSTS",
		"Receivers of messages that may have private addresses and other ports than 80 and 443 (of mail 25, 465, " +
			"587 and 2525), as in CRAWL_ALLOW_HOSTS"},
	{notify.HomeSetting,
		"Address at which people reach this installation, such as https://tidemark.example, or " +
			"https://example.org/tidemark below a path. Messages lead there: to the difference, to why, and to a page " +
			"that mutes. Without it an administrator may confirm one in the dashboard"},
	{secrets.Setting,
		"Key with which the secrets of channels that were typed in forms are encrypted, in place of the file " +
			secrets.FileName + " in TIDEMARK_DATA: 32 bytes in base64, as openssl rand -base64 32 prints them. With a store " +
			"other than embedded there is no such file, and without this setting such secrets are refused"},
	{secrets.OldSetting,
		"Key that SECRETS_KEY replaces, in the same form. What it decrypts is encrypted again at the start; then " +
			"it can go"},
	{"CRAWL_MIN_DELAY_MS",
		"Shortest pause between the starts of two requests to one host, in milliseconds. Hosts in " +
			"CRAWL_ALLOW_HOSTS have no pause and 4 requests at once unless one of these three is set"},
	{"CRAWL_MAX_DELAY_MS",
		"Longest pause; each is drawn between the two"},
	{"CRAWL_MAX_CONCURRENT",
		"Requests in flight per host, {bounds}, over all instances"},
	{"BACKFILL_SITES_FILE",
		"Site file, YAML: what is backfilled, and limits of single hosts, which take precedence over these three. " +
			"Without it, " + SitesFile + " is read if it is there: beside host.json, or where tidemark start is called, or " +
			"in its data folder, which also switches backfill on. A named file that is missing, or one with mistakes, " +
			"stops the start"},
	{"BACKFILL_ENABLED",
		"Whether sites may be backfilled. While it is false none begins; those that are running pause at their " +
			"next step, and go on once it is true"},
	{"BACKFILL_MAX_URLS_PER_RUN",
		"Most addresses that one backfill discovers, {bounds}; a request may ask for fewer"},
	{"BACKFILL_MAX_URLS_PER_SOURCE",
		"Most addresses of each of its sites, likewise"},
	{"BACKFILL_MAX_CONCURRENCY",
		"Most sites of one backfill that are read at once, {bounds}"},
	{"BACKFILL_JOBS_PER_MINUTE",
		"Most jobs of all backfills together that register pages in a minute, {bounds}. A job registers at most " +
			"50, so 2 are 100 pages a minute: enough to keep two hosts busy at about a page a second"},
	{"BACKFILL_ITEMS_PER_MINUTE",
		"Most items that all backfills together register in a minute, {bounds}. 600 keep ten sites busy at a page " +
			"a second"},
	{"BACKFILL_MAX_BACKLOG",
		"Items of a host that wait for their first fetch, {bounds}, at which a backfill waits for the crawl"},
	{"SENTINEL_MAX_PER_DAY",
		"Most new pages of one site of the site file that its polls register in a day (UTC), {bounds}, and as " +
			"many again by its pushes; the rest follows on the next days. The same holds for checks that lastmod and " +
			"pushes bring forward. 0 switches polls and pushes off, whatever BACKFILL_ENABLED says"},
	{"LIMIT_ITEMS_PER_HOST",
		"Items of one host that may be registered, whatever their status, at most {most}; 0, here and in all " +
			"limits, is any number. Further items are refused one by one; those that are there go on. The site file " +
			"may say otherwise for a domain (maxItems)"},
	{"LIMIT_REQUESTS_PER_HOST_PER_DAY",
		"Requests to one host in a day of UTC, at most {most}: pages, robots.txt, redirects and what is fetched " +
			"to find pages. When they are spent the host is left alone until the next day. In the site file " +
			"requestsPerDay"},
	{"LIMIT_BYTES_PER_HOST_PER_DAY",
		"Bytes of bodies that one host sends in a day, at most {most}, likewise. In the site file bytesPerDay"},
	{"LIMIT_REQUESTS_PER_DAY",
		"Requests to all hosts together in a day. Up to a fifth of it may stay unused, because hosts take " +
			"portions of it"},
	{"LIMIT_BYTES_PER_DAY",
		"Bytes of bodies that all hosts together send in a day, likewise"},
	{"SNAPSHOT_KEEP_DAYS",
		"Days that the capture of a page's former state is kept, from when it was made; 0 is for ever, at most " +
			"{most}. The newest and the present one always stay"},
	{"SNAPSHOT_KEEP_COUNT",
		"Captures that are kept of one page; 0 is all, at most {most}. One more may stay until the next check"},
	{"SNAPSHOT_KEEP_BYTES",
		"Bytes of the captures that are kept of one page, before compression, at most {most}; 0 is any number. " +
			"The oldest go first; the newest and the present one always stay. One more may stay until the next check"},
	{"SNAPSHOT_KEEP_SAME_TEXT",
		"When the bytes of a page change and its text does not, the first body with a text is kept, and this " +
			"number of later ones, at most {most}. The oldest of these go first, and they do not count for the other " +
			"limits. With 0 only the first body is kept. A body in which a product has another price, currency or " +
			"availability (in JSON-LD, microdata, RDFa or OpenGraph) counts as another text, so its first body is " +
			"kept also with 0"},
	{"CRAWL_ALLOW_HOSTS",
		"Hosts that may have private addresses and ports other than 80 and 443, separated by commas: name, " +
			"name:port, *.suffix, address or CIDR"},
	{"CRAWL_TLS_RSA_HOSTS",
		"Hosts whose servers know no other TLS key exchange than RSA, in the form of CRAWL_ALLOW_HOSTS. A " +
			"recorded connection to such a host can be decrypted later with the key of its certificate"},
	{"EGRESS_PROXY",
		"Proxy for page fetches and messages, mail included: http://host:port or https://host:port. They never " +
			"use HTTPS_PROXY and the like; the clients of language models and of Azure do. The proxy is asked by " +
			"CONNECT for the address that was checked, also on port 80"},
	{"EGRESS_PROXY_CREDENTIAL",
		"Name of the credential for that proxy: PROXY for CREDENTIAL_PROXY=secret user:password"},
	{"EGRESS_PROXY_RESOLVES",
		"Whether that proxy gets names instead of addresses, where only it can resolve them. Then nothing here " +
			"checks names for private or special addresses: the proxy has to"},
	{"NO_PROXY",
		"Hosts that are reached without EGRESS_PROXY, separated by commas: a name and what is below it, address, " +
			"CIDR, or * for all. This machine is always reached directly"},
	{"HTTPS_PROXY",
		"Proxy for the clients of language models and of Azure, as other programs use it, and HTTP_PROXY " +
			"likewise. Page fetches and messages do not use it: see EGRESS_PROXY"},
	{"CRAWL_USER_AGENT",
		"User agent of requests; robots.txt rules are matched against the part before the slash"},
	{"CRAWL_CONTACT",
		"Address for a site's operator to complain to, added to the user agent"},
	{"CRAWL_MAX_BYTES",
		"Largest body that is read, in bytes after decoding; {bounds}"},
	{"CRAWL_TIMEOUT_SECONDS",
		"Seconds for one fetch with its redirects, {bounds}; at most 20 of them until an answer begins"},
	{"CRAWL_MAX_REDIRECTS",
		"Redirects that are followed, {bounds}"},
	{"FILE_ROOT",
		"Folder below which files of this machine may be added; it must exist. Without it none may, but for the " +
			"sample pages that tidemark start puts into its data folder"},
	{"EMAIL_IMPORT_ROOT",
		"Where mbox files that may be imported are: an existing folder of this machine, or the address of a blob " +
			"container or of a folder in one. Without it none may"},
	{"EMAIL_IMPORT_CREDENTIAL",
		"Name of the credential for those blobs: DOCS for CREDENTIAL_DOCS. Empty for blobs that are public"},
	{"CREDENTIAL_<NAME>",
		"Secret for private sources that were added with that name: KIND WHERE SECRET on one line. bearer " +
			"https://wiki.example TOKEN; basic … user:password; header … X-Key: VALUE; sas " +
			"https://acct.blob.core.windows.net/container sv=…; key, connection, identity likewise. The secret is " +
			"sent to WHERE only. A value that cannot be read stops the start"},
	{"EMBEDDINGS_MODEL",
		"Model that gives chunks and queries vectors, so that pages are also found by meaning: " +
			"text-embedding-3-small, or as the service at OPENAI_BASE_URL calls it. The index is filled again " +
			"whenever it is set or changed. While the service is down, search goes by words alone and new content " +
			"waits for its vectors"},
	{"T1_DEFAULT_MODEL",
		"Model or route at OPENAI_BASE_URL that describes entries one at a time (enrich/tier1): gist, topics, " +
			"keywords. Without it they are not described"},
	{"T1_BATCH_MODEL",
		"Model or route there that describes entries in batches (enrich/tier1/batch), within a day and at half " +
			"the price with most services"},
	{"OPENAI_BASE_URL",
		"Service with language models that speaks the API of OpenAI, such as a LiteLLM proxy: " +
			"https://api.openai.com/v1 or http://localhost:4000"},
	{"LITELLM_MASTER_KEY",
		"Key for that service, sent as a bearer token"},
	{"SEARCH_ENDPOINT",
		"Azure AI Search instead of the embedded index: https://name.search.windows.net. Its index is made when " +
			"it is missing, and then filled from the snapshots. In Azure there is no search without it: pages are " +
			"crawled and kept, and stay at Crawled. Elsewhere several instances on one storage need it, too: without " +
			"it each has an index of its own, a search finds only what its instance has indexed, and health says so"},
	{"SEARCH_API_KEY",
		"Admin key of that service. Without it the app's identity is used, which needs the roles Search Service " +
			"Contributor and Search Index Data Contributor"},
	{"SEARCH_INDEX",
		"Name of the index there: 2 to 128 lower-case letters, digits, and single - and _ between them"},
	{"SEARCH_VECTOR_DIMENSIONS",
		"Length of the vectors of EMBEDDINGS_MODEL, 2 to 4096, such as 1536; needed there with a model. An index " +
			"of another length is refused: choose another name"},
	{"SEARCH_SEMANTIC",
		"Whether the semantic ranker there orders the first 50 pages of a search, for one more request each. It " +
			"is billed, and has to be enabled there; when it does not answer, pages are ranked by their words and a " +
			"note says so"},
	{"TRACKING_PARAM_PREFIXES",
		"Query parameters that are dropped: by prefix when they end in _, else by name. After a change run " +
			"`tidemark migrate`; the command line reads it, too"},
	{"FORCE_REINDEX_ON_CANONICAL_CHANGE",
		"Whether a page is indexed again when only its rel=canonical has changed; false only records the change"},
	{"LISTEN",
		"tidemark start: address and port of the app, such as 0.0.0.0:7071, [::]:7071 or 10.0.0.7; without a port " +
			"PORT is taken. Unset, the app listens on 127.0.0.1. On any address that other machines reach, keys are " +
			"demanded"},
	{"API_KEYS_REQUIRED",
		"Whether every request but the health's needs a key of Tidemark's. Unset, `tidemark start` takes true. " +
			"Always so where LISTEN is more than this machine, and with TRUSTED_PROXIES; not for Azure, where the host " +
			"checks keys"},
	{"API_KEYS",
		"Keys beside those of `tidemark keys add`, between semicolons or on lines: NAME SCOPE KEY, or NAME SCOPE " +
			"sha256:DIGEST. SCOPE is feed, read, write or admin; a KEY has 24 to 256 characters"},
	{"API_KEYS_FILE",
		"File with such keys, a line each, at most 1 MiB. It is read again within seconds after it was changed; " +
			"while it cannot be read, none of its keys is taken"},
	{"TLS_CERT_FILE",
		"tidemark start: certificate with its chain, PEM; the app then speaks HTTPS (1.1 and 2). Read again when " +
			"it changes"},
	{"TLS_KEY_FILE",
		"The certificate's private key, PEM"},
	{"TRUSTED_PROXIES",
		"tidemark start: addresses or CIDRs of reverse proxies, separated by commas, which are believed what they " +
			"say in X-Forwarded-For, -Proto, -Host and -Prefix, or in Forwarded; from all others these headers are dropped"},
	{"BASE_PATH",
		"Path below which a proxy has Tidemark, such as /tidemark. It begins every address in answers. The proxy may " +
			"take it off or, before tidemark start, pass it on. The path of PUBLIC_URL must end in it"},
	{"AUTH_HEADER",
		"tidemark start: header in which a proxy in TRUSTED_PROXIES gives the name of the user it has signed in, " +
			"such as Remote-User. Such a user sees the dashboard without a key. Not for Azure. The proxy must drop " +
			"the header from what it receives"},
	{"AUTH_HEADER_SCOPE",
		"What the users of AUTH_HEADER may do: read, write or admin"},
	{"ALLOWED_HOSTS",
		"Names, with their ports, by which callers reach a Functions host that passes on their Host header, " +
			"separated by commas: for host.json with enableForwardingHttpRequest and without " +
			"enableProxyingHttpRequest. The name in WEBSITE_HOSTNAME needs no mention; requests with other names are " +
			"refused"},
	{"WEBSITE_SITE_NAME",
		"Set by Azure; the app knows by it that it runs there, unless AZURE_FUNCTIONS_ENVIRONMENT is Development. " +
			"Do not set it by hand"},
	{"PORT",
		"tidemark start: port of the app, on this machine only unless LISTEN says otherwise"},
	{"AZURITE_PORT_BASE",
		"First of Azurite's three ports: blobs, queues, tables"},
	{"STORAGE",
		"tidemark start, export and import-state: embedded keeps all state in files below TIDEMARK_DATA; azurite " +
			"starts an Azurite; account, the default where AzureWebJobsStorage is set, uses what that names"},
	{"LOG_FORMAT",
		"tidemark start: text or json, the format of each line of the log and of what is told on standard error"},
	{"TIDEMARK_SERVER",
		"Server that the commands speak to"},
	{"TIDEMARK_KEY",
		"Key that the commands send: a function key in Azure, else one of `tidemark keys add`"},
	{"NO_COLOR",
		"Any value turns off colours and bold text"},
	{"PAGER",
		"Program through which long lists go on a terminal; cat for none"},
	{endpointSetting,
		"Address of a Chrome that speaks DevTools, in which pages that need it are rendered: http, https, ws or " +
			"wss. It should have a network policy: see rendering.md"},
	{browserSetting,
		"Chromium on this machine that renders such pages instead: its path, or auto for the one that is found, " +
			"as with tidemark start --browser; or asked for that one, but only for pages whose setting render asks for it, as " +
			"tidemark start does without --browser. It is started when it is needed"},
	{"RENDER_TIMEOUT_SECONDS",
		"Seconds for a page in the browser, {bounds}. Then it is read as it is"},
	{"RENDER_MAX_REQUESTS",
		"Requests of a page in the browser, {bounds}; further ones are refused"},
	{"RENDER_MAX_BYTES",
		"Bytes of all answers to a page in the browser, decoded, {bounds}; further ones are refused"},
	{"RENDER_MAX_MEMORY",
		"Bytes of memory of the browser for a page, at least {least}. It is measured for a Chromium that is " +
			"started here, on Linux; at the bound the page's scripts are stopped"},
}
