/** The documentation of the service for its audience, which /docs shows. */

import { formatRule } from '../access/rule-description.ts'
import { formatDuration } from '../definition/duration.ts'
import type { InterfaceVersion } from '../definition/interface-version.ts'
import { formatUniqueSets } from '../definition/json-schemas.ts'
import type { FieldModel, JsonValue, Model, ResourceModel } from '../definition/model.ts'
import { isNested } from '../definition/nested-resources.ts'
import type { Rule } from '../definition/rule.ts'
import { methodsOfAction } from '../requests/context/operation-of.ts'
import { type AudienceSubCollection, audienceSubCollections } from './audience-relations.ts'
import { formatDerived } from './derived-description.ts'
import { audienceResourcesInSlices, partsByResource } from './described-resources.ts'
import { createExample, inputExample, patchExample } from './examples.ts'
import type { Audience, AudienceAction, AudienceResource } from './permitted-resources.ts'

// These are type aliases, because interfaces are not assignable to JsonValue.

export type Documentation = {
  readonly title: string
  /** Of an older version of the interface: its name, and when it is deprecated and ends. */
  readonly version?: VersionDocumentation
  readonly resources: readonly ResourceDocumentation[]
}

export type VersionDocumentation = {
  readonly name: string
  readonly mediaType: string
  /** Dates such as `2027-01-01`. */
  readonly deprecated?: string
  readonly sunset?: string
}

export type ResourceDocumentation = {
  readonly name: string
  readonly collectionMethods: readonly string[]
  readonly itemMethods: readonly string[]
  /** The lists below an item: `/{name}/{id}/{subCollection}`. */
  readonly subCollections?: readonly SubCollectionDocumentation[]
  /** The rules in words. */
  readonly access: Readonly<Record<'read' | 'create' | 'update' | 'delete', string>>
  readonly actions?: readonly ActionDocumentation[]
  readonly fields: readonly FieldDocumentation[]
  readonly states: readonly StateDocumentation[]
  /** The name of the key field. */
  readonly key?: string
  /** Of resources with a history: who may read it, in words, and how long it is kept. */
  readonly history?: string
  /** A sentence about each set of fields that is unique together. */
  readonly unique?: string
  readonly searchable: boolean
  /** Content of a POST that creates an item. */
  readonly example?: { readonly [name: string]: JsonValue }
  /** Content of a PATCH that changes one field. */
  readonly change?: { readonly [name: string]: JsonValue }
}

export type SubCollectionDocumentation = {
  readonly name: string
  /** The collection of its items, and their reference to the item above; absent where the items are only here. */
  readonly collection?: string
  readonly field?: string
  readonly methods: readonly string[]
}

/** A POST to its name, below an item or the collection; of a query a GET. */
export type ActionDocumentation = {
  readonly name: string
  readonly on: 'item' | 'collection' | 'service'
  /** Undefined: POST. */
  readonly method?: string
  /** The rule in words. */
  readonly by: string
  /** Whether it runs as a job. */
  readonly background?: boolean
  readonly input: readonly FieldDocumentation[]
  /** Its content, or its parameters. */
  readonly example?: { readonly [name: string]: JsonValue }
}

export type FieldDocumentation = {
  readonly name: string
  readonly kind: string
  readonly required: boolean
  readonly unique: boolean
  readonly readOnly: boolean
  readonly immutable: boolean
  readonly writeOnly: boolean
  readonly refersTo?: string
  readonly default?: JsonValue
  readonly visibleTo?: string
  readonly writableBy?: string
  /** The value of a derived field in words. */
  readonly derived?: string
}

export type StateDocumentation = {
  readonly field: string
  readonly initial: string
  readonly states: readonly string[]
  readonly transitions: readonly TransitionDocumentation[]
}

export type TransitionDocumentation = {
  readonly name: string
  readonly from: readonly string[]
  readonly to: string
  readonly by?: string
  readonly requires: readonly string[]
  readonly exclusive: boolean
}

/** Returns the documentation; a generator that yields after each resource. */
export function* documentationInSlices(
  model: Model,
  audience: Audience,
): Generator<undefined, Documentation> {
  const resources: ResourceDocumentation[] = []
  const parts = yield* audienceResourcesInSlices(model, audience)
  const byResource = partsByResource(model, audience, parts)
  for (const part of parts) {
    const findPart = (resource: ResourceModel) => byResource.get(resource)
    resources.push(resourceDocumentation(part, findPart))
    yield
  }
  const { title, shownVersion } = model
  return { title, ...(shownVersion ? { version: versionDocumentation(shownVersion) } : {}), resources }
}

function versionDocumentation(version: InterfaceVersion): VersionDocumentation {
  const { name, mediaType, deprecated, sunset } = version
  return {
    name,
    mediaType,
    ...(deprecated === undefined ? {} : { deprecated: formatDay(deprecated) }),
    ...(sunset === undefined ? {} : { sunset: formatDay(sunset) }),
  }
}

function formatDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}

function resourceDocumentation(
  part: AudienceResource,
  findPart: (resource: ResourceModel) => AudienceResource | undefined,
): ResourceDocumentation {
  const below = audienceSubCollections(part, findPart)
  const { resource, sees, writes, may } = part
  const { access } = resource
  const mayWrite = may.create !== 'never' || may.update !== 'never'
  const known = resource.fields.filter(
    (field) => sees(field) !== 'never' || (mayWrite && writes(field) !== 'never'),
  )
  const derived = resource.derived.filter(({ field }) => sees(field) !== 'never')
  const isReadable = (target: ResourceModel) => (findPart(target)?.may.read ?? 'never') !== 'never'
  const unique = formatUniqueSets(resource, part)
  const example = may.create === 'never' ? undefined : createExample(part)
  const change = may.update === 'never' ? undefined : patchExample(part)
  return {
    name: resource.name,
    collectionMethods: part.collectionMethods,
    itemMethods: part.itemMethods,
    ...(below.length === 0 ? {} : { subCollections: below.map(subCollectionDocumentation) }),
    access: {
      read: formatRule(access.read),
      create: formatRule(access.create),
      update: formatRule(access.update),
      delete: formatRule(access.delete),
    },
    ...(part.actions.length === 0 ? {} : { actions: part.actions.map(actionDocumentation) }),
    fields: [
      ...known.map(fieldDocumentation),
      ...derived.map((one) => ({
        ...fieldDocumentation(one.field),
        ...(one.kind === 'computed' || isReadable(one.inverse.target) ? { derived: formatDerived(one) } : {}),
      })),
    ],
    states: known.flatMap(stateDocumentation),
    ...(resource.keyField && known.includes(resource.keyField) ? { key: resource.keyField.name } : {}),
    ...(unique === '' ? {} : { unique }),
    ...(part.hasHistory ? { history: formatHistory(resource) } : {}),
    searchable: resource.search.length > 0,
    ...(example ? { example } : {}),
    ...(change ? { change } : {}),
  }
}

function formatHistory({ access, history }: ResourceModel): string {
  const kept = history?.keep === undefined ? '' : `, for ${formatDuration(history.keep)}`
  return `${formatRule(history?.read ?? access.read)}${kept}`
}

function subCollectionDocumentation({ relation, items }: AudienceSubCollection): SubCollectionDocumentation {
  const { name, target, field } = relation
  const source = isNested(target) ? {} : { collection: target.name, field: field.name }
  return { name, ...source, methods: items.collectionMethods }
}

function actionDocumentation({ action }: AudienceAction): ActionDocumentation {
  const { name, on, by, input, isSafe, background } = action
  const [method = ''] = methodsOfAction(action)
  const example = input.fields.length === 0 ? undefined : inputExample(input)
  return {
    name,
    on,
    ...(isSafe ? { method } : {}),
    by: formatRule(by),
    ...(background ? { background } : {}),
    input: input.fields.map(fieldDocumentation),
    ...(example ? { example } : {}),
  }
}

function fieldDocumentation(field: FieldModel): FieldDocumentation {
  const { name, kind, required, unique, readOnly, fromPrincipal, immutable, writeOnly } = field
  const target = (field.ref ?? field.refs)?.resource
  return {
    name,
    kind: kind.name,
    required: required && field.default === undefined,
    unique,
    readOnly: readOnly || fromPrincipal,
    immutable,
    writeOnly,
    ...(target ? { refersTo: target.name } : {}),
    ...(field.default === undefined ? {} : { default: field.default }),
    ...inWords('visibleTo', field.visibleTo),
    ...inWords('writableBy', field.writableBy),
  }
}

function stateDocumentation({ name, state }: FieldModel): readonly StateDocumentation[] {
  if (!state) return []
  const { initial, states, transitions } = state
  return [
    {
      field: name,
      initial,
      states,
      transitions: transitions.map(({ name: step, from, to, by, requires, exclusive }) => ({
        name: step,
        from,
        to,
        ...inWords('by', by),
        requires,
        exclusive,
      })),
    },
  ]
}

function inWords<N extends string>(name: N, rule: Rule | undefined): { readonly [K in N]?: string } {
  return rule ? ({ [name]: formatRule(rule) } as { [K in N]: string }) : {}
}
