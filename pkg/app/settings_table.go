package app

import (
	"time"

	"github.com/tidemark/tidemark/pkg/content/site"
	"github.com/tidemark/tidemark/pkg/identity/source"
	"github.com/tidemark/tidemark/pkg/notify"
	"github.com/tidemark/tidemark/pkg/ops/secrets"
	"github.com/tidemark/tidemark/pkg/registry"
)

// Settings lists every setting that the app, its storage and the command line read, in the order of docs/settings.md.
// This table is the only place that says a setting's name, default, allowed values and meaning.
var Settings = new(Config).settings()

// common are the settings that people need, in the order in which they need them.
var common = []string{"TIDEMARK_DATA", "PORT", "LISTEN", "TLS_CERT_FILE", "TLS_KEY_FILE", "TRUSTED_PROXIES",
	notify.HomeSetting, "CRAWL_CONTACT", "CRAWL_ALLOW_HOSTS", "WEBHOOK_ALLOW_HOSTS", "SNAPSHOT_KEEP_DAYS",
	"MEMORY_LIMIT_MB"}

// notInFile are the settings that a settings file cannot have: those that say where the file is, those that other
// programs and libraries read from the environment themselves, and those of a person who calls a server. A command
// reads the file of the folder in which it is called, and such a file must not send a person's key elsewhere.
var notInFile = []string{"TIDEMARK_DATA", configSetting, "HTTPS_PROXY", "NO_COLOR", "PAGER", "WEBSITE_SITE_NAME",
	"TIDEMARK_SERVER", "TIDEMARK_KEY"}

// fetchFields has, by the fields of fetch.Config that package fetch checks, the settings that set them.
var fetchFields = map[string]string{
	"UserAgent": "CRAWL_USER_AGENT", "Contact": "CRAWL_CONTACT", "AcceptLanguage": "CRAWL_ACCEPT_LANGUAGE",
	"AllowHosts": "CRAWL_ALLOW_HOSTS", "TLSRSAHosts": "CRAWL_TLS_RSA_HOSTS", "Proxy": "EGRESS_PROXY",
	"ProxyLogin": "EGRESS_PROXY_CREDENTIAL", "ProxyExcept": "NO_PROXY",
}

// settingGroup is a heading of docs/settings.md, with the settings below it.
type settingGroup struct {
	title    string
	settings []Setting
}

// groups returns all settings, each with the field in which its value is stored.
func (c *Config) groups() []settingGroup {
	return []settingGroup{
		{"Where the state is", c.stateSettings()}, {"How often pages are checked, and who is told", c.oftenSettings()},
		{"At what pace", c.politelySettings()}, {"Backfills and polls of sites", c.backfillSettings()},
		{"Limits", c.limitsSettings()}, {"What is kept", c.keptSettings()}, {"What is fetched", c.fetchedSettings()},
		{"Pages that need a browser", c.renderSettings()}, {"Models and the index", c.modelSettings()},
		{"Who has access", c.accessSettings()}, {"The command line", c.commandSettings()},
	}
}

func (c *Config) settings() (all []Setting) {
	for _, g := range c.groups() {
		all = append(all, g.settings...)
	}
	return all
}

const (
	defaultData = ".tidemark"
	day         = 24 * time.Hour
	maxDays     = 3650
	maxSeconds  = maxDays * 24 * 60 * 60
	maxDelay    = 60 * 60 * 1000 // in milliseconds
)

// These texts describe allowed values.
const (
	tableForm    = `^[A-Za-z][A-Za-z0-9]{2,57}$`
	tableAllowed = "3 to 58 letters and digits, a letter first"

	// trackersAllowed describes what [source.NewRules] accepts.
	trackersAllowed = "at most 256 names such as gclid or beginnings such as utm_, separated by commas, " +
		"each of up to 64 printable ASCII characters without & = # % + *"

	hostsAllowed     = "a list of hosts: host, host:port, *.suffix, address or CIDR"
	homeAllowed      = "an address such as https://tidemark.example or http://192.168.1.5:7071"
	pathAllowed      = "a path such as /tidemark"
	rootAllowed      = "the absolute path of a folder that exists"
	fileAllowed      = "the path of a file that can be read"
	baseAllowed      = "an http or https address without user, query and fragment, such as https://api.openai.com/v1"
	endpointAllowed  = "the https address of a search service, such as https://name.search.windows.net"
	indexAllowed     = "2 to 128 lower-case letters, digits, and single - and _ between them"
	secretKeyAllowed = "32 random bytes in base64, as `openssl rand -base64 32` prints them"
	mailRootAllowed  = "the absolute path of a folder that exists, or the address of a blob container or of a folder " +
		"in one, without a query"
	mailKeyAllowed = "the name of a credential that is set, such as DOCS for CREDENTIAL_DOCS, beside an address in " +
		"EMAIL_IMPORT_ROOT"
	proxyAllowed      = "the address of a proxy without user and password: http://host:port or https://host:port"
	proxyLoginAllowed = "the name of a credential that is set, such as PROXY for CREDENTIAL_PROXY=secret user:password"
	agentAllowed      = "a text that begins with a product token, such as Tidemark/1.0"
	contactAllowed    = "an address without parentheses, such as mailto:you@example.com"
	languageAllowed   = "a list of language ranges such as de, en;q=0.8"
	headerAllowed     = "the name of a header that has no other meaning, such as Remote-User"
)

// stateSettings returns the settings that say where the state is stored.
func (c *Config) stateSettings() []Setting {
	return []Setting{
		{"AzureWebJobsStorage", "", hidden, elsewhere("a connection string, or UseDevelopmentStorage=true"),
			"Storage account: a connection string, or UseDevelopmentStorage=true for an Azurite that is running " +
				"already. Where it is set, tidemark start uses it unless STORAGE says otherwise"},
		{"AzureWebJobsStorage__accountName", "", hidden, elsewhere("the name of a storage account"),
			"Storage account by name, opened with an identity instead of a key"},
		{"AzureWebJobsStorage__blobServiceUri", "", hidden, elsewhere("the address of a blob service"),
			"Address of the blob service, when it does not follow from the account's name"},
		{"AzureWebJobsStorage__queueServiceUri", "", hidden, elsewhere("the address of a queue service"),
			"Address of the queue service, likewise"},
		{"AzureWebJobsStorage__tableServiceUri", "", hidden, elsewhere("the address of a table service"),
			"Address of the table service, likewise"},
		{"AzureWebJobsStorage__credential", "", hidden, elsewhere("managedidentity, or nothing"),
			"managedidentity for a managed identity; unset tries the usual sources of an Azure identity in turn"},
		{"AzureWebJobsStorage__clientId", "", hidden, elsewhere("the client id of an identity"),
			"Client id of a user-assigned managed identity"},
		{"TIDEMARK_DATA", defaultData, shown, asIs(&c.Data, "the path of a folder"),
			"Folder of the search index; with tidemark start also of the embedded store or Azurite's data, and of the " +
				"log"},
		{configSetting, "", command, elsewhere(fileAllowed),
			"File with settings, YAML, instead of " + ConfigFile + " in TIDEMARK_DATA: a line NAME: value for each. " +
				"The environment wins. These two cannot be in it, nor TIDEMARK_SERVER, TIDEMARK_KEY, HTTPS_PROXY, NO_COLOR, " +
				"PAGER and WEBSITE_SITE_NAME"},
		{"MEMORY_LIMIT_MB", "", shown, whole(&c.memoryMB, 256, 1<<20),
			"Mebibytes that the program and the document readers it starts may use together, at least {least}. Unset " +
				"takes what the control group (container) or the machine has, at most 1024. GOMEMLIMIT follows it, unless " +
				"that is set itself"},
		{"REGISTRY_TABLE_NAME", registry.DefaultTable, shown, form(&c.Table, tableForm, tableAllowed),
			"Table of items, 3 to 58 letters and digits. With another name the tables of pointers and of hints are " +
				"named after it"},
		{"REGISTRY_PARTITION_STRATEGY", "host", shown, as(&c.Strategy, source.ParseStrategy, "host or scheme"),
			"host or scheme: what the items of one partition share. Must not be changed once there are items"},
	}
}

// oftenSettings returns the settings that say how often pages are checked, and who is notified of changes.
func (c *Config) oftenSettings() []Setting {
	return []Setting{
		{"CRAWL_BASE_INTERVAL_SECONDS", "86400", shown, span(&c.Schedule.Base, 1, maxSeconds, time.Second),
			"Seconds between two checks of a page that changes"},
		{"CRAWL_MAX_INTERVAL_SECONDS", "1209600", shown, span(&c.Schedule.Max, 1, maxSeconds, time.Second),
			"Most seconds between two checks"},
		{"CRAWL_UNCHANGED_STEPS", "3", shown, whole(&c.Schedule.UnchangedSteps, 1, 1000),
			"Unchanged checks in a row before the interval grows by a step: 1, 3, 7, 14 times the base"},
		{"CRAWL_ERROR_BACKOFF_BASE", "600", shown, span(&c.Schedule.ErrorBase, 1, maxSeconds, time.Second),
			"Seconds to the next try after a failure; each further failure doubles them"},
		{"CRAWL_GONE_AFTER", "3", shown, whole(&c.Schedule.GoneAfter, 1, 1000),
			"Checks in a row that find 404 or 410 before a page is Gone"},
		{"CRAWL_GONE_SHARE", "0.2", shown, share(&c.Schedule.GoneShare),
			"Share of a host's pages, 0 to 1, that may become Gone within a day; 3 always may. The others stay as " +
				"they are until a second check a day later. 1 believes everything at once"},
		{"CRAWL_REMOVE_GONE", "true", shown, not(&c.KeepGone),
			"Whether Gone pages leave the index"},
		{"CRAWL_SOFT_404", "true", shown, truth(&c.Soft404),
			"Whether a page counts as missing when it looks like what its host shows, with status 200, for pages that " +
				"do not exist. To know, a host is asked for such a page once a week at most"},
		{"CRAWL_PURGE_GONE_DAYS", "0", shown, span(&c.Schedule.PurgeGone, 0, maxDays, day),
			"Days after which a Gone page is purged with everything that was kept of it, {bounds}; 0 keeps it"},
		{"CRAWL_FULL_CHECK_EVERY", "20", shown, whole(&c.Schedule.FullEvery, 0, 1000),
			"Checks in a row in which a site only says that a page has not changed, {bounds}, after which the page is " +
				"requested without conditions; 0 is any number. See CRAWL_FULL_CHECK_DAYS"},
		{"CRAWL_FULL_CHECK_DAYS", "30", shown, span(&c.Schedule.FullAfter, 0, maxDays, day),
			"Days without the whole page after which it is requested without conditions, {bounds}; 0 is any time. One " +
				"of the two limits is enough until the page's ETag or Last-Modified was seen to change with the content; " +
				"then both must be exceeded"},
		{"CHANGES_KEEP_DAYS", "90", shown, span(&c.KeepChanges, 1, maxDays, day),
			"Days for which changes stay in the feed, {bounds}"},
		{"RULES_FILE", "", shown, by(c.readRules, fileAllowed),
			"File of rules and channels, YAML, for those who keep them in git: they are shown elsewhere as such and " +
				"changed there only. One with mistakes stops the start"},
		{"WEBHOOK_ALLOW_HOSTS", "", shown, by(c.readWebhookHosts, hostsAllowed),
			"Receivers of messages that may have private addresses and other ports than 80 and 443 (of mail 25, 465, " +
				"587 and 2525), as in CRAWL_ALLOW_HOSTS"},
		{notify.HomeSetting, "", shown, publicURL(&c.PublicURL),
			"Address at which people reach this installation, such as https://tidemark.example, or " +
				"https://example.org/tidemark below a path. Messages lead there: to the difference, to why, and to a page " +
				"that mutes. Without it an administrator may confirm one in the dashboard"},
		{secrets.Setting, "", hidden, secretKey(&c.SecretsKey),
			"Key with which the secrets of channels that were typed in forms are encrypted, in place of the file " +
				secrets.FileName + " in TIDEMARK_DATA: 32 bytes in base64, as openssl rand -base64 32 prints them. With a " +
				"store other than embedded there is no such file, and without this setting such secrets are refused"},
		{secrets.OldSetting, "", hidden, secretKey(&c.OldKey),
			"Key that SECRETS_KEY replaces, in the same form. What it decrypts is encrypted again at the start; then " +
				"it can go"},
	}
}

// politelySettings returns the settings that say at what pace a host without limits of its own is crawled.
func (c *Config) politelySettings() []Setting {
	return []Setting{
		{"CRAWL_MIN_DELAY_MS", "1000", shown, span(&c.Politeness.MinDelay, 0, maxDelay, time.Millisecond),
			"Shortest pause between the starts of two requests to one host, in milliseconds. Hosts in " +
				"CRAWL_ALLOW_HOSTS have no pause and 4 requests at once unless one of these three is set"},
		{"CRAWL_MAX_DELAY_MS", "2000", shown, span(&c.Politeness.MaxDelay, 0, maxDelay, time.Millisecond),
			"Longest pause; each is drawn between the two"},
		{"CRAWL_MAX_CONCURRENT", "1", shown, whole(&c.Politeness.MaxConcurrent, 1, 64),
			"Requests in flight per host, {bounds}, over all instances"},
	}
}

// backfillSettings returns the settings of backfills and of polls of sites.
func (c *Config) backfillSettings() []Setting {
	return []Setting{
		{"BACKFILL_SITES_FILE", "", shown, by(c.readSites, fileAllowed),
			"Site file, YAML: what is backfilled, and limits of single hosts, which take precedence over these three. " +
				"Without it, " + SitesFile + " is read if it is there: beside host.json, or where tidemark start is called, or " +
				"in its data folder, which also switches backfill on. A named file that is missing, or one with mistakes, " +
				"stops the start"},
		{"BACKFILL_ENABLED", "false", shown, truth(&c.Backfill.Enabled),
			"Whether sites may be backfilled. While it is false none begins; those that are running pause at their " +
				"next step, and go on once it is true"},
		{"BACKFILL_MAX_URLS_PER_RUN", "1000", shown, whole(&c.Backfill.MaxURLs, 1, 100_000),
			"Most addresses that one backfill discovers, {bounds}; a request may ask for fewer"},
		{"BACKFILL_MAX_URLS_PER_SOURCE", "500", shown, whole(&c.Backfill.MaxPerSource, 1, 100_000),
			"Most addresses of each of its sites, likewise"},
		{"BACKFILL_MAX_CONCURRENCY", "2", shown, whole(&c.Backfill.MaxConcurrency, 1, 16),
			"Most sites of one backfill that are read at once, {bounds}"},
		{"BACKFILL_JOBS_PER_MINUTE", "2", shown, whole(&c.Backfill.JobsPerMinute, 1, 100_000),
			"Most jobs of all backfills together that register pages in a minute, {bounds}. A job registers at most " +
				"50, so 2 are 100 pages a minute: enough to keep two hosts busy at about a page a second"},
		{"BACKFILL_ITEMS_PER_MINUTE", "600", shown, whole(&c.Backfill.PerMinute, 1, 100_000),
			"Most items that all backfills together register in a minute, {bounds}. 600 keep ten sites busy at a page " +
				"a second"},
		{"BACKFILL_MAX_BACKLOG", "2000", shown, whole(&c.Backfill.MaxBacklog, 50, 1_000_000),
			"Items of a host that wait for their first fetch, {bounds}, at which a backfill waits for the crawl"},
		{"SENTINEL_MAX_PER_DAY", "500", shown, whole(&c.SentinelPerDay, 0, 5000),
			"Most new pages of one site of the site file that its polls register in a day (UTC), {bounds}, and as " +
				"many again by its pushes; the rest follows on the next days. The same holds for checks that lastmod and " +
				"pushes bring forward. 0 switches polls and pushes off, whatever BACKFILL_ENABLED says"},
	}
}

// limitsSettings returns the settings that are quotas; a quota of 0 is no limit. See docs/limits.md.
func (c *Config) limitsSettings() []Setting {
	return []Setting{
		{"LIMIT_ITEMS_PER_HOST", "0", shown, whole(&c.Politeness.MaxItems, 0, site.MaxRequests),
			"Items of one host that may be registered, whatever their status, at most {most}; 0, here and in all " +
				"limits, is any number. Further items are refused one by one; those that are there go on. The site file " +
				"may say otherwise for a domain (maxItems)"},
		{"LIMIT_REQUESTS_PER_HOST_PER_DAY", "0", shown, whole(&c.Politeness.Daily.Requests, 0, site.MaxRequests),
			"Requests to one host in a day of UTC, at most {most}: pages, robots.txt, redirects and what is fetched " +
				"to find pages. When they are spent the host is left alone until the next day. In the site file " +
				"requestsPerDay"},
		{"LIMIT_BYTES_PER_HOST_PER_DAY", "0", shown, whole(&c.Politeness.Daily.Bytes, 0, site.MaxQuota),
			"Bytes of bodies that one host sends in a day, at most {most}, likewise. In the site file bytesPerDay"},
		{"LIMIT_REQUESTS_PER_DAY", "0", shown, whole(&c.Politeness.Total.Requests, 0, site.MaxRequests),
			"Requests to all hosts together in a day. Up to a fifth of it may stay unused, because hosts take " +
				"portions of it"},
		{"LIMIT_BYTES_PER_DAY", "0", shown, whole(&c.Politeness.Total.Bytes, 0, site.MaxQuota),
			"Bytes of bodies that all hosts together send in a day, likewise"},
	}
}

// keptSettings returns the settings that say which data of pages is kept.
func (c *Config) keptSettings() []Setting {
	return []Setting{
		{"SNAPSHOT_KEEP_DAYS", "0", shown, span(&c.Retention.Age, 0, 36500, day),
			"Days that the capture of a page's former state is kept, from when it was made; 0 is for ever, at most " +
				"{most}. The newest and the present one always stay"},
		{"SNAPSHOT_KEEP_COUNT", "0", shown, whole(&c.Retention.Count, 0, 1_000_000),
			"Captures that are kept of one page; 0 is all, at most {most}. One more may stay until the next check"},
		{"SNAPSHOT_KEEP_BYTES", "0", shown, whole(&c.Retention.Bytes, 0, site.MaxQuota),
			"Bytes of the captures that are kept of one page, before compression, at most {most}; 0 is any number. " +
				"The oldest go first; the newest and the present one always stay. One more may stay until the next check"},
		{"SNAPSHOT_KEEP_SAME_TEXT", "3", shown, whole(&c.Retention.SameText, 0, 100),
			"When the bytes of a page change and its text does not, the first body with a text is kept, and this " +
				"number of later ones, at most {most}. The oldest of these go first, and they do not count for the other " +
				"limits. With 0 only the first body is kept. A body in which a product has another price, currency or " +
				"availability (in JSON-LD, microdata, RDFa or OpenGraph) counts as another text, so its first body is " +
				"kept also with 0"},
	}
}

// fetchedSettings returns the settings that limit which pages and files are fetched, and how much of each.
func (c *Config) fetchedSettings() []Setting {
	return []Setting{
		{"CRAWL_ALLOW_HOSTS", "", shown, list(&c.Fetch.AllowHosts, hostsAllowed),
			"Hosts that may have private addresses and ports other than 80 and 443, separated by commas: name, " +
				"name:port, *.suffix, address or CIDR"},
		{"CRAWL_TLS_RSA_HOSTS", "", shown, list(&c.Fetch.TLSRSAHosts, hostsAllowed),
			"Hosts whose servers know no other TLS key exchange than RSA, in the form of CRAWL_ALLOW_HOSTS. A " +
				"recorded connection to such a host can be decrypted later with the key of its certificate"},
		{"EGRESS_PROXY", "", shown, asIs(&c.Fetch.Proxy.URL, proxyAllowed),
			"Proxy for page fetches and messages, mail included: http://host:port or https://host:port. They never " +
				"use HTTPS_PROXY and the like; the clients of language models and of Azure do. The proxy is asked by " +
				"CONNECT for the address that was checked, also on port 80"},
		{"EGRESS_PROXY_CREDENTIAL", "", shown, by(c.readProxyLogin, proxyLoginAllowed),
			"Name of the credential for that proxy: PROXY for CREDENTIAL_PROXY=secret user:password"},
		{"EGRESS_PROXY_RESOLVES", "false", shown, truth(&c.Fetch.Proxy.Resolves),
			"Whether that proxy gets names instead of addresses, where only it can resolve them. Then nothing here " +
				"checks names for private or special addresses: the proxy has to"},
		{"NO_PROXY", "", shown, by(c.readNoProxy, "a list of names, addresses and CIDRs, or * for all"),
			"Hosts that are reached without EGRESS_PROXY, separated by commas: a name and what is below it, address, " +
				"CIDR, or * for all. This machine is always reached directly"},
		{"HTTPS_PROXY", "", hidden, by(c.readOthersProxy, "the address of a proxy"),
			"Proxy for the clients of language models and of Azure, as other programs use it, and HTTP_PROXY " +
				"likewise. Page fetches and messages do not use it: see EGRESS_PROXY"},
		{"CRAWL_USER_AGENT", "Tidemark/" + Version, shown, asIs(&c.Fetch.UserAgent, agentAllowed),
			"User agent of requests; robots.txt rules are matched against the part before the slash"},
		{"CRAWL_CONTACT", "", shown, asIs(&c.Fetch.Contact, contactAllowed),
			"Address for a site's operator to complain to, added to the user agent"},
		{"CRAWL_ACCEPT_LANGUAGE", "", shown, asIs(&c.Fetch.AcceptLanguage, languageAllowed),
			"Languages in which pages are preferred, sent as Accept-Language: language ranges with weights, such as " +
				"de, en;q=0.8. Without it the header is not sent"},
		{"CRAWL_MAX_BYTES", "20971520", shown, whole(&c.Fetch.MaxBytes, 1024, 1<<30),
			"Largest body that is read, in bytes after decoding; {bounds}"},
		{"CRAWL_TIMEOUT_SECONDS", "30", shown, span(&c.Fetch.Timeout, 1, 30, time.Second),
			"Seconds for one fetch with its redirects, {bounds}; at most 20 of them until an answer begins"},
		{"CRAWL_MAX_REDIRECTS", "5", shown, whole(&c.Fetch.MaxRedirects, 0, 20),
			"Redirects that are followed, {bounds}"},
		{"FILE_ROOT", "", shown, asIs(&c.FileRoot, rootAllowed),
			"Folder below which files of this machine may be added; it must exist. Without it none may, but for the " +
				"sample pages that tidemark start puts into its data folder"},
		{"EMAIL_IMPORT_ROOT", "", shown, by(c.readMailRoot, mailRootAllowed),
			"Where mbox files that may be imported are: an existing folder of this machine, or the address of a blob " +
				"container or of a folder in one. Without it none may"},
		{"EMAIL_IMPORT_CREDENTIAL", "", shown, elsewhere(mailKeyAllowed),
			"Name of the credential for those blobs: DOCS for CREDENTIAL_DOCS. Empty for blobs that are public"},
		{"CREDENTIAL_<NAME>", "", hidden, elsewhere("a secret: KIND WHERE SECRET"),
			"Secret for private sources that were added with that name: KIND WHERE SECRET on one line. bearer " +
				"https://wiki.example TOKEN; basic … user:password; header … X-Key: VALUE; sas " +
				"https://acct.blob.core.windows.net/container sv=…; key, connection, identity likewise. The secret is " +
				"sent to WHERE only. A value that cannot be read stops the start"},
	}
}

// modelSettings returns the settings of models and of the index.
func (c *Config) modelSettings() []Setting {
	return []Setting{
		{"EMBEDDINGS_MODEL", "", shown, model(&c.Models.Embeddings),
			"Model that gives chunks and queries vectors, so that pages are also found by meaning: " +
				"text-embedding-3-small, or as the service at OPENAI_BASE_URL calls it. The index is filled again " +
				"whenever it is set or changed. While the service is down, search goes by words alone and new content " +
				"waits for its vectors"},
		{"T1_DEFAULT_MODEL", "", shown, model(&c.Models.Tier1),
			"Model or route at OPENAI_BASE_URL that describes entries one at a time (enrich/tier1): gist, topics, " +
				"keywords. Without it they are not described"},
		{"T1_BATCH_MODEL", "", shown, model(&c.Models.Tier1Batch),
			"Model or route there that describes entries in batches (enrich/tier1/batch), within a day and at half " +
				"the price with most services"},
		{"OPENAI_BASE_URL", "", hidden, asIs(&c.Models.BaseURL, baseAllowed),
			"Service with language models that speaks the API of OpenAI, such as a LiteLLM proxy: " +
				"https://api.openai.com/v1 or http://localhost:4000"},
		{"LITELLM_MASTER_KEY", "", hidden, key(&c.Models.Key),
			"Key for that service, sent as a bearer token"},
		{"SEARCH_ENDPOINT", "", hidden, asIs(&c.Search.Endpoint, endpointAllowed),
			"Azure AI Search instead of the embedded index: https://name.search.windows.net. Its index is made when " +
				"it is missing, and then filled from the snapshots. In Azure there is no search without it: pages are " +
				"crawled and kept, and stay at Crawled. Elsewhere several instances on one storage need it, too: without " +
				"it each has an index of its own, a search finds only what its instance has indexed, and health says so"},
		{"SEARCH_API_KEY", "", hidden, key(&c.Search.Key),
			"Admin key of that service. Without it the app's identity is used, which needs the roles Search Service " +
				"Contributor and Search Index Data Contributor"},
		{"SEARCH_INDEX", "tidemark", shown, asIs(&c.Search.Index, indexAllowed),
			"Name of the index there: 2 to 128 lower-case letters, digits, and single - and _ between them"},
		{"SEARCH_VECTOR_DIMENSIONS", "0", shown, whole(&c.Search.Dimensions, 0, 4096),
			"Length of the vectors of EMBEDDINGS_MODEL, 2 to 4096, such as 1536; needed there with a model. An index " +
				"of another length is refused: choose another name"},
		{"SEARCH_SEMANTIC", "false", shown, truth(&c.Search.Semantic),
			"Whether the semantic ranker there orders the first 50 pages of a search, for one more request each. It " +
				"is billed, and has to be enabled there; when it does not answer, pages are ranked by their words and a " +
				"note says so"},
		{"TRACKING_PARAM_PREFIXES", "utm_, gclid, fbclid, msclkid", shown, as(&c.Rules, ParseTracking, trackersAllowed),
			"Query parameters that are dropped: by prefix when they end in _, else by name. After a change run " +
				"`tidemark migrate`; the command line reads it, too"},
		{"FORCE_REINDEX_ON_CANONICAL_CHANGE", "true", shown, truth(&c.ReindexOnCanonical),
			"Whether a page is indexed again when only its rel=canonical has changed; false only records the change"},
	}
}

// accessSettings returns the settings that say who has access. See docs/operations.md.
func (c *Config) accessSettings() []Setting {
	return []Setting{
		{"LISTEN", "", command, elsewhere("an address with or without a port, such as 0.0.0.0:7071, [::]:7071 or 10.0.0.7"),
			"tidemark start: address and port of the app, such as 0.0.0.0:7071, [::]:7071 or 10.0.0.7; without a port " +
				"PORT is taken. Unset, the app listens on 127.0.0.1. On any address that other machines reach, keys are " +
				"demanded"},
		{"API_KEYS_REQUIRED", "false", shown, truth(&c.KeysNeeded),
			"Whether every request but the health's needs a key of Tidemark's. Unset, `tidemark start` takes true. " +
				"Always so where LISTEN is more than this machine, and with TRUSTED_PROXIES; not for Azure, where the host " +
				"checks keys"},
		{"API_KEYS", "", hidden, by(c.readKeys, "a list of NAME SCOPE KEY"),
			"Keys beside those of `tidemark keys add`, between semicolons or on lines: NAME SCOPE KEY, or NAME SCOPE " +
				"sha256:DIGEST. SCOPE is feed, read, write or admin; a KEY has 24 to 256 characters"},
		{"API_KEYS_FILE", "", hidden, by(c.readKeysFile, "the path of a file that can be read, with keys in its lines"),
			"File with such keys, a line each, at most 1 MiB. It is read again within seconds after it was changed; " +
				"while it cannot be read, none of its keys is taken"},
		{"TLS_CERT_FILE", "", command, elsewhere("the path of a certificate in PEM, beside TLS_KEY_FILE"),
			"tidemark start: certificate with its chain, PEM; the app then speaks HTTPS (1.1 and 2). Read again when " +
				"it changes"},
		{"TLS_KEY_FILE", "", command, elsewhere("the path of a private key in PEM, beside TLS_CERT_FILE"),
			"The certificate's private key, PEM"},
		{"TRUSTED_PROXIES", "", command, elsewhere("a list of addresses and of CIDRs such as 10.0.0.0/8"),
			"tidemark start: addresses or CIDRs of reverse proxies, separated by commas, which are believed what they " +
				"say in X-Forwarded-For, -Proto, -Host and -Prefix, or in Forwarded; from all others these headers are dropped"},
		{"BASE_PATH", "", shown, basePath(&c.BasePath),
			"Path below which a proxy has Tidemark, such as /tidemark. It begins every address in answers. The proxy may " +
				"take it off or, before tidemark start, pass it on. The path of PUBLIC_URL must end in it"},
		{"AUTH_HEADER", "", command, by(c.readUserHeader, headerAllowed),
			"tidemark start: header in which a proxy in TRUSTED_PROXIES gives the name of the user it has signed in, " +
				"such as Remote-User. Such a user sees the dashboard without a key. Not for Azure. The proxy must drop " +
				"the header from what it receives"},
		{"AUTH_HEADER_SCOPE", "read", shown, as(&c.UserScope, parseUserScope, "read, write or admin"),
			"What the users of AUTH_HEADER may do: read, write or admin"},
		{"ALLOWED_HOSTS", "", shown, list(&c.AllowedHosts, "a list of names, with their ports"),
			"Names, with their ports, by which callers reach a Functions host that passes on their Host header, " +
				"separated by commas: for host.json with enableForwardingHttpRequest and without " +
				"enableProxyingHttpRequest. The name in WEBSITE_HOSTNAME needs no mention; requests with other names are " +
				"refused"},
		{"WEBSITE_SITE_NAME", "", hidden, by(c.readCloud, "the name of a site"),
			"Set by Azure; the app knows by it that it runs there, unless AZURE_FUNCTIONS_ENVIRONMENT is Development. " +
				"Do not set it by hand"},
	}
}

// commandSettings returns the settings of the command line.
func (c *Config) commandSettings() []Setting {
	return []Setting{
		{"PORT", "7071", command, elsewhere("a port of 1 to 65535"),
			"tidemark start: port of the app, on this machine only unless LISTEN says otherwise. Commands ask the server there"},
		{"AZURITE_PORT_BASE", "10000", command, elsewhere("a port of 1 to 65533"),
			"First of Azurite's three ports: blobs, queues, tables"},
		{"STORAGE", "embedded", shown, elsewhere("embedded, azurite, or account for what AzureWebJobsStorage names"),
			"tidemark start, export and import-state: embedded keeps all state in files below TIDEMARK_DATA; azurite " +
				"starts an Azurite; account, the default where AzureWebJobsStorage is set, uses what that names"},
		{"LOG_FORMAT", "text", command, form(&c.logFormat, `^(text|json)$`, "text or json"),
			"tidemark start: text or json, the format of each line of the log and of what is told on standard error"},
		{"LOG_LEVEL", "info", shown, as(&c.LogLevel, ParseLevel, levelAllowed),
			"debug, info, warn or error: the least level of the lines of the log. tidemark start tells warnings and errors " +
				"on standard error, and all lines with --verbose"},
		{"TIDEMARK_SERVER", "http://localhost:7071", command, elsewhere("the address of a server"),
			"Server that the commands speak to"},
		{"TIDEMARK_KEY", "", commandKey, elsewhere("a key"),
			"Key that the commands send: a function key in Azure, else one of `tidemark keys add`"},
		{"NO_COLOR", "", command, elsewhere("any value"),
			"Any value turns off colours and bold text"},
		{"PAGER", "less -FRX", command, elsewhere("a command"),
			"Program through which long lists go on a terminal; cat for none"},
	}
}

// renderSettings returns the settings for pages that need a browser.
func (c *Config) renderSettings() []Setting {
	r := &c.Render
	return []Setting{
		{endpointSetting, "", hidden, by(c.readEndpoint, "an address such as http://chrome:9222 or wss://browser.example"),
			"Address of a Chrome that speaks DevTools, in which pages that need it are rendered: http, https, ws or " +
				"wss. It should have a network policy: see rendering.md"},
		{browserSetting, "", shown, by(c.readBrowser, "the path of a Chromium, auto where one is installed, or asked"),
			"Chromium on this machine that renders such pages instead: its path, or auto for the one that is found, " +
				"as with tidemark start --browser; or asked for that one, but only for pages whose setting render asks for it, " +
				"as tidemark start does without --browser. It is started when it is needed"},
		{"RENDER_TIMEOUT_SECONDS", "30", shown, span(&r.Timeout, 5, maxRender, time.Second),
			"Seconds for a page in the browser, {bounds}. Then it is read as it is"},
		{"RENDER_MAX_REQUESTS", "300", shown, whole(&r.MaxRequests, 1, 5000),
			"Requests of a page in the browser, {bounds}; further ones are refused"},
		{"RENDER_MAX_BYTES", "31457280", shown, whole(&r.MaxBytes, 1<<16, 1<<30),
			"Bytes of all answers to a page in the browser, decoded, {bounds}; further ones are refused"},
		{"RENDER_MAX_MEMORY", "1073741824", shown, whole(&r.MaxMemory, 128<<20, 1<<40),
			"Bytes of memory of the browser for a page, at least {least}. It is measured for a Chromium that is " +
				"started here, on Linux; at the bound the page's scripts are stopped"},
	}
}
