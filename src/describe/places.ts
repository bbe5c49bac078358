/** The URIs that an audience may use: what the operations at each are about, and who may use them. */

import type { OwnAction } from '../definition/built-in-table.ts'
import { findFileModel, isFileList } from '../definition/file-fields.ts'
import { fileListMethods, fileMethods, listedFileMethods } from '../definition/file-methods.ts'
import type { FieldModel, Model, ResourceModel } from '../definition/model.ts'
import { isNested } from '../definition/nested-resources.ts'
import { hasElementUris } from '../definition/relations.ts'
import type { Rule } from '../definition/rule.ts'
import type { DocumentCapability } from '../requests/context/capabilities.ts'
import { kindOfAction, methodsOfAction, methodsOfKind } from '../requests/context/operation-of.ts'
import type { OperationKind } from '../requests/context/operations.ts'
import { aggregateUri, linksetUri, listEventsUri, reservedUri } from '../views/uri.ts'
import { type AudienceSubCollection, audienceSubCollections } from './audience-relations.ts'
import { camelCase, pascalCase, upperFirst } from './generated-names.ts'
import {
  type Audience,
  type AudienceAction,
  type AudienceResource,
  type AudienceRight,
  findAudienceResource,
  rightOf,
} from './permitted-resources.ts'

export interface Place {
  readonly kind: OperationKind
  /** Below the base of the service, with variables in braces. */
  readonly route: string
  /** The methods that the audience may use, in the order of Allow. */
  readonly methods: readonly string[]
  /** The resource that descriptions list it under. */
  readonly tag: string
  /** Begins the ids of operations. */
  readonly prefix: string
  /** In place of `{}` in the ids of operations, and in their summaries. */
  readonly name: string
  readonly words: readonly string[]
  /** The resource of the content and of the responses; undefined: the place is of the service itself. */
  readonly part?: AudienceResource
  /** The resource of the item in the route that the caller must be able to read, besides the right itself. */
  readonly above?: AudienceResource
  /** The reference that the URI of a sub-collection sets. */
  readonly given?: FieldModel
  /** The set of references, or the field with files. */
  readonly field?: FieldModel
  readonly action?: AudienceAction['action']
  readonly own?: OwnAction
  readonly document?: DocumentCapability
  /** The rule behind a right; undefined: there is none. */
  ruleOf(right: AudienceRight): Rule | undefined
  /** Whether an anonymous caller may have the right. */
  isOpen(right: AudienceRight): boolean
}

/** The places of a resource, in the order of descriptions. `documents`: those below items. */
export function placesOf(
  part: AudienceResource,
  findPart: (resource: ResourceModel) => AudienceResource | undefined,
  documents: readonly DocumentCapability[],
): readonly Place[] {
  const item = itemPlace(part)
  const collection = placeOf(part, {
    kind: 'collection',
    route: `/${part.resource.name}`,
    methods: part.collectionMethods,
  })
  return [
    collection,
    ...aggregatePlaces(collection),
    ...linkPlaces(collection),
    ...eventPlaces(collection),
    item,
    ...linkPlaces(item),
    ...(part.hasHistory ? documents.map((document) => historyPlace(part, document)) : []),
    ...part.actions.map((action) => actionPlace(part, action)),
    ...ownActionPlaces(item),
    ...audienceSubCollections(part, findPart).flatMap((below) => subCollectionPlaces(part, below)),
    ...filePlaces(part),
    ...storedFilePlaces(item),
    ...elementPlaces(part),
  ]
}

/** The places of the operations of the service itself. */
export function serviceActionPlaces({ service }: Model, audience: Audience): readonly Place[] {
  const part = service && findAudienceResource(service, audience)
  return part ? part.actions.map((action) => actionPlace(part, action)) : []
}

function placeOf(part: AudienceResource, at: Pick<Place, 'kind' | 'route' | 'methods'>): Place {
  const { name, access } = part.resource
  return {
    ...at,
    part,
    tag: name,
    prefix: camelCase(name),
    name: '',
    words: [name],
    ruleOf: (right) => access[right],
    isOpen: (right) => part.isOpenToAnonymous(right),
  }
}

function itemPlace(part: AudienceResource): Place {
  return placeOf(part, { kind: 'item', route: `/${part.resource.name}/{id}`, methods: part.itemMethods })
}

/** The links of the items, or of the list, at a place that has GET. Those of built-in tables are left out: they are few. */
function linkPlaces(place: Place): readonly Place[] {
  if (!place.methods.includes('GET') || place.part?.resource.declared !== true) return []
  const kind = place.kind === 'item' ? 'itemLinks' : 'collectionLinks'
  return [{ ...place, kind, route: linksetUri(place.route), methods: [...methodsOfKind(kind)] }]
}

/** The changes of the whole list at a place that has GET. Those of built-in tables and below items are left out. */
function eventPlaces(list: Place): readonly Place[] {
  if (!list.methods.includes('GET') || list.part?.resource.declared !== true) return []
  const methods = [...methodsOfKind('collectionEvents')]
  return [{ ...list, kind: 'collectionEvents', route: listEventsUri(list.route), methods }]
}

/** The groups of the list at a place that has GET. */
function aggregatePlaces(list: Place): readonly Place[] {
  if (!list.methods.includes('GET')) return []
  const methods = [...methodsOfKind('aggregate')]
  const offered = list.methods.includes('QUERY') ? methods : methods.filter((method) => method !== 'QUERY')
  return [{ ...list, kind: 'aggregate', route: aggregateUri(list.route), methods: offered }]
}

/** A history also needs the right to read the item. */
function historyPlace(part: AudienceResource, document: DocumentCapability): Place {
  const { name, access, history } = part.resource
  const route = document.route.replace('{collection}', name)
  return {
    ...placeOf(part, { kind: 'document', route, methods: [...methodsOfKind('document')] }),
    name: route.endsWith('{version}') ? 'Version' : 'History',
    words: [document.summary],
    document,
    ...(history?.read && { above: part }),
    ruleOf: () => history?.read ?? access.read,
    isOpen: () => part.isHistoryOpenToAnonymous,
  }
}

/** An action on an item also needs the right to read the item. */
function actionPlace(part: AudienceResource, { action, isOpenToAnonymous }: AudienceAction): Place {
  const collection = part.resource.name
  const isOnItem = action.on === 'item'
  const kind = kindOfAction(action)
  const route = {
    item: `/${collection}/{id}/${action.name}`,
    collection: `/${collection}/${action.name}`,
    service: `/${action.name}`,
  }[action.on]
  return {
    ...placeOf(part, { kind, route, methods: [...methodsOfAction(action)] }),
    name: pascalCase(action.name),
    words: [action.name, { item: `one of ${collection}`, collection, service: 'the service' }[action.on]],
    action,
    ...(isOnItem && { above: part }),
    ruleOf: () => action.by,
    isOpen: () => isOpenToAnonymous,
  }
}

/** The actions of a built-in table. */
function ownActionPlaces(item: Place): readonly Place[] {
  const { part } = item
  if (!part || part.may.update === 'never') return []
  return Object.entries(part.resource.traits.actions ?? {}).map(([name, own]) => ({
    ...item,
    kind: 'ownAction',
    route: `${item.route}/${name}`,
    methods: [...methodsOfKind('ownAction')],
    name: pascalCase(name),
    words: [own.summary],
    own,
  }))
}

/** A sub-collection also needs the right to read the item above, and to see or to set the reference to it. */
function subCollectionPlaces(
  above: AudienceResource,
  { relation, items }: AudienceSubCollection,
): readonly Place[] {
  const { name } = above.resource
  const { access } = items.resource
  const { field } = relation
  const route = `/${name}/{id}/${relation.name}`
  const below = {
    tag: name,
    words: [isNested(items.resource) ? relation.name : items.resource.name],
    prefix: `${camelCase(name)}_${relation.name.replaceAll('-', '_')}`,
    above,
    ruleOf: (right: AudienceRight) =>
      allOf(access[right], right === 'read' ? field.visibleTo : field.writableBy),
    isOpen: (right: AudienceRight) => above.isOpenToAnonymous('read') && items.isOpenToAnonymous(right),
  }
  const collection: Place = {
    ...placeOf(items, { kind: 'subCollection', route, methods: items.collectionMethods }),
    ...below,
    given: field,
  }
  const lists = [collection, ...aggregatePlaces(collection), ...linkPlaces(collection)]
  if (!isNested(items.resource)) return lists
  const item = {
    ...placeOf(items, { kind: 'item', route: `${route}/{below}`, methods: items.itemMethods }),
    ...below,
  } as const
  return [...lists, item, ...linkPlaces(item), ...ownActionPlaces(item)]
}

/** A file also needs the rules of its field. */
function filePlaces(part: AudienceResource): readonly Place[] {
  const { resource, may, writes } = part
  const { read, update } = resource.access
  return fileFields(part).flatMap((field) => {
    const { name, visibleTo, writableBy } = field
    const isWritable = may.update !== 'never' && writes(field) !== 'never'
    const place = (kind: 'file' | 'fileList', path: string, offered: ReadonlySet<string>): Place => ({
      ...placeOf(part, {
        kind,
        route: `/${resource.name}/{id}/${path}`,
        methods: [...offered].filter((method) => {
          const right = rightOf(kind, method)
          return right === undefined || (right === 'read' ? may.read !== 'never' : isWritable)
        }),
      }),
      name: upperFirst(name) + (path === name ? '' : 'File'),
      words: [name, resource.name],
      field,
      ruleOf: (right) => (right === 'read' ? allOf(read, visibleTo) : allOf(update, visibleTo, writableBy)),
    })
    if (!isFileList(field)) return [place('file', name, fileMethods(resource, field))]
    return [
      place('fileList', name, fileListMethods(resource)),
      place('file', `${name}/{file}`, listedFileMethods(resource, field)),
    ]
  })
}

/** The files of items by their content, each under the rule of a field that has it. */
function storedFilePlaces(item: Place): readonly Place[] {
  if (!item.part || !item.methods.includes('GET') || fileFields(item.part).length === 0) return []
  const route = `${reservedUri(item.route, 'files')}/{file}`
  return [{ ...item, kind: 'storedFile', route, methods: [...methodsOfKind('storedFile')] }]
}

/** An element also needs the rule of its field. */
function elementPlaces(part: AudienceResource): readonly Place[] {
  const { name, access } = part.resource
  return elementFields(part).map((field) => ({
    ...placeOf(part, {
      kind: 'element',
      route: `/${name}/{id}/${field.name}/{element}`,
      methods: [...methodsOfKind('element')],
    }),
    name: upperFirst(field.name),
    words: [field.name, name],
    field,
    ruleOf: () => allOf(access.update, field.writableBy),
  }))
}

/** The place of a document of the service. */
export function documentPlace(document: DocumentCapability): Place {
  const { route, summary, audience, kind, methods, by } = document
  return {
    ...servicePlace,
    kind,
    route,
    methods: methods ? [...methods, 'OPTIONS'] : [...methodsOfKind(kind)],
    name: nameOf(route),
    words: [summary],
    document,
    ...(by && { ruleOf: () => by }),
    isOpen: () => (by ? by.kind === 'anyone' : audience === undefined),
  }
}

const servicePlace = { tag: 'service', prefix: '', words: [], ruleOf: () => undefined, isOpen: () => true }

/** The place of uploads; none where the audience may send no file. */
export function uploadPlaces(model: Model, places: readonly Place[]): readonly Place[] {
  const sendsFiles = places.some(
    ({ kind, methods }) =>
      (kind === 'file' && methods.includes('PUT')) || (kind === 'fileList' && methods.includes('POST')),
  )
  if (!sendsFiles) return []
  const route = `/${model.paths.uploads}/{id}`
  return [{ ...servicePlace, kind: 'upload', route, methods: [...methodsOfKind('upload')], name: 'Upload' }]
}

/** The files that the audience may see. */
export function fileFields({ resource, sees }: AudienceResource): readonly FieldModel[] {
  return resource.fields.filter((field) => findFileModel(field) && sees(field) !== 'never')
}

/** The sets of references whose elements the audience may add and remove by their URIs. */
export function elementFields({ resource, itemMethods, writes }: AudienceResource): readonly FieldModel[] {
  if (!itemMethods.includes('PATCH')) return []
  return resource.fields.filter((field) => hasElementUris(resource, field) && writes(field) !== 'never')
}

function allOf(...rules: readonly (Rule | undefined)[]): Rule {
  const [first, ...others] = rules.filter((rule) => rule !== undefined)
  return first && others.length === 0
    ? first
    : { kind: 'all', of: rules.filter((rule) => rule !== undefined) }
}

/** `/.well-known/api-catalog` as `WellKnownApiCatalog`, `/` as `Home`. */
function nameOf(route: string): string {
  const words = route.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.length === 0 ? 'Home' : words.map((word) => upperFirst(camelCase(word))).join('')
}

/** The resource of the place. Throws where the place is of the service itself. */
export function partOf({ part, route }: Place): AudienceResource {
  if (!part) throw new Error(`${route} is not the place of a resource`)
  return part
}
