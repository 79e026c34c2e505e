// Tidemark in an Azure subscription: a resource group with everything in app.bicep.
//
// If you have a resource group already, deploy app.bicep into it. This file only creates the group in
// addition.
targetScope = 'subscription'

@description('Name of this deployment: letters, digits and hyphens. The resource group is named after it.')
@minLength(1)
@maxLength(60)
param environmentName string

@description('Region, one that has Flex Consumption: az functionapp list-flexconsumption-locations')
param location string

@description('Contact for the operators of crawled sites: a mail address or a URL. It is part of the user agent.')
param crawlContact string = ''

// If one of the following settings is empty, the app uses its default. The app also refuses wrong values and
// names the setting. The parameters are strings because settings are.

@description('User agent. The part before the slash is matched against robots.txt.')
param crawlUserAgent string = ''

@description('Pause between two checks of a page that changes, in seconds.')
param crawlBaseIntervalSeconds string = ''

@description('Longest pause between two checks, in seconds.')
param crawlMaxIntervalSeconds string = ''

@description('Smallest pause between two requests to one host, in milliseconds.')
param crawlMinDelayMs string = ''

@description('Largest pause between two requests to one host, in milliseconds.')
param crawlMaxDelayMs string = ''

@description('Requests in flight per host, over all instances.')
param crawlMaxConcurrent string = ''

@description('Azure AI Search to create; basic and above cost money around the clock.')
@allowed(['none', 'free', 'basic', 'standard'])
param searchSku string = 'none'

@description('Address of an existing Azure AI Search, when none is created.')
param searchEndpoint string = ''

@description('Name of the index in it.')
param searchIndex string = ''

@description('Admin key of an existing search service without role-based access; a reference to a Key Vault is better.')
@secure()
param searchApiKey string = ''

@description('Model whose vectors find pages by meaning. It needs the next two, and the address of a search service.')
param embeddingsModel string = ''

@description('Model or route that describes entries one at a time. It needs the address of a service with models.')
param t1DefaultModel string = ''

@description('Model or route that describes entries in batches. It needs the same address.')
param t1BatchModel string = ''

@description('Length of the vectors of that model.')
param searchVectorDimensions string = ''

@description('Whether the semantic ranker of the search service orders results: true or false. Each search with it is billed.')
param searchSemantic string = ''

@description('Address of the service with that model, with an API like that of OpenAI.')
param openaiBaseUrl string = ''

@description('Key for that service; a reference to a Key Vault is better: @Microsoft.KeyVault(SecretUri=...).')
@secure()
param litellmMasterKey string = ''

@description('Any other settings of the app, as NAME=value;NAME=value. Put values with a semicolon or a quote into the Key Vault.')
@secure()
param otherSettings string = ''

@description('Key Vault to create for settings that are secrets.')
@allowed(['none', 'standard'])
param vaultSku string = 'none'

@description('Settings whose values are secrets in the vault, separated by commas: LITELLM_MASTER_KEY,CREDENTIAL_WIKI. The secrets must exist before, under the same names with - for _.')
param vaultSettings string = ''

@description('Browser to create, for pages that have their content by scripts; consumption is a Container App that is billed while it runs.')
@allowed(['none', 'consumption'])
param browserSku string = 'none'

@description('Image of that browser: of Playwright, from mcr.microsoft.com. If it is empty, the default of browser.bicep is used.')
param browserImage string = ''

@description('Mail address for alerts when something needs a person; empty for no alerts. Alerts cost a few dollars a month.')
param alertEmail string = ''

@description('Standard_LRS keeps three copies in one building, Standard_ZRS in three zones of the region.')
@allowed(['Standard_LRS', 'Standard_ZRS'])
param storageSku string = 'Standard_LRS'

// The next five are numbers, but declared as strings, because the variables of azd are strings.

@description('Days after which a snapshot moves to the cool tier; 0 never moves it.')
param snapshotCoolAfterDays string = '0'

@description('Days in which no user can delete or change a snapshot; 0 for none.')
param snapshotImmutableDays string = '0'

@description('Memory of an instance: 512, 2048 or 4096.')
param instanceMemoryMB string = '2048'

@description('Largest number of instances that a burst of work may start; at least 40.')
param maximumInstances string = '40'

@description('HTTP instances that are always ready.')
param alwaysReadyHttp string = '0'

var tags = { 'azd-env-name': environmentName }

var otherPairs = filter(split(otherSettings, ';'), pair => contains(pair, '='))
var otherValues = toObject(
  otherPairs,
  pair => trim(split(pair, '=')[0]),
  pair => substring(pair, indexOf(pair, '=') + 1)
)

resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {
  name: 'rg-${environmentName}'
  location: location
  tags: tags
}

module app 'app.bicep' = {
  name: 'tidemark'
  scope: group
  params: {
    location: location
    tags: tags
    searchSku: searchSku
    searchSemantic: searchSemantic == 'true'
    searchEndpoint: searchEndpoint
    vaultSku: vaultSku
    vaultSettings: map(filter(split(vaultSettings, ','), name => !empty(name)), name => trim(name))
    browserSku: browserSku
    browserImage: browserImage
    alertEmail: alertEmail
    storageSku: storageSku
    snapshotCoolAfterDays: int(snapshotCoolAfterDays)
    snapshotImmutableDays: int(snapshotImmutableDays)
    instanceMemoryMB: int(instanceMemoryMB)
    maximumInstances: int(maximumInstances)
    alwaysReadyHttp: int(alwaysReadyHttp)
    settings: union(
      {
        CRAWL_CONTACT: crawlContact
        CRAWL_USER_AGENT: crawlUserAgent
        CRAWL_BASE_INTERVAL_SECONDS: crawlBaseIntervalSeconds
        CRAWL_MAX_INTERVAL_SECONDS: crawlMaxIntervalSeconds
        CRAWL_MIN_DELAY_MS: crawlMinDelayMs
        CRAWL_MAX_DELAY_MS: crawlMaxDelayMs
        CRAWL_MAX_CONCURRENT: crawlMaxConcurrent
        SEARCH_INDEX: searchIndex
        SEARCH_API_KEY: searchApiKey
        SEARCH_VECTOR_DIMENSIONS: searchVectorDimensions
        SEARCH_SEMANTIC: searchSemantic
        EMBEDDINGS_MODEL: embeddingsModel
        T1_DEFAULT_MODEL: t1DefaultModel
        T1_BATCH_MODEL: t1BatchModel
        OPENAI_BASE_URL: openaiBaseUrl
        LITELLM_MASTER_KEY: litellmMasterKey
      },
      otherValues
    )
  }
}

// azd stores the outputs as variables of its environment, which hooks can read.
output AZURE_RESOURCE_GROUP string = group.name
output AZURE_FUNCTION_NAME string = app.outputs.name
@description('The app\'s identity, to which you can grant roles on your own search service or Key Vault.')
output AZURE_IDENTITY_PRINCIPAL_ID string = app.outputs.identityPrincipalId
@description('Key Vault for the secrets of the app, if there is one.')
output AZURE_KEY_VAULT_NAME string = app.outputs.vaultName
@description('Address of the server, which the command line reads.')
output TIDEMARK_SERVER string = app.outputs.url
