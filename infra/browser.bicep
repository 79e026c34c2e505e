// A browser for pages that have their content by scripts (RENDER_ENDPOINT): a Container App that runs while pages are
// rendered, in a network that only the app shares.
//
// Why TCP. Chrome answers DevTools only where the Host header is an address or localhost. HTTP ingress finds its app by
// that header, so no name suits both, and it ends requests after four minutes. TCP ingress has a port of its own in an
// environment with a network, and passes on what it gets. So any name works that leads to the environment's address:
// the app asks as localhost once Chrome has refused the name. The name below is known before the environment is.
//
// Why nothing can be reached. Package fetch answers each request of the browser, so its subnet needs no Internet. The
// rules let out what the platform needs: its registry with the front door before it, and names. The browser's image is
// in the same registry, because each other one would be one more hole. Logs would be another: the environment keeps
// none, and `az containerapp logs show` reads them from the replica.
// https://learn.microsoft.com/azure/container-apps/firewall-integration

param location string
param tags object
param token string

@description('Image of Playwright, from mcr.microsoft.com, because the network reaches no other registry; empty for the default.')
param image string

var port = 9222
var appAddresses = '10.71.0.0/23'
var browserAddresses = '10.71.2.0/26'
var ofContainerApps = [{ name: 'environments', properties: { serviceName: 'Microsoft.App/environments' } }]

var outbound = [
  { name: 'registry', priority: 100, access: 'Allow', protocol: 'Tcp', to: 'MicrosoftContainerRegistry', port: '443' }
  { name: 'front-door', priority: 110, access: 'Allow', protocol: 'Tcp', to: 'AzureFrontDoor.FirstParty', port: '443' }
  { name: 'names', priority: 120, access: 'Allow', protocol: '*', to: '168.63.129.16', port: '53' }
  { name: 'itself', priority: 130, access: 'Allow', protocol: '*', to: browserAddresses, port: '*' }
  { name: 'all-else', priority: 4096, access: 'Deny', protocol: '*', to: '*', port: '*' }
]

// Of what comes in, the default rules allow the network and the platform's load balancer, and nothing else.
resource wall 'Microsoft.Network/networkSecurityGroups@2025-05-01' = {
  name: 'nsg-browser-${token}'
  location: location
  tags: tags
  properties: {
    securityRules: [
      for rule in outbound: {
        name: rule.name
        properties: {
          direction: 'Outbound'
          priority: rule.priority
          access: rule.access
          protocol: rule.protocol
          sourceAddressPrefix: '*'
          sourcePortRange: '*'
          destinationAddressPrefix: rule.to
          destinationPortRange: rule.port
        }
      }
    ]
  }
}

// The plan of the app delegates to the same service, but the two cannot share a subnet.
resource network 'Microsoft.Network/virtualNetworks@2025-05-01' = {
  name: 'vnet-tidemark-${token}'
  location: location
  tags: tags
  properties: {
    addressSpace: { addressPrefixes: ['10.71.0.0/22'] }
    subnets: [
      { name: 'app', properties: { addressPrefix: appAddresses, delegations: ofContainerApps } }
      {
        name: 'browser'
        properties: {
          addressPrefix: browserAddresses
          delegations: ofContainerApps
          networkSecurityGroup: { id: wall.id }
        }
      }
    ]
  }

  resource appSubnet 'subnets' existing = {
    name: 'app'
  }

  resource browserSubnet 'subnets' existing = {
    name: 'browser'
  }
}

resource environment 'Microsoft.App/managedEnvironments@2026-01-01' = {
  name: 'cae-tidemark-${token}'
  location: location
  tags: tags
  properties: {
    publicNetworkAccess: 'Disabled'
    vnetConfiguration: {
      infrastructureSubnetId: network::browserSubnet.id
      internal: true // its address is one of the subnet
    }
    workloadProfiles: [{ name: 'Consumption', workloadProfileType: 'Consumption' }]
  }
}

resource browser 'Microsoft.App/containerApps@2026-01-01' = {
  name: 'ca-browser-${token}'
  location: location
  tags: tags
  properties: {
    environmentId: environment.id
    workloadProfileName: 'Consumption'
    configuration: {
      activeRevisionsMode: 'Single'
      ingress: {
        // External to the environment, which has no public address: from the network. Without it, only other Container
        // Apps of the environment would reach the browser, and their connections would not start it.
        external: true
        transport: 'tcp'
        targetPort: port
        exposedPort: port
      }
    }
    template: {
      containers: [
        {
          name: 'browser'
          image: empty(image) ? 'mcr.microsoft.com/playwright:v1.63.0-noble' : image
          command: ['node', '-e', loadTextContent('browser.cjs')]
          env: [{ name: 'PORT', value: string(port) }]
          resources: { cpu: json('1.0'), memory: '2Gi' }
          probes: [
            {
              // The port alone would say only that connections are passed on, not that the browser answers.
              type: 'Liveness'
              httpGet: { path: '/json/version', port: port, httpHeaders: [{ name: 'Host', value: 'localhost' }] }
              periodSeconds: 15
              timeoutSeconds: 5
              failureThreshold: 3
            }
          ]
        }
      ]
      scale: {
        minReplicas: 0
        maxReplicas: 1 // all connections must lead to the same browser
        rules: [{ name: 'renders', tcp: { metadata: { concurrentConnections: '1000' } } }]
      }
    }
  }
}

resource zone 'Microsoft.Network/privateDnsZones@2024-06-01' = {
  name: 'tidemark.internal'
  location: 'global'
  tags: tags
}

resource link 'Microsoft.Network/privateDnsZones/virtualNetworkLinks@2024-06-01' = {
  parent: zone
  name: 'network'
  location: 'global'
  tags: tags
  properties: {
    registrationEnabled: false
    virtualNetwork: { id: network.id }
  }
}

resource address 'Microsoft.Network/privateDnsZones/A@2024-06-01' = {
  parent: zone
  name: 'browser'
  properties: {
    ttl: 300
    aRecords: [{ ipv4Address: environment.properties.staticIp }]
  }
}

@description('The setting RENDER_ENDPOINT of the app.')
output endpoint string = 'http://${address.name}.${zone.name}:${port}'
@description('The subnet that the app joins.')
output appSubnetId string = network::appSubnet.id
