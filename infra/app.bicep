// Everything Tidemark needs in one resource group: a function app, the storage account that holds
// all state, and a place for logs.
//
// No secret is made anywhere, and none is needed. The key of a language model is the one that may be
// given, best as a reference to a Key Vault. The app has one identity, and role assignments say what it may do.
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

@description('Memory of an instance. Half a gigabyte is enough for small pages, but eight are worked on at once.')
@allowed([512, 2048, 4096])
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

@description('Address of an Azure AI Search that is there already. The identity needs the two search roles below on it.')
param searchEndpoint string = ''

// The same group and subscription give the same names, so that a second deployment changes the
// first; other subscriptions give others, for some of these names are the world's.
var token = uniqueString(subscription().id, resourceGroup().id, location)
var deployments = 'deployments'
var createSearch = searchSku != 'none'

// Built-in roles: https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
var roles = {
  blobDataOwner: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
  queueDataContributor: '974c5e8b-45b9-4653-ba55-5f855dd0fb88'
  tableDataContributor: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
  metricsPublisher: '3913510d-42f4-4e42-8a64-420c390055eb'
  searchServiceContributor: '7ca78c08-252a-4471-8644-bb5ff32d4ba0'
  searchIndexDataContributor: '8ebe5a00-799e-43f5-93ac-243d3dce84a7'
}

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: 'id-tidemark-${token}'
  location: location
  tags: tags
}

// --- Storage: the registry's tables, the job queues, the captures, the host's leases and keys,
// and the deployed zip.

resource storage 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: 'st${token}'
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: storageSku }
  properties: {
    // With keys, whoever can read the app's settings could read all that it stores.
    allowSharedKeyAccess: false
    allowBlobPublicAccess: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
  }

  resource blobs 'blobServices' = {
    name: 'default'

    // The app makes its own containers, tables and queues; this one must be there before it.
    resource container 'containers' = {
      name: deployments
    }
  }
}

// The host takes blob leases, so that a timer fires on one instance only, and needs the owner's
// role for them; contributors suffice for the rest.
resource storageRoles 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for role in [roles.blobDataOwner, roles.queueDataContributor, roles.tableDataContributor]: {
    name: guid(storage.id, identity.id, role)
    scope: storage
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
      principalId: identity.properties.principalId
      // Without the type, an identity that is not known everywhere yet is refused.
      principalType: 'ServicePrincipal'
    }
  }
]

// --- Logs

resource workspace 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
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

// --- Search, if asked for

resource search 'Microsoft.Search/searchServices@2023-11-01' = if (createSearch) {
  name: 'srch-tidemark-${token}'
  location: location
  tags: tags
  sku: { name: searchSku }
  properties: {
    disableLocalAuth: true // no keys here either
    replicaCount: 1
    partitionCount: 1
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
resource plan 'Microsoft.Web/serverfarms@2024-04-01' = {
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
  AzureWebJobsStorage__blobServiceUri: storage.properties.primaryEndpoints.blob
  AzureWebJobsStorage__queueServiceUri: storage.properties.primaryEndpoints.queue
  AzureWebJobsStorage__tableServiceUri: storage.properties.primaryEndpoints.table
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

// Given settings come last, and so win.
var given = filter(items(union(searchSettings, settings)), setting => !empty(setting.value))
var allSettings = union(hostSettings, toObject(given, setting => setting.key, setting => setting.value))

resource app 'Microsoft.Web/sites@2024-04-01' = {
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
          value: '${storage.properties.primaryEndpoints.blob}${deployments}'
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
  dependsOn: [storageRoles, insightsRole, storage::blobs::container]

  // Passwords for publishing, which are on by default: deployments use the deployer's identity.
  resource passwords 'basicPublishingCredentialsPolicies' = [
    for way in ['scm', 'ftp']: {
      name: way
      properties: { allow: false }
    }
  ]
}

output name string = app.name
output url string = 'https://${app.properties.defaultHostName}'
@description('Who the app is, to grant it roles on a search service of your own.')
output identityPrincipalId string = identity.properties.principalId
