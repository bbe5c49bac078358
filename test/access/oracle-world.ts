/** A service with the rules of a random case, and its records. */

import type { Model, ResourceModel } from '../../src/definition/model.ts'
import {
  anyone,
  avg,
  boolean,
  choice,
  count,
  decimal,
  email,
  integer,
  list,
  min,
  password,
  ref,
  refs,
  resource,
  service,
  sum,
  text,
  where,
} from '../../src/index.ts'
import { createService, type RunningService } from '../../src/service/service.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import { openTestStore } from '../database.ts'
import { cheapPasswords } from '../password-cost.ts'
import { callers, fixed, type Item, type NaiveRecord, type Rules, targets } from './naive-rules.ts'
import { collections } from './random-rules.ts'
import { change, insert, tokenFor, uuid } from './rows.ts'

const statusField = choice(['x', 'y', 'z']).optional()

export function definitionOf(rules: readonly Rules[]) {
  const users = resource(
    {
      email: email().unique(),
      password: password(),
      roles: list(choice(['a', 'b', 'c', 'admin']))
        .default([])
        .readOnly(),
      group: ref('groups', { inverse: 'people' }).optional(),
      note: text().optional(),
      status: statusField,
    },
    { access: { read: anyone } },
  )
  const groups = resource(
    { lead: ref('users', { inverse: 'leads' }).optional(), status: statusField },
    { access: { read: anyone }, derived: Object.fromEntries(rules.flatMap((_, at) => derivedOf(at))) },
  )
  const memberships = resource({
    user: ref('users', { inverse: 'joined' }).optional(),
    group: ref('groups', { inverse: 'memberships' }).optional(),
    status: statusField,
  })
  const items = rules.map(({ sight, writing, ...access }, at) =>
    resource(
      {
        title: text(),
        status: choice(['x', 'y', 'z']).optional(),
        flag: boolean().optional(),
        group: ref('groups', { inverse: `c${at}` }).optional(),
        // The same group again, under the rules of a field.
        place: ref('groups', { inverse: `p${at}` })
          .optional()
          .visibleTo(sight)
          .writableBy(writing),
        author: ref('users').optional().fromPrincipal(),
        secret: text().optional().visibleTo(sight).writableBy(writing),
        size: integer().optional(),
        weight: decimal({ scale: 2 }).optional().visibleTo(sight),
      },
      { access },
    ),
  )
  const links = resource(
    Object.fromEntries(rules.map((_, at) => [`c${at}`, ref(`c${at}`, { onDelete: 'clear' }).optional()])),
    { access: { read: anyone } },
  )
  const sets = resource(Object.fromEntries(rules.map((_, at) => [`s${at}`, refs(`c${at}`)])), {
    access: { read: anyone, update: anyone },
  })
  return service({
    title: 'Oracle',
    accounts: { resource: 'users', login: 'email', password: 'password', roles: 'roles' },
    resources: {
      users,
      groups,
      memberships,
      ...Object.fromEntries(items.map((one, at) => [`c${at}`, one])),
      links,
      sets,
    },
  })
}

/** The derived fields of groups over the items of a collection, by both of their references. */
export function derivedOf(at: number) {
  return [
    [`n${at}`, count(`c${at}`)],
    [`x${at}`, count(`c${at}`, where({ status: 'x' }))],
    [`s${at}`, sum(`c${at}`, 'size')],
    [`w${at}`, sum(`c${at}`, 'weight')],
    [`m${at}`, min(`p${at}`, 'size')],
    [`v${at}`, avg(`p${at}`, 'weight')],
  ] as const
}

export interface World extends AsyncDisposable {
  readonly service: RunningService
  /** By caller. */
  readonly fields: readonly Readonly<Record<string, string>>[]
}

export async function worldOf(model: Model, items: readonly Item[], records = fixed): Promise<World> {
  const store = await openTestStore(schemaOf(model))
  const of = (name: string) => model.resources.get(name) as ResourceModel
  for (const { account, roles } of callers) {
    if (account === undefined) continue
    await insert(store, of('users'), account, {
      email: `u${account}@example.org`,
      password: 'x',
      roles: [...roles],
    })
  }
  for (const [name, some] of Object.entries(records)) {
    for (const { id, ...values } of some) {
      const put = name === 'users' ? change : insert
      await put(store, of(name), Number(id), Object.fromEntries(Object.entries(values).map(asStored)))
    }
  }
  for (const resource of [...model.resources.values()].filter(({ name }) => /^c\d/.test(name))) {
    for (const { number, author, group, ...values } of items) {
      const place = group && uuid(group)
      const references = { author: author && uuid(author), group: place, place }
      const numbers = { size: sizeOf(number), weight: weightOf(number) }
      await insert(store, resource, number, { title: 't', secret: 's', ...numbers, ...values, ...references })
    }
  }
  for (const { number } of items) {
    const of = Array.from({ length: collections }, (_, at) => [`c${at}`, uuid(number)])
    await insert(store, model.resources.get('links') as ResourceModel, linkOf(number), Object.fromEntries(of))
  }
  for (const [index, { number }] of items.entries()) {
    const members = items.slice(0, index + 1).map((item) => uuid(item.number))
    const of = Array.from({ length: collections }, (_, at) => [`s${at}`, members])
    await insert(store, model.resources.get('sets') as ResourceModel, setOf(number), Object.fromEntries(of))
  }
  await insert(store, model.resources.get('sets') as ResourceModel, emptySet, {})
  const fields = await Promise.all(
    callers.map(async ({ account }) =>
      account === undefined ? {} : { authorization: await tokenFor(store, model, account) },
    ),
  )
  const notice = (observation: { readonly kind: string }) => {
    if (observation.kind === 'bug') throw new Error('A bug', { cause: observation })
  }
  const service = await createService({
    model,
    store,
    observe: notice,
    rate: 'off',
    overload: 'off',
    passwordCost: cheapPasswords,
  })
  return { service, fields, [Symbol.asyncDispose]: () => service.close() }
}

/** References of the naive model are numbers. */
function asStored([name, value]: [string, NaiveRecord[string]]): [string, NaiveRecord[string]] {
  return [name, name in targets && value !== undefined ? uuid(Number(value)) : value]
}

/** The number of the link to an item. */
export function linkOf(number: number): number {
  return number + 100
}

/** The numbers of an item. */
export const sizeOf = (number: number) => number - 101
export const weightOf = (number: number) => `0.${number - 90}`

/** The number of the row whose sets have the first items up to this one. */
export function setOf(number: number): number {
  return number + 200
}

export const emptySet = 999
