/**
 * Computes naively what a caller is permitted, from the rules and the present rows, without the
 * conditions and the SQL of the service.
 */

import {
  type AccountsModel,
  type FieldModel,
  IDENTITY,
  type Model,
  type ResourceModel,
} from '../../src/definition/model.ts'
import { isNow } from '../../src/definition/now.ts'
import type { Rule } from '../../src/definition/rule.ts'
import type { TransitionModel } from '../../src/definition/state-model.ts'
import { always } from '../../src/store/condition.ts'
import type { Row } from '../../src/store/row.ts'
import type { Store } from '../../src/store/store.ts'

export interface Caller {
  /** Undefined: anonymous. */
  readonly identity: string | undefined
  readonly roles: readonly string[]
}

export interface Permitted {
  /** URIs of items that the caller may read. */
  readonly items: ReadonlySet<string>
  /** `URI name`, for each action on an item or a collection. */
  readonly actions: ReadonlySet<string>
  /** URIs of the collections that it may list. */
  readonly collections: ReadonlySet<string>
}

export type Tables = ReadonlyMap<ResourceModel, readonly Row[]>

export async function tablesOf(model: Model, store: Store): Promise<Tables> {
  const tables = new Map<ResourceModel, readonly Row[]>()
  for (const resource of model.resources.values()) {
    const order = [{ column: '_identity', descending: false }]
    const question = { table: resource.name, condition: always, order, after: undefined }
    tables.set(resource, await store.list({ ...question, limit: 100_000, evaluated: [] }))
  }
  return tables
}

export function permittedTo(caller: Caller, model: Model, tables: Tables): Permitted {
  const items = new Set<string>()
  const actions = new Set<string>()
  const collections = new Set<string>()
  for (const [resource, rows] of tables) {
    const uri = `/${resource.name}`
    const listed = resource.collectionMethods.has('GET') && couldEver(resource.access.read, caller)
    if (listed) collections.add(uri)
    const creatable = resource.collectionMethods.has('POST') && mayCreate(resource, caller)
    const signsUp = caller.identity === undefined && resource === model.accounts?.resource
    if (creatable && listed) actions.add(`${uri} default`)
    if (creatable && (signsUp || !listed)) {
      actions.add(`/ ${signsUp ? 'sign-up' : `create-${resource.name}`}`)
    }
    for (const row of rows) {
      if (!listed || !holds(resource.access.read, { caller, resource, row })) continue
      const at = `${uri}/${encodeURIComponent(String(row[resource.keyField?.index ?? IDENTITY]))}`
      items.add(at)
      for (const name of actionsOn({ caller, resource, row }, tables, model)) actions.add(`${at} ${name}`)
    }
  }
  return { items, actions, collections }
}

interface Case {
  readonly caller: Caller
  readonly resource: ResourceModel
  readonly row: Row
}

function actionsOn(one: Case, tables: Tables, { accounts }: Model): readonly string[] {
  const { access, itemMethods } = one.resource
  const updates = holds(access.update, one)
  const isKept = isHeld(one, tables) || (accounts !== undefined && isLastAdmin(one, tables, accounts))
  const removes = holds(access.delete, one) && itemMethods.has('DELETE') && !isKept
  return [
    ...(updates && (itemMethods.has('PUT') || itemMethods.has('PATCH')) ? ['default'] : []),
    ...(removes ? ['delete'] : []),
    ...(updates ? transitionsOf(one) : []),
    ...(updates && one.resource.traits.name === 'webhooks' ? webhookOperations(one) : []),
  ]
}

/** A test is sent to an active webhook only. */
function webhookOperations({ resource, row }: Case): readonly string[] {
  const active = resource.fieldByName.get('active')
  return active && row[active.index] === 1 ? ['ping', 'rotate'] : ['rotate']
}

/** Whether no other account could act as an administrator. */
function isLastAdmin({ resource, row }: Case, tables: Tables, accounts: AccountsModel): boolean {
  const { roles, disabled, adminRole } = accounts
  if (resource !== accounts.resource || !roles) return false
  const isAdmin = (one: Row) => String(one[roles.index]).includes(adminRole) && one[disabled.index] !== 1
  return isAdmin(row) && tables.get(resource)?.filter(isAdmin).length === 1
}

function transitionsOf(one: Case): readonly string[] {
  const { resource, row } = one
  if (!resource.itemMethods.has('PATCH') && !resource.itemMethods.has('PUT')) return []
  const states = resource.fields.filter((field) => field.state && mayWrite(field, one))
  return states.flatMap((field) => {
    const open = (field.state?.transitions ?? []).filter(
      (way) => way.from.includes(String(row[field.index])) && isOpen(way, field, one),
    )
    return open.map(({ name }) => name)
  })
}

function isOpen(way: TransitionModel, field: FieldModel, one: Case): boolean {
  const { resource, row } = one
  if (way.by && !holds(way.by, one)) return false
  const present = way.requires.every((name) => {
    const required = resource.fieldByName.get(name) as FieldModel
    return row[required.index] !== null || (!required.immutable && mayWrite(required, one))
  })
  const after = [...row]
  after[field.index] = way.to
  for (const [name, value] of way.sets) {
    const set = resource.fieldByName.get(name) as FieldModel
    if (value === null) after[set.index] = null
    else if (!isNow(value)) after[set.index] = set.encode(value)
  }
  return present && holds(resource.access.update, { ...one, row: after })
}

function mayWrite(field: FieldModel, one: Case): boolean {
  if (field.readOnly || field.fromPrincipal) return false
  return field.writableBy === undefined || holds(field.writableBy, one)
}

/** The definitions of these tests cascade only by one step. */
function isHeld({ resource, row }: Case, tables: Tables): boolean {
  return resource.referencedBy.some((reference) => {
    const others = tables.get(reference.resource) ?? []
    const referring = others.filter((other) => other[reference.field.index] === row[IDENTITY])
    const { onDelete } = reference.field.ref ?? {}
    if (onDelete === 'restrict') return referring.some((other) => other !== row)
    return false
  })
}

/** A new item has no identity that anyone could have yet, and begins in its initial state. */
function mayCreate(resource: ResourceModel, caller: Caller): boolean {
  const row: (string | number | null)[] = ['new', 1, '', '']
  for (const field of resource.fields) {
    const value = field.state?.initial ?? null
    row.push(field.fromPrincipal ? (caller.identity ?? null) : value)
  }
  return holds(resource.access.create, { caller, resource, row }, 'creating')
}

function holds(rule: Rule, one: Case, creating?: 'creating'): boolean {
  const { caller, resource, row } = one
  switch (rule.kind) {
    case 'anyone':
      return true
    case 'nobody':
      return false
    case 'signed-in':
      return caller.identity !== undefined
    case 'self':
      return caller.identity !== undefined && row[IDENTITY] === caller.identity
    case 'owner': {
      const [name = '', ...rest] = rule.path
      if (rest.length > 0) throw new Error('These tests own by one step')
      const owner = row[resource.fieldByName.get(name)?.index ?? -1]
      return caller.identity !== undefined && owner === caller.identity
    }
    case 'role':
      return rule.roles.some((role) => caller.roles.includes(role))
    case 'where':
      return Object.entries(rule.fields).every(([name, wanted]) => {
        const field = resource.fieldByName.get(name) as FieldModel
        // A caller that creates an item can set a writable field to the required value.
        if (creating && !field.state && mayWrite(field, one)) return true
        const values = [wanted].flat().map((value) => String(field.encode(value as string)))
        return row[field.index] !== null && values.includes(String(row[field.index]))
      })
    case 'exists':
      throw new Error('The rules of these tests look into no other collection')
    case 'any':
      return rule.of.some((inner) => holds(inner, one, creating))
    case 'all':
      return rule.of.every((inner) => holds(inner, one, creating))
    case 'not':
      return !holds(rule.of, one, creating)
  }
}

/** Whether some record could let the caller pass. */
function couldEver(rule: Rule, caller: Caller): boolean {
  switch (rule.kind) {
    case 'any':
      return rule.of.some((inner) => couldEver(inner, caller))
    case 'all':
      return rule.of.every((inner) => couldEver(inner, caller))
    case 'where':
      return true
    case 'self':
    case 'owner':
    case 'signed-in':
      return caller.identity !== undefined
    case 'role':
      return rule.roles.some((role) => caller.roles.includes(role))
    case 'not':
      return true
    default:
      return rule.kind === 'anyone'
  }
}
