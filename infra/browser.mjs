// What has to be so for the app to reach the browser of browser.bicep, for nobody else to reach it, and for the browser
// to reach nothing. check.mjs asks, and check.test.mjs breaks each once.

const app = 'Microsoft.Web/sites'
const environment = 'Microsoft.App/managedEnvironments'
const browser = 'Microsoft.App/containerApps'
const ingress = 'properties.configuration.ingress'
const network = 'Microsoft.Network/virtualNetworks'
const wall = 'Microsoft.Network/networkSecurityGroups'
const zone = 'Microsoft.Network/privateDnsZones'
const delegated = "[{ name: 'environments', properties: { serviceName: 'Microsoft.App/environments' } }]"

// By template: the declaration, the path in its value, what is there, and why.
const facts = {
  'main.bicep': [
    ['param browserSku', '', "'none'", 'the browser is an option'],
  ],
  'app.bicep': [
    ['param browserSku', '', "'none'", 'the browser is an option'],
    ['var createBrowser', '', "browserSku != 'none'", 'the browser is an option'],
    ['module browser', 'if', '(createBrowser)', 'the browser is an option'],
    ['var browserSettings', 'RENDER_ENDPOINT', "createBrowser ? browser!.outputs.endpoint : ''", 'the app must know its browser'],
    [app, 'properties.virtualNetworkSubnetId', 'createBrowser ? browser!.outputs.appSubnetId : null', 'the app must be in the network'],
  ],
  'browser.bicep': [
    [environment, 'properties.vnetConfiguration.internal', 'true', 'it would have a public address'],
    [environment, 'properties.publicNetworkAccess', "'Disabled'", 'it would have a public address'],
    [environment, 'properties.vnetConfiguration.infrastructureSubnetId', 'network::browserSubnet.id', 'it must be behind the wall'],
    [browser, 'properties.environmentId', 'environment.id', 'it must be in the network'],
    [browser, `${ingress}.transport`, "'tcp'", 'HTTP ingress needs a Host header that Chrome refuses'],
    [browser, `${ingress}.external`, 'true', 'the network of the app is outside the environment'],
    [browser, `${ingress}.targetPort`, 'port', 'browser.cjs listens there'],
    [browser, 'properties.template.containers.0.env', "[{ name: 'PORT', value: string(port) }]", 'browser.cjs listens there'],
    [browser, `${ingress}.exposedPort`, 'port', 'the endpoint names it'],
    [browser, 'properties.template.containers.0.command', "['node', '-e', loadTextContent('browser.cjs')]", 'Chrome listens on the loopback address only'],
    [browser, 'properties.template.scale.minReplicas', '0', 'it would cost money around the clock'],
    [browser, 'properties.template.scale.maxReplicas', '1', 'all connections must lead to the same browser'],
    [browser, 'properties.template.scale.rules.0.tcp.metadata.concurrentConnections', "'1000'", 'without a rule of TCP it never starts'],
    [network, 'properties.subnets.0.name', "'app'", 'the app joins it'],
    [network, 'properties.subnets.0.properties.delegations', 'ofContainerApps', 'the plan of the app needs it'],
    [network, 'properties.subnets.1.name', "'browser'", 'the environment is there'],
    [network, 'properties.subnets.1.properties.delegations', 'ofContainerApps', 'the environment needs it'],
    [network, 'properties.subnets.1.properties.networkSecurityGroup.id', 'wall.id', 'the browser must reach nothing'],
    ['var ofContainerApps', '', delegated, 'the plan and the environment need it'],
    [wall, 'properties.securityRules.properties.direction', "'Outbound'", 'the browser must reach nothing'],
    [wall, 'properties.securityRules.properties.access', 'rule.access', 'the browser must reach nothing'],
    [wall, 'properties.securityRules.properties.destinationAddressPrefix', 'rule.to', 'the browser must reach nothing'],
    [wall, 'properties.securityRules.properties.destinationPortRange', 'rule.port', 'the browser must reach nothing'],
    [zone, 'name', "'tidemark.internal'", 'the endpoint is in it'],
    [`${zone}/virtualNetworkLinks`, 'parent', 'zone', 'without it the app finds no address'],
    [`${zone}/virtualNetworkLinks`, 'properties.virtualNetwork.id', 'network.id', 'without it the app finds no address'],
    [`${zone}/A`, 'parent', 'zone', 'without it the app finds no address'],
    [`${zone}/A`, 'properties.aRecords.0.ipv4Address', 'environment.properties.staticIp', 'it is where TCP ingress listens'],
    ['output endpoint', '', "'http://${address.name}.${zone.name}:${port}'", 'the app must know its browser'],
    ['output appSubnetId', '', 'network::appSubnet.id', 'the app must be in the network'],
  ],
}

// Where the platform must get to from the browser's subnet, and the port.
const allowed = {
  "'MicrosoftContainerRegistry'": "'443'", "'AzureFrontDoor.FirstParty'": "'443'", "'168.63.129.16'": "'53'", browserAddresses: "'*'",
}

// What keeps the browser in, whatever opens its pages.
const flags = ['--webrtc-ip-handling-policy=disable_non_proxied_udp', '--proxy-server=http://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1']

const kinds = { parameter_declaration: 'param', variable_declaration: 'var', module_declaration: 'module', output_declaration: 'output' }

// The declarations of a template, by their types, or by kind and name.
function declared(root) {
  const all = new Map()
  for (const node of root.namedChildren) {
    const named = node.namedChild(0)
    if (node.type === 'resource_declaration') all.set(node.namedChild(1).text.slice(1).split('@')[0], node)
    else if (kinds[node.type]) all.set(`${kinds[node.type]} ${named.text}`, node)
  }
  return all
}

// The value in a declaration at a path, or undefined. Of a loop, the path goes on in what it repeats.
function at(node, path) {
  const inside = node => ['if_statement', 'for_statement'].includes(node?.type) ? inside(node.lastNamedChild) : node
  if (path === 'if') return node.descendantsOfType('if_statement')[0]?.namedChild(0)
  let found = inside(node.lastNamedChild)
  for (const step of path.split('.').filter(Boolean)) {
    const items = found?.namedChildren.filter(child => child.type !== 'comment') ?? []
    found = inside(/^\d/.test(step) ? items[step] : items.find(p => p.type === 'object_property' && p.namedChild(0).text === step)?.lastNamedChild)
  }
  return found
}

// Yields the template, the place and the fault for each.
export function* browserFaults(templates, script) {
  for (const [name, list] of Object.entries(facts)) {
    const all = declared(templates.get(name))
    for (const [what, path, wanted, why] of list) {
      const node = all.get(what)
      if (!node) {
        yield [name, templates.get(name), `${what} is missing: ${why}`]
        continue
      }
      const have = at(node, path)
      if (have?.text !== wanted) yield [name, have ?? node, `${what} ${path} is ${have?.text ?? 'missing'}, want ${wanted}: ${why}`]
    }
  }
  const root = templates.get('browser.bicep')
  yield* ruleFaults(at(declared(root).get('var outbound'), '').namedChildren)
  for (const flag of flags) if (!script.includes(`'${flag}'`)) yield ['browser.cjs', root, `${flag} is missing`]
}

// Each rule allows what the platform needs, but the last in order, which refuses everything.
function* ruleFaults(rules) {
  const field = (rule, name) => rule.namedChildren.find(p => p.namedChild(0).text === name).lastNamedChild.text
  for (const rule of rules) {
    const [access, to, port] = ['access', 'to', 'port'].map(name => field(rule, name))
    if (access !== "'Deny'" && allowed[to] !== port) yield ['browser.bicep', rule, `the browser could reach ${to}, port ${port}`]
  }
  const last = rules.reduce((a, b) => Number(field(a, 'priority')) > Number(field(b, 'priority')) ? a : b)
  const refused = ['access', 'protocol', 'to', 'port'].map(name => field(last, name)).join()
  if (refused !== "'Deny','*','*','*'") yield ['browser.bicep', last, 'the last rule must refuse everything']
}
