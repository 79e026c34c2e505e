// A Key Vault for the settings that are secrets. It is created empty: the operator puts the secrets in, and
// the app's identity may only read them.

param location string
param tags object
param name string

@description('The identity that may read the secrets.')
param principalId string

// https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
var secretsUser = '4633458b-17de-408a-b874-0445c86b69e6'

resource vault 'Microsoft.KeyVault/vaults@2025-05-01' = {
  name: name
  location: location
  tags: tags
  properties: {
    sku: { family: 'A', name: 'standard' }
    tenantId: tenant().tenantId
    enableRbacAuthorization: true // like all other resources here, instead of access policies
    softDeleteRetentionInDays: 7 // the minimum; the name is reserved for that time, unless the vault is purged
  }
}

resource access 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(vault.id, principalId, secretsUser)
  scope: vault
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', secretsUser)
    principalId: principalId
    principalType: 'ServicePrincipal'
  }
}
