/** The services of the recording, with their sample and callers. */

import assert from 'node:assert/strict'
import shop, { sample as shopSample } from '../../examples/shop.ts'
import tracker, { sample as trackerSample } from '../../examples/tracker/service.ts'
import { insertSample } from '../../src/service/first-start.ts'
import { jwksServer } from '../access/jwt-issuer.ts'
import { admin, basic, serve, type TestOptions } from '../service.ts'
import { defineStudio, town } from './definitions.ts'
import { createPlayer, type Player } from './player.ts'

export const password = 'correct horse battery'

/** Requests for each minute and caller, as in production. */
const rate = 1200

export interface World extends Player, AsyncDisposable {
  /** The id of an item that the service began with, by its place in the collection from 0. The first account is the admin. */
  id(collection: string, place?: number): string
  close(): Promise<void>
}

interface WorldOptions extends TestOptions {
  /** By name: the login of the caller. Each gets a token. */
  readonly callers?: Readonly<Record<string, string>>
  readonly sample?: Parameters<typeof insertSample>[2]
}

/** A service with the callers `admin` (a token), `password` (the password of the admin), and those named. */
export async function openWorld(
  definition: unknown,
  { callers = {}, sample = {}, ...options }: WorldOptions,
) {
  const service = await serve(definition, options)
  const { model, store } = service.service
  await insertSample(model, store, sample)
  const player = createPlayer(service)
  const base = model.base ?? ''
  player.addCaller('password', admin)
  const addToken = async (name: string, fields: Readonly<Record<string, string>>) => {
    const created = await service.request(`POST ${base}/tokens`, fields, { name })
    assert.equal(created.status, 201, created.text)
    player.symbols.name(created.json.token, `token of ${name}`)
    player.addCaller(name, { authorization: `Bearer ${created.json.token}` })
  }
  const ids = new Map<string, string[]>()
  for (const { table, identity } of await store.readChanges(0, 1000)) {
    ids.set(table, [...(ids.get(table) ?? []), identity])
  }
  if (model.accounts) {
    await addToken('admin', admin)
    const accounts = `${base}/${model.accounts.resource.name}`
    const all = (await service.request(`GET ${accounts}`, admin)).json as { id: string; email: string }[]
    for (const [name, login] of Object.entries(callers)) {
      const { id } = all.find(({ email }) => email === login) ?? assert.fail(login)
      const set = await service.request(`PATCH ${accounts}/${id}`, admin, { password })
      assert.equal(set.status, 200, set.text)
      await addToken(name, basic(login, password))
    }
  }
  const close = async () => {
    player[Symbol.dispose]()
    await service[Symbol.asyncDispose]()
  }
  return Object.assign(player, {
    close,
    [Symbol.asyncDispose]: close,
    id: (collection: string, place = 0) => ids.get(collection)?.[place] ?? assert.fail(collection),
  })
}

export const openShop = (options: TestOptions = {}) =>
  openWorld(shop, {
    rate,
    ...options,
    sample: shopSample,
    callers: { member: 'grace@example.org', editor: 'ada@example.org' },
  })

export const openTracker = (options: TestOptions = {}) =>
  openWorld(tracker, {
    rate,
    ...options,
    sample: trackerSample,
    callers: {
      viewer: 'vera@example.org',
      member: 'max@example.org',
      manager: 'mona@example.org',
      other: 'olga@example.org',
    },
  })

/** Ann and Bob have no roles, Olga must have a second factor and has none. */
const studioSample = {
  people: [
    { email: 'ann@example.org', name: 'Ann' },
    { email: 'bob@example.org', name: 'Bob' },
    { email: 'olga@example.org', name: 'Olga', role: 'auditor' },
  ],
  parts: [{ label: 'Wheel' }, { label: 'Axle' }],
  things: [{ code: 'AB1', name: 'First', size: 2, tags: ['a'], data: { a: 1 } }],
  drawings: [{ title: 'A wheel', first: 'Ann', last: 'Lee', due: '2026-12-01', part: 0 }],
}

/** Without a limit of the rate: how often a section asks for the end of a job depends on the machine. */
export async function openStudio(options: TestOptions = {}): Promise<World> {
  const issuer = await jwksServer()
  const world = await openWorld(defineStudio(issuer.uri), {
    ...options,
    mail: 'page',
    sample: studioSample,
    callers: { ann: 'ann@example.org', bob: 'bob@example.org' },
  })
  world.symbols.nameText(new URL(issuer.uri).origin, 'issuer')
  return Object.assign(world, {
    async [Symbol.asyncDispose]() {
      await world.close()
      await issuer[Symbol.asyncDispose]()
    },
  })
}

export const openTown = (options: TestOptions = {}) =>
  openWorld(town, { rate, ...options, sample: { events: [{ title: 'Fair' }], places: [{ name: 'Square' }] } })
