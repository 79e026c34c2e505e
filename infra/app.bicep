// Everything Tidemark needs in one resource group: a function app, the storage account that holds
// all state, and a place for logs; if asked for, a Key Vault, a search service and alerts.
//
// No secret is made anywhere, and none is needed. Those that there may be, keys of models and of private
// sources, are given best in the Key Vault. The app has one identity, and role assignments say what it may do.
// The identity stands on its own and is not the app's, so that its roles can be there before the
// app is: the host needs its storage from its first start on.

param location string = resourceGroup().location
param tags object = {}

@description('Settings of the app by the names it reads. Empty ones are left out, so that the app\'s own defaults hold.')
@secure() // some may be keys, and parameters can be read in the history of deployments
param settings object = {}

@description('LRS keeps three copies in one building, ZRS in three zones of the region, for a quarter more.')
@allowed(['Standard_LRS', 'Standard_ZRS'])
param storageSku string = 'Standard_LRS'

@description('Days after which a snapshot moves to the cool tier; 0 leaves it. Pays for large documents only: see docs/deploy.md.')
param snapshotCoolAfterDays int = 0

@description('Days in which nobody may delete or change a snapshot; 0 for none. It has to fit with SNAPSHOT_KEEP_DAYS: see docs/deploy.md.')
param snapshotImmutableDays int = 0

@description('Memory of an instance: 512, 2048 or 4096. Half a gigabyte is enough for small pages, but eight are worked on at once.')
param instanceMemoryMB int = 2048

@description('Most instances that a burst of work may start: a bound on cost, for politeness holds over all of them.')
@minValue(40)
@maxValue(1000)
param maximumInstances int = 40

@description('HTTP instances that never sleep. They answer without a cold start, and cost around the clock.')
@minValue(0)
param alwaysReadyHttp int = 0

@description('Azure AI Search to create.')
@allowed(['none', 'free', 'basic', 'standard'])
param searchSku string = 'none'

@description('Whether the search service that is created has the semantic ranker, which is billed by its searches.')
param searchSemantic bool = false

@description('Address of an Azure AI Search that is there already. The identity needs the two search roles below on it.')
param searchEndpoint string = ''

@description('Key Vault to create, for settings that are secrets.')
@allowed(['none', 'standard'])
param vaultSku string = 'none'

@description('Settings whose values are secrets in it, named alike with - for _. They have to be there before.')
param vaultSettings array = []

@description('Whom to mail when the app stands still, fails, gives work up or falls behind; empty for no alerts.')
param alertEmail string = ''

@description('Hours that something may be due before it is worth a mail.')
@minValue(1)
param alertLateHours int = 48

// The same group and subscription give the same names, so that a second deployment changes the
// first; other subscriptions give others, for some of these names are the world's.
var token = uniqueString(subscription().id, resourceGroup().id, location)
var vaultName = 'kv-${token}'
var createVault = vaultSku != 'none'
var createSearch = searchSku != 'none'

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
    retentionInDays: 30 // kept at no cost
    // A crawl that goes wrong logs much. What is over the cap is dropped until the next day.
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
    DisableLocalAuth: true // the connection string alone lets nobody write
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

// --- Search, if asked for

resource search 'Microsoft.Search/searchServices@2025-05-01' = if (createSearch) {
  name: 'srch-tidemark-${token}'
  location: location
  tags: tags
  // Without a search nothing is created, but the type of the name has no 'none'.
  sku: { name: searchSku == 'none' ? 'basic' : searchSku }
  properties: {
    disableLocalAuth: true // no keys here either
    replicaCount: 1
    partitionCount: 1
    semanticSearch: searchSemantic ? 'standard' : 'disabled'
  }
}

// The first makes the indexes, the second fills and asks them.
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

// --- The app

// Flex Consumption: nothing runs, and nothing is paid, while there is nothing to do. It takes one
// app per plan.
resource plan 'Microsoft.Web/serverfarms@2025-03-01' = {
  name: 'plan-tidemark-${token}'
  location: location
  tags: tags
  kind: 'functionapp'
  sku: { name: 'FC1', tier: 'FlexConsumption' }
  properties: { reserved: true } // which means Linux
}

var hostSettings = {
  // The host and the app read the same connection: one setting per service, and who to be.
  AzureWebJobsStorage__credential: 'managedidentity'
  AzureWebJobsStorage__clientId: identity.properties.clientId
  AzureWebJobsStorage__blobServiceUri: storage.outputs.blobUri
  AzureWebJobsStorage__queueServiceUri: storage.outputs.queueUri
  AzureWebJobsStorage__tableServiceUri: storage.outputs.tableUri
  APPLICATIONINSIGHTS_CONNECTION_STRING: insights.properties.ConnectionString
  APPLICATIONINSIGHTS_AUTHENTICATION_STRING: 'ClientId=${identity.properties.clientId};Authorization=AAD'
  // Which identity the app is for services that no setting above names.
  AZURE_CLIENT_ID: identity.properties.clientId
  // The folder of the app itself is read-only. What is here is one instance's and goes with it.
  TIDEMARK_DATA: '/tmp/tidemark'
  // FUNCTIONS_WORKER_RUNTIME, FUNCTIONS_EXTENSION_VERSION and WEBSITE_RUN_FROM_PACKAGE are not for
  // this plan, which refuses them: functionAppConfig says all that.
}

var searchSettings = {
  SEARCH_ENDPOINT: createSearch ? 'https://srch-tidemark-${token}.search.windows.net' : searchEndpoint
}

// The app never sees these: Azure resolves them, with the identity, before it starts.
var vaultReferences = toObject(
  vaultSettings,
  name => name,
  name => '@Microsoft.KeyVault(VaultName=${vaultName};SecretName=${replace(name, '_', '-')})'
)

// What comes later wins, but an empty one never does.
var given = filter(items(union(searchSettings, settings)), setting => !empty(setting.value))
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
    // Who reads secrets that settings refer to: without it, an identity of the app alone.
    keyVaultReferenceIdentity: identity.id
    functionAppConfig: {
      runtime: { name: 'custom', version: '1.0' } // a custom handler: our executable
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
  // Nothing in the app mentions them, but it cannot start without.
  dependsOn: [insightsRole, vault]

  // Passwords for publishing, which are on by default: deployments use the deployer's identity. Each has a
  // resource of its own, because the compiler cannot check a name that comes from a loop.
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
@description('Key Vault for secrets, empty when none was made.')
output vaultName string = createVault ? vaultName : ''
output url string = 'https://${app.properties.defaultHostName}'
@description('Who the app is, to grant it roles on a search service of your own.')
output identityPrincipalId string = identity.properties.principalId
