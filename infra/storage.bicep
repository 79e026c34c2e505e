// The storage account: the registry's tables, the job queues, the stored pages, the host's leases and keys,
// and the deployed zip.
//
// The app creates missing tables, queues and containers when it starts. They are declared here as well, so
// that the host finds the queues that it polls before the app's first start, and so that rules for stored data
// can refer to them.

param location string
param tags object
param name string
param sku string

@description('The identity that may read and write everything in the account.')
param principalId string

@minValue(0)
@maxValue(36500)
param snapshotCoolAfterDays int

@minValue(0)
@maxValue(146000)
param snapshotImmutableDays int

// A test compares these lists with what the app creates. The host creates a poison queue when it first needs
// one. Only operators read those of rebuild-steps and mbox-steps.
var queues = [
  'backfill-steps'
  'backfill-steps-poison'
  'bulk-steps'
  'bulk-steps-poison'
  'crawl-jobs'
  'crawl-jobs-poison'
  'crawl-jobs-slow'
  'crawl-jobs-slow-poison'
  'deliveries'
  'deliveries-poison'
  'mbox-steps'
  'mbox-steps-poison'
  'rebuild-steps'
  'rebuild-steps-poison'
  'sentinel-steps'
  'sentinel-steps-poison'
]

var tables = [
  'Activity'
  'BackfillRuns'
  'Captures'
  'Changes'
  'DueHints'
  'Embeddings'
  'Entries'
  'EntriesTest'
  'FieldValues'
  'Imports'
  'IndexedChunks'
  'IngestIndex'
  'IngestItems'
  'Keys'
  'Manifests'
  'Notifications'
  'Policies'
  'PoliciesTest'
  'Runs'
  'RuntimeConfig'
  'SentinelSites'
  'SnapshotRefs'
  'Tier1BatchesPkm'
  'Tier1BatchesPkmTest'
]

var containers = [
  'chunks'
  'deployments' // the zip
]

// Built-in roles: https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
var roles = {
  blobDataOwner: 'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'
  queueDataContributor: '974c5e8b-45b9-4653-ba55-5f855dd0fb88'
  tableDataContributor: '0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'
}

resource account 'Microsoft.Storage/storageAccounts@2025-06-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: { name: sku }
  properties: {
    // With account keys, anyone who can read the app's settings could read all of its data.
    allowSharedKeyAccess: false
    allowBlobPublicAccess: false
    allowCrossTenantReplication: false
    defaultToOAuthAuthentication: true
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
  }
}

resource blobService 'Microsoft.Storage/storageAccounts/blobServices@2025-06-01' = {
  parent: account
  name: 'default'
}

resource queueService 'Microsoft.Storage/storageAccounts/queueServices@2025-06-01' = {
  parent: account
  name: 'default'
}

resource tableService 'Microsoft.Storage/storageAccounts/tableServices@2025-06-01' = {
  parent: account
  name: 'default'
}

resource queue 'Microsoft.Storage/storageAccounts/queueServices/queues@2025-06-01' = [
  for queueName in queues: {
    parent: queueService
    name: queueName
  }
]

resource table 'Microsoft.Storage/storageAccounts/tableServices/tables@2025-06-01' = [
  for tableName in tables: {
    parent: tableService
    name: tableName
  }
]

resource container 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' = [
  for containerName in containers: {
    parent: blobService
    name: containerName
  }
]

resource snapshots 'Microsoft.Storage/storageAccounts/blobServices/containers@2025-06-01' = {
  parent: blobService
  name: 'snapshots'
}

// The policy is unlocked: the owner of the account can end it. Locking it cannot be undone, so it is a
// decision to make by hand. The app never writes a snapshot twice. For what it may delete, see docs/deploy.md.
resource immutable 'Microsoft.Storage/storageAccounts/blobServices/containers/immutabilityPolicies@2025-06-01' = if (snapshotImmutableDays > 0) {
  parent: snapshots
  name: 'default'
  properties: {
    immutabilityPeriodSinceCreationInDays: snapshotImmutableDays
    allowProtectedAppendWrites: false
  }
}

resource lifecycle 'Microsoft.Storage/storageAccounts/managementPolicies@2025-06-01' = if (snapshotCoolAfterDays > 0) {
  parent: account
  name: 'default'
  properties: {
    policy: {
      rules: [
        {
          name: 'cool-snapshots'
          enabled: true
          type: 'Lifecycle'
          definition: {
            filters: {
              blobTypes: ['blockBlob']
              prefixMatch: ['${snapshots.name}/']
            }
            actions: {
              baseBlob: { tierToCool: { daysAfterModificationGreaterThan: snapshotCoolAfterDays } }
            }
          }
        }
      ]
    }
  }
}

// The host uses blob leases, so that a timer fires on one instance only. They need the owner role. The
// contributor role is sufficient for everything else.
resource access 'Microsoft.Authorization/roleAssignments@2022-04-01' = [
  for role in [roles.blobDataOwner, roles.queueDataContributor, roles.tableDataContributor]: {
    name: guid(account.id, principalId, role)
    scope: account
    properties: {
      roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', role)
      principalId: principalId
      // Without the type, an identity that has not propagated everywhere yet is refused.
      principalType: 'ServicePrincipal'
    }
  }
]

output blobUri string = account.properties.primaryEndpoints.blob
output queueUri string = account.properties.primaryEndpoints.queue
output tableUri string = account.properties.primaryEndpoints.table
@description('The container for the deployed zip.')
output deploymentUri string = '${account.properties.primaryEndpoints.blob}deployments'
