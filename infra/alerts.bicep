// Mails to the operator when something needs a person.
//
// All rules query the logs. The length of a queue would be the obvious source, but Azure's metric of it is one
// number for all queues of the account, once an hour. Besides, the queues are short by design: work that a
// host's pace does not permit yet waits in the registry's due rows. So the sweep logs how late it is, and a
// message that was given up is in the host's log within seconds.

param location string
param tags object
param workspaceId string
param email string
param lateHours int

var rules = [
  {
    name: 'stalled'
    what: 'The sweep has not ended well for half an hour: nothing that is due is being looked at.'
    severity: 1
    every: 'PT15M'
    window: 'PT30M'
    query: loadTextContent('queries/alert-stalled.kql')
    condition: { timeAggregation: 'Count', operator: 'LessThan', threshold: 1 }
  }
  {
    name: 'poisoned'
    what: 'A message was given up after five tries. Its items are in status Error and will be tried again; why it failed is in the log.'
    severity: 2
    every: 'PT15M'
    window: 'PT15M'
    query: loadTextContent('queries/alert-poisoned.kql')
    condition: { timeAggregation: 'Count', operator: 'GreaterThan', threshold: 0 }
  }
  {
    name: 'errors'
    what: 'More than a tenth of the invocations fail. Sites that fail are not counted: they are data, and in tidemark status.'
    severity: 2
    every: 'PT15M'
    window: 'PT30M'
    query: loadTextContent('queries/alert-errors.kql')
    condition: { timeAggregation: 'Maximum', metricMeasureColumn: 'percent', operator: 'GreaterThan', threshold: 10 }
  }
  {
    name: 'late'
    what: 'Something has been due for ${lateHours} hours and for longer by the hour: the backlog grows. The first crawl of a very large site looks like this too.'
    severity: 3
    every: 'PT1H'
    window: 'PT6H'
    query: loadTextContent('queries/alert-late.kql')
    condition: {
      timeAggregation: 'Maximum'
      metricMeasureColumn: 'hours'
      operator: 'GreaterThan'
      threshold: lateHours
    }
  }
]

resource operator 'Microsoft.Insights/actionGroups@2023-01-01' = {
  name: 'ag-tidemark'
  location: 'global'
  tags: tags
  properties: {
    enabled: true
    groupShortName: 'tidemark'
    emailReceivers: [{ name: 'operator', emailAddress: email, useCommonAlertSchema: true }]
  }
}

resource alert 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = [
  for rule in rules: {
    name: 'tidemark-${rule.name}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: 'Tidemark: ${rule.name}'
      description: rule.what
      severity: rule.severity
      enabled: true
      scopes: [workspaceId]
      evaluationFrequency: rule.every
      windowSize: rule.window
      criteria: {
        allOf: array(union(rule.condition, {
          query: rule.query
          failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
        }))
      }
      // The workspace is new, and its tables exist only after the first entries.
      skipQueryValidation: true
      autoMitigate: true
      actions: { actionGroups: [operator.id] }
    }
  }
]
