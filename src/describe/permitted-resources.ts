/**
 * The audience of a description: one caller, which is shown only what it may see and do, or
 * `everyone`, for operators.
 */

import { anonymous, type Principal, scopesOf } from '../access/principal.ts'
import { extentOf, type Rights, rightsOf } from '../access/rights.ts'
import { type Extent, fullVisibility, type Visibility } from '../definition/json-schemas.ts'
import type { ActionModel, FieldModel, NestedRelation, ResourceModel } from '../definition/model.ts'
import { type Attribute, createAttributes } from '../query/queryable-fields.ts'
import { operationOfKind } from '../requests/context/operation-of.ts'
import type { OperationKind } from '../requests/context/operations.ts'
import type { Condition } from '../store/condition.ts'

export type Audience = Principal | 'everyone'

export type AudienceRight = 'read' | 'create' | 'update' | 'delete'

/** The part of a resource that its audience may use. */
export interface AudienceResource extends Visibility {
  readonly resource: ResourceModel
  /** The present resource, where `resource` has the shape of an older version of the interface. */
  readonly present?: ResourceModel
  readonly may: Readonly<Record<AudienceRight, Extent>>
  /** The attributes to filter and sort by, by name. */
  readonly attributes: ReadonlyMap<string, Attribute>
  /** Whether an anonymous caller may have the right on some row. */
  isOpenToAnonymous(right: AudienceRight): boolean
  /** The offered methods that the audience may use on some row. */
  readonly collectionMethods: readonly string[]
  readonly itemMethods: readonly string[]
  /** Whether the audience, and an anonymous caller, may read the history of some item. */
  readonly hasHistory: boolean
  readonly isHistoryOpenToAnonymous: boolean
  /** The actions that the audience may use on some row. */
  readonly actions: readonly AudienceAction[]
  /** The items that the audience may create together with the item. */
  readonly nested: readonly AudienceNested[]
}

export interface AudienceNested {
  readonly relation: NestedRelation
  /** The part of its items, which contain no others. */
  readonly part: AudienceResource
}

export interface AudienceAction {
  readonly action: ActionModel
  /** Whether an anonymous caller may use it on some row. */
  readonly isOpenToAnonymous: boolean
}

const rights: readonly AudienceRight[] = ['read', 'create', 'update', 'delete']

/** Returns the part of the resource that the audience may use; undefined when there is none. */
export function findAudienceResource(
  resource: ResourceModel,
  audience: Audience,
): AudienceResource | undefined {
  const part = findPart(resource, audience)
  return part && { ...part, nested: findNested(resource, audience) }
}

function findNested({ nested }: ResourceModel, audience: Audience): readonly AudienceNested[] {
  return nested.flatMap((relation) => {
    const part = findPart(relation.target, audience)
    if (!part || part.may.create === 'never' || part.writes(relation.field) === 'never') return []
    return [{ relation, part: { ...part, nested: [] } }]
  })
}

function findPart(resource: ResourceModel, audience: Audience): Omit<AudienceResource, 'nested'> | undefined {
  const reaches =
    audience === 'everyone' ? permissionsOfEveryone(resource) : permissionsOfCaller(resource, audience)
  const actions = findAudienceActions(resource, audience)
  if (actions.length === 0 && rights.every((right) => reaches.may[right] === 'never')) return undefined
  const open = rightsOf(resource, anonymous)
  const offered = (kind: 'item' | 'collection', methods: ReadonlySet<string>) =>
    [...methods].filter((method) => isOffered(kind, method, resource, reaches.may))
  return {
    resource,
    ...reaches,
    attributes: createAttributes(resource, queryableFields(resource, reaches, audience)),
    isOpenToAnonymous: (right) => open[right].kind !== 'never',
    collectionMethods: offered('collection', resource.collectionMethods).filter(
      (method) => isListed(resource, audience) || operationOfKind('collection', method)?.right !== 'list',
    ),
    itemMethods: offered('item', resource.itemMethods),
    hasHistory: resource.history !== undefined && mayReadHistory(resource, audience),
    isHistoryOpenToAnonymous: open.history.kind !== 'never',
    actions,
  }
}

/** Whether a list may show the audience an item that it may read. */
function isListed(resource: ResourceModel, audience: Audience): boolean {
  return audience === 'everyone' || rightsOf(resource, audience).list.kind !== 'never'
}

function findAudienceActions(resource: ResourceModel, audience: Audience): readonly AudienceAction[] {
  if (resource.actions.size === 0) return []
  const mayUse = (action: ActionModel) =>
    audience === 'everyone'
      ? action.by.kind !== 'nobody' && (action.on !== 'item' || resource.access.read.kind !== 'nobody')
      : rightsOf(resource, audience).actions.get(action)?.kind !== 'never'
  const open = rightsOf(resource, anonymous).actions
  return [...resource.actions.values()]
    .filter(mayUse)
    .map((action) => ({ action, isOpenToAnonymous: open.get(action)?.kind !== 'never' }))
}

function mayReadHistory(resource: ResourceModel, audience: Audience): boolean {
  if (audience !== 'everyone') return rightsOf(resource, audience).history.kind !== 'never'
  return [resource.access.read, resource.history?.read].every((rule) => rule?.kind !== 'nobody')
}

/** A caller may query by fields that it sees on every row (docs/reference/http/access.md, "Access"). */
function queryableFields({ fields }: ResourceModel, { sees }: Visibility, audience: Audience) {
  const least: readonly Extent[] = audience === 'everyone' ? ['sometimes', 'always'] : ['always']
  return fields.filter((field) => least.includes(sees(field)))
}

type Permissions = Visibility & Pick<AudienceResource, 'may'>

function permissionsOfEveryone({ access }: ResourceModel): Permissions {
  const reach = (right: AudienceRight): Extent => {
    const { kind } = access[right]
    return kind === 'nobody' ? 'never' : kind === 'anyone' ? 'always' : 'sometimes'
  }
  return { ...fullVisibility, may: mapRights(reach) }
}

function permissionsOfCaller(resource: ResourceModel, caller: Principal): Permissions {
  const own: Rights = rightsOf(resource, caller)
  const reachIn = (conditions: ReadonlyMap<FieldModel, Condition>) => (field: FieldModel) =>
    extentOf(conditions.get(field))
  return {
    may: mapRights((right) => extentOf(own[right])),
    sees: reachIn(own.visibility),
    writes: reachIn(own.writability),
  }
}

function mapRights(reach: (right: AudienceRight) => Extent): AudienceResource['may'] {
  return {
    read: reach('read'),
    create: reach('create'),
    update: reach('update'),
    delete: reach('delete'),
  }
}

/** Whether the audience may use the method on some row. */
function isOffered(
  kind: 'item' | 'collection',
  method: string,
  { put }: ResourceModel,
  may: AudienceResource['may'],
): boolean {
  const right = rightOf(kind, method)
  const creates =
    operationOfKind(kind, method)?.mayCreate === 'item' && put === 'create' && may.create !== 'never'
  return right === undefined || may[right] !== 'never' || creates
}

/** The right that an operation needs, as rules of resources name it; undefined: none. */
export function rightOf(kind: OperationKind, method: string): AudienceRight | undefined {
  const { right } = operationOfKind(kind, method) ?? {}
  if (right === undefined || right === 'none') return undefined
  return right === 'create' || right === 'update' || right === 'delete' ? right : 'read'
}

/** Returns a cache key: audiences with the same key have the same description. */
export function audienceKey(audience: Audience): string {
  if (audience === 'everyone' || audience.kind === 'anonymous') {
    return audience === 'everyone' ? audience : audience.kind
  }
  const scopes = scopesOf(audience)
  return JSON.stringify([audience.kind, [...audience.roles].sort(), scopes && [...scopes].sort()])
}
