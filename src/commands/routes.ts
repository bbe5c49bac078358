/** `restwell routes`: a table of URIs, methods and the callers who may use them. */

import { formatRule } from '../access/rule-description.ts'
import { operationsOf } from '../definition/item-operations.ts'
import type { FieldModel, Model } from '../definition/model.ts'
import { isNested } from '../definition/nested-resources.ts'
import type { Rule } from '../definition/rule.ts'
import { isBelowItem } from '../describe/create-capabilities.ts'
import { audienceResources, partsByResource } from '../describe/described-resources.ts'
import { elementFields } from '../describe/element-operations.ts'
import type { AudienceResource, AudienceRight } from '../describe/permitted-resources.ts'
import { type AudienceSubCollection, audienceSubCollections } from '../describe/sub-collections.ts'
import { type FileRoute, fileRoutes } from '../features/files/describe-files.ts'
import { formatPath } from '../http/request-target.ts'
import type { Command } from '../operation/command-frame/command.ts'
import { writeOutput } from '../operation/command-frame/output.ts'
import type { Document } from '../requests/context/target.ts'
import { documentsOf } from '../requests/document-table.ts'

export const routes: Command = {
  usage: '[service.ts] [--out FILE]',
  summary: 'Prints a table of URIs, methods and the callers who may use them.',
  run: (args) => writeOutput(args, [], ({ definition }) => formatTable(routeRows(definition.model))),
}

type RouteRow = readonly [methods: string, uri: string, who: string]

function routeRows(model: Model): readonly RouteRow[] {
  const parts = audienceResources(model, 'everyone')
  const own = [...documentsOf(model).values()]
    .filter(({ route }) => !isBelowItem(route))
    .flatMap((document) => documentRows(model, document))
  const byResource = partsByResource(model, 'everyone', parts)
  const rows = parts.flatMap((part) => [
    ...resourceRows(model, part),
    ...historyRows(model, part),
    ...audienceSubCollections(part, (resource) => byResource.get(resource)).flatMap((below) =>
      subCollectionRows(model, part, below),
    ),
    ...operationRows(model, part),
    ...actionRows(model, part),
  ])
  return [...rows, ...own]
}

function documentRows({ base, accounts }: Model, document: Document): readonly RouteRow[] {
  const { route, audience, operations, posted } = document
  // Other documents with POST are for signing in and out, which needs accounts.
  if (operations && operations !== 'upload' && !posted && !accounts) return []
  const uri = route === '/' ? base || '/' : base + route
  if (operations === 'upload') return [['HEAD PATCH DELETE OPTIONS', uri, 'the caller who began it']]
  const offered = operations ? 'GET HEAD POST' : 'GET HEAD'
  if (audience === undefined) return [[`${offered} OPTIONS`, uri, 'anyone']]
  const caller = accounts ? `the role ${accounts.adminRole}` : 'no caller (there are no accounts)'
  return [
    [offered, uri, caller],
    ['OPTIONS', uri, 'anyone'],
  ]
}

function resourceRows({ base }: Model, part: AudienceResource): readonly RouteRow[] {
  const collection = formatPath(base, [part.resource.name])
  const { access } = part.resource
  const who = (right: AudienceRight) => formatRule(access[right])
  return [
    ...rowsAt(collection, part.collectionMethods, who),
    ...rowsAt(`${collection}/{id}`, part.itemMethods, who),
    ...elementFields(part).flatMap((field) => elementRows(collection, part, field)),
    ...fileRoutes(part).flatMap((route) => fileRows(collection, part, route)),
  ]
}

/** A caller of a history must also be able to read the item. */
function historyRows(model: Model, { resource, hasHistory }: AudienceResource): readonly RouteRow[] {
  if (!hasHistory) return []
  const { base } = model
  const { access, history } = resource
  const who = history?.read
    ? `with the right to read /${resource.name}/{id}: ${formatRule(history.read)}`
    : formatRule(access.read)
  const routes = [...documentsOf(model).values()].map(({ route }) => route).filter(isBelowItem)
  return routes.flatMap((route): RouteRow[] => {
    const uri = base + route.replace('{collection}', resource.name)
    return [
      ['GET HEAD', uri, who],
      ['OPTIONS', uri, 'anyone'],
    ]
  })
}

/** A caller of a sub-collection must also be able to read the item above, and to see or set the reference. */
function subCollectionRows(
  { base }: Model,
  { resource }: AudienceResource,
  { relation, items }: AudienceSubCollection,
): readonly RouteRow[] {
  const uri = `${formatPath(base, [resource.name])}/{id}/${relation.name}`
  const { access } = items.resource
  const { name, visibleTo, writableBy } = relation.field
  const who = (right: AudienceRight) => {
    const rule = right === 'read' ? visibleTo : writableBy
    const field = rule ? ` and to ${right === 'read' ? 'see' : 'set'} '${name}' (${formatRule(rule)})` : ''
    return `with the right to read /${resource.name}/{id}${field}: ${formatRule(access[right])}`
  }
  const rows = rowsAt(uri, items.collectionMethods, who)
  if (!isNested(items.resource)) return rows
  const item = `${uri}/{below}`
  return [...rows, ...rowsAt(item, items.itemMethods, who), ...operationsAt(item, items, who)]
}

/** The operations on items: each is a POST below the item. */
function operationRows({ base }: Model, part: AudienceResource): readonly RouteRow[] {
  const { access } = part.resource
  const item = `${formatPath(base, [part.resource.name])}/{id}`
  return operationsAt(item, part, (right) => formatRule(access[right]))
}

function operationsAt(
  item: string,
  { resource }: AudienceResource,
  who: (right: AudienceRight) => string,
): readonly RouteRow[] {
  return operationsOf(resource.builtIn).flatMap((name): RouteRow[] => [
    ['POST', `${item}/${name}`, who('update')],
    ['OPTIONS', `${item}/${name}`, 'anyone'],
  ])
}

/** A caller of an action on an item must also be able to read the item. */
function actionRows({ base }: Model, { resource, actions }: AudienceResource): readonly RouteRow[] {
  const collection = formatPath(base, [resource.name])
  return actions.flatMap(({ action: { name, on, by } }): RouteRow[] => {
    const uri = on === 'item' ? `${collection}/{id}/${name}` : `${collection}/${name}`
    const reading = on === 'item' ? `with the right to read /${resource.name}/{id}: ` : ''
    return [
      ['POST', uri, `${reading}${formatRule(by)}`],
      ['OPTIONS', uri, 'anyone'],
    ]
  })
}

function rowsAt(
  uri: string,
  methods: readonly string[],
  who: (right: AudienceRight) => string,
): readonly RouteRow[] {
  return groups.flatMap(([right, names]): RouteRow[] => {
    const offered = methods.filter((method) => names.includes(method))
    if (offered.length === 0) return []
    return [[offered.join(' '), uri, right ? who(right) : 'anyone']]
  })
}

/** An element needs the right to update the item and to write the field. */
function elementRows(
  collection: string,
  { resource }: AudienceResource,
  { name, writableBy }: FieldModel,
): readonly RouteRow[] {
  const { update } = resource.access
  const uri = `${collection}/{id}/${name}/{element}`
  const rule: Rule = writableBy ? { kind: 'all', of: [update, writableBy] } : update
  return [
    ['PUT DELETE', uri, formatRule(rule)],
    ['OPTIONS', uri, 'anyone'],
  ]
}

/** A file needs the right to its item, and the rules of its field. */
function fileRows(
  collection: string,
  part: AudienceResource,
  { field, path, methods }: FileRoute,
): readonly RouteRow[] {
  const { read, update } = part.resource.access
  const { visibleTo, writableBy } = field
  const seen: Rule = visibleTo ? { kind: 'all', of: [read, visibleTo] } : read
  const own = [visibleTo, writableBy].filter((rule) => rule !== undefined)
  const written: Rule = own.length > 0 ? { kind: 'all', of: [update, ...own] } : update
  // All other rights are that to change the item.
  return rowsAt(`${collection}/{id}/${path}`, [...methods], (right) =>
    formatRule(right === 'read' ? seen : written),
  )
}

/** Methods that need the same right share a row; OPTIONS needs none. */
const groups: readonly (readonly [AudienceRight | undefined, readonly string[]])[] = [
  ['read', ['GET', 'HEAD', 'QUERY']],
  ['create', ['POST']],
  ['update', ['PUT', 'PATCH']],
  ['delete', ['DELETE']],
  [undefined, ['OPTIONS']],
]

function formatTable(rows: readonly RouteRow[]): string {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map(([methods, uri, caller]) =>
    [methods.padEnd(widths[0] ?? 0), uri.padEnd(widths[1] ?? 0), caller].join('  '),
  )
  return `${lines.join('\n')}\n`
}
