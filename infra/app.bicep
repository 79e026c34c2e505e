// Everything Tidemark needs in one resource group: a function app, the storage account for all state, and a
// workspace for logs. On request, also a Key Vault, a search service, a browser and alerts.
//
// No secret is created, and none is needed. The best place for optional secrets, keys of models and of private
// sources, is the Key Vault. The app has one identity, and role assignments say what it may do. The identity
// is a resource separate from the app, so that its roles can exist before the app does: the host needs its
// storage from its first start on.

param location string = resourceGroup().location
param tags object = {}

@description('Settings of the app by the names it reads. Empty ones are left out, so that the app\'s own defaults apply.')
@secure() // some may be keys, and the history of deployments shows other parameters
param settings object = {}

@description('LRS keeps three copies in one building. ZRS keeps them in three zones of the region, and costs a quarter more.')
@allowed(['Standard_LRS', 'Standard_ZRS'])
param storageSku string = 'Standard_LRS'

@description('Days after which a snapshot moves to the cool tier; 0 never moves it. Worthwhile only for large documents: see docs/deploy.md.')
param snapshotCoolAfterDays int = 0

@description('Days in which no user can delete or change a snapshot; 0 for none. Must be compatible with SNAPSHOT_KEEP_DAYS: see docs/deploy.md.')
param snapshotImmutableDays int = 0

@description('Memory of an instance: 512, 2048 or 4096. Half a gigabyte is enough for small pages, although eight are processed at once.')
param instanceMemoryMB int = 2048

@description('Largest number of instances that a burst of work may start. It bounds cost only: politeness holds over all instances.')
@minValue(40)
@maxValue(1000)
param maximumInstances int = 40

@description('HTTP instances that are always ready. They answer without a cold start, and cost around the clock.')
@minValue(0)
param alwaysReadyHttp int = 0

@description('Azure AI Search to create.')
@allowed(['none', 'free', 'basic', 'standard'])
param searchSku string = 'none'

@description('Whether the created search service has the semantic ranker, which is billed by search.')
param searchSemantic bool = false

@description('Address of an existing Azure AI Search. The identity needs the two search roles below on it.')
param searchEndpoint string = ''

@description('Key Vault to create, for settings that are secrets.')
@allowed(['none', 'standard'])
param vaultSku string = 'none'

@description('Settings whose values are secrets in the vault, under the same names with - for _. The secrets must exist before.')
param vaultSettings array = []

@description('Browser to create, for pages that have their content by scripts; consumption is a Container App that is billed while it runs.')
@allowed(['none', 'consumption'])
param browserSku string = 'none'

@description('Image of that browser: of Playwright, from mcr.microsoft.com. If it is empty, the default of browser.bicep is used.')
param browserImage string = ''

@description('Mail address for alerts when the app stops working, fails, gives up work or falls behind; empty for no alerts.')
param alertEmail string = ''

@description('Hours that work may be late before an alert.')
@minValue(1)
param alertLateHours int = 48

// The same group and subscription give the same names, so that a second deployment changes the first one.
// Other subscriptions give other names, because some of these names must be unique in the world.
var token = uniqueString(subscription().id, resourceGroup().id, location)
var vaultName = 'kv-${token}'
var createVault = vaultSku != 'none'
var createSearch = searchSku != 'none'
var createBrowser = browserSku != 'none'

// Built-in roles: https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
var roles = {
  metricsPublisher: '3913510d-42f4-4e42-8a64-420c390055eb'
  searchServiceContributor: '7ca78c08-252a-4471-8644-bb5ff32d4ba0'
  searchIndexDataContributor: '8ebe5a00-799e-43f5-93ac-243d3dce84a7'
}

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2024-11-30' = {
  name: 'id-tidemark-${token}'
  location: location
  tags: tags
}

module storage 'storage.bicep' = {
  name: 'storage'
  params: {
    location: location
    tags: tags
    name: 'st${token}'
    sku: storageSku
    principalId: identity.properties.principalId
    snapshotCoolAfterDays: snapshotCoolAfterDays
    snapshotImmutableDays: snapshotImmutableDays
  }
}

module vault 'vault.bicep' = if (createVault) {
  name: 'vault'
  params: {
    location: location
    tags: tags
    name: vaultName
    principalId: identity.properties.principalId
  }
}

// --- Logs

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' = {
  name: 'log-tidemark-${token}'
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: 30 // at no cost
    // A crawl with many errors logs much. Entries above the cap are dropped until the next day.
    workspaceCapping: { dailyQuotaGb: 1 }
  }
}

resource insights 'Microsoft.Insights/components@2020-02-02' = {
  name: 'appi-tidemark-${token}'
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: workspace.id
    DisableLocalAuth: true // the connection string alone gives no right to write
  }
}

resource insightsRole 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(insights.id, identity.id, roles.metricsPublisher)
  scope: insights
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.metricsPublisher)
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
  }
}

module alerts 'alerts.bicep' = if (!empty(alertEmail)) {
  name: 'alerts'
  params: {
    location: location
    tags: tags
    workspaceId: workspace.id
    email: alertEmail
    lateHours: alertLateHours
  }
}

// --- Search, on request

resource search 'Microsoft.Search/searchServices@2025-05-01' = if (createSearch) {
  name: 'srch-tidemark-${token}'
  location: location
  tags: tags
  // Without search, nothing is created, but the type of the name does not allow 'none'.
  sku: { name: searchSku == 'none' ? 'basic' : searchSku }
  properties: {
    disableLocalAuth: true // no keys here either
    replicaCount: 1
    partitionCount: 1
    semanticSearch: searchSemantic ? 'standard' : 'disabled'
  }
}

// The first role creates the indexes, and the second writes and searches them.
resource searchRoles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for role in [roles.searchServiceContributor, roles.searchIndexDataContributor]: if (createSearch) {
    name: guid(search.id, identity.id, role)
    scope: search
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
      principalId: identity.properties.principalId
      principalType: 'ServicePrincipal'
    }
  }
]

// --- A browser, on request

module browser 'browser.bicep' = if (createBrowser) {
  name: 'browser'
  params: {
    location: location
    tags: tags
    token: token
    image: browserImage
  }
}

// --- The app

// Flex Consumption: nothing runs, and nothing is billed, while there is no work. Each plan has one app.
resource plan 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: 'plan-tidemark-${token}'
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: { reserved: true } // which means Linux
}

var hostSettings = {
  // The host and the app read the same connection: one setting for each service, and one for the identity.
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identity.properties.clientId
  AzureWebJobsStorage__blobServiceUri: storage.outputs.blobUri
  AzureWebJobsStorage__queueServiceUri: storage.outputs.queueUri
  AzureWebJobsStorage__tableServiceUri: storage.outputs.tableUri
  APPLICATIONINSIGHTS_CONNECTION_STRING: insights.properties.ConnectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identity.properties.clientId};Authorization=AAD'
  // The app's identity for services that no setting above names.
  AZURE_CLIENT_ID: identity.properties.clientId
  // The app's own folder is read-only. This folder belongs to one instance and is deleted with it.
  TIDEMARK_DATA: '/tmp/tidemark'
  // This plan refuses FUNCTIONS_WORKER_RUNTIME, FUNCTIONS_EXTENSION_VERSION and WEBSITE_RUN_FROM_PACKAGE:
  // functionAppConfig has the same information.
}

var searchSettings = {
  SEARCH_ENDPOINT: createSearch ? 'https://srch-tidemark-${token}.search.windows.net' : searchEndpoint
}

var browserSettings = {
  RENDER_ENDPOINT: createBrowser ? browser!.outputs.endpoint : ''
}

// The app never sees these references: Azure resolves them, with the identity, before the app starts.
var vaultReferences = toObject(
  vaultSettings,
  name => name,
  name => '@Microsoft.KeyVault(VaultName=${vaultName};SecretName=${replace(name, '_', '-')})'
)

// Later values override earlier ones, but an empty value never does.
var given = filter(items(union(searchSettings, browserSettings, settings)), setting => !empty(setting.value))
var allSettings = union(
  hostSettings,
  toObject(given, setting => setting.key, setting => setting.value),
  vaultReferences
)

resource app 'Microsoft.Web/sites@2025-03-01' = {
  name: 'func-tidemark-${token}'
  location: location
  tags: tags
  kind: 'functionapp,linux'
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identity.id}': {} }
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    // Requests to the Internet still come from the addresses of the app, not from the network.
    virtualNetworkSubnetId: createBrowser ? browser!.outputs.appSubnetId : null
    // The identity that reads referenced secrets. Without this, it would be the app's system identity.
    keyVaultReferenceIdentity: identity.id
    functionAppConfig: {
      runtime: { name: 'custom', version: '1.0' } // a custom handler: the executable of Tidemark
      deployment: {
        storage: {
          type: 'blobContainer'
          value: storage.outputs.deploymentUri
          authentication: {
            type: 'UserAssignedIdentity'
            userAssignedIdentityResourceId: identity.id
          }
        }
      }
      scaleAndConcurrency: {
        instanceMemoryMB: instanceMemoryMB
        maximumInstanceCount: maximumInstances
        alwaysReady: alwaysReadyHttp > 0 ? [{ name: 'http', instanceCount: alwaysReadyHttp }] : []
      }
    }
    siteConfig: {
      minTlsVersion: '1.2'
      appSettings: map(items(allSettings), setting => { name: setting.key, value: setting.value })
    }
  }
  // The app has no reference to these roles, but cannot start without them.
  dependsOn: [insightsRole, vault]

  // Passwords for publishing, which Azure enables by default. Deployments use the deployer's identity instead.
  // Each is a separate resource, because the compiler cannot check a name from a loop.
  resource scmPassword 'basicPublishingCredentialsPolicies' = {
    name: 'scm'
    properties: { allow: false }
  }

  resource ftpPassword 'basicPublishingCredentialsPolicies' = {
    name: 'ftp'
    properties: { allow: false }
  }
}

output name string = app.name
@description('Key Vault for secrets; empty when none was created.')
output vaultName string = createVault ? vaultName : ''
output url string = 'https://${app.properties.defaultHostName}'
@description('The app\'s identity, to which you can grant roles on your own search service.')
output identityPrincipalId string = identity.properties.principalId
