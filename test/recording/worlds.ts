/** The services of the recording, with their sample and callers. */

import assert from 'node:assert/strict'
import shop, { sample as shopSample } from '../../examples/shop.ts'
import tracker, { sample as trackerSample } from '../../examples/tracker/service.ts'
import { insertSample } from '../../src/service/first-start.ts'
import { admin, basic, serve, type TestOptions } from '../service.ts'
import { createPlayer, type Player } from './player.ts'

export const password = 'correct horse battery'

export interface World extends Player, AsyncDisposable {
  /** The id of an item that the service began with, by its place in the collection from 0. The first account is the admin. */
  id(collection: string, place?: number): string
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
  const service = await serve(definition, { rate: 1200, ...options })
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
  return Object.assign(player, {
    id: (collection: string, place = 0) => ids.get(collection)?.[place] ?? assert.fail(collection),
    async [Symbol.asyncDispose]() {
      player[Symbol.dispose]()
      await service[Symbol.asyncDispose]()
    },
  })
}

export const openShop = (options: TestOptions = {}) =>
  openWorld(shop, {
    ...options,
    sample: shopSample,
    callers: { member: 'grace@example.org', editor: 'ada@example.org' },
  })

export const openTracker = (options: TestOptions = {}) =>
  openWorld(tracker, {
    ...options,
    sample: trackerSample,
    callers: {
      viewer: 'vera@example.org',
      member: 'max@example.org',
      manager: 'mona@example.org',
      other: 'olga@example.org',
    },
  })
