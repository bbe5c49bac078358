/** One of two services that a non-interference test compares, on a copy of a database. */

import crypto from 'node:crypto'
import { cpSync, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import type { Model } from '../../src/definition/model.ts'
import { createService, type RunningService } from '../../src/service/service.ts'
import { openStore } from '../../src/store/open-store.ts'
import { schemaOf } from '../../src/store/schema/model-schema.ts'
import type { Store } from '../../src/store/store.ts'
import { cheapPasswords } from '../password-cost.ts'
import { maskPositions, maskSecrets, positionsIn, replaceVersions } from '../positions.ts'
import { type DirectResponse, handleDirectly } from './direct.ts'
import type { NamedDatabases } from './named-databases.ts'
import type { Step } from './repertoire/step.ts'
import { uuid } from './rows.ts'

export interface Side extends AsyncDisposable {
  ask(step: Step): Promise<DirectResponse>
  /** Changes what is stored, without a request. */
  change(work: (store: Store, at: string) => Promise<void>): Promise<void>
}

export interface SideOptions {
  readonly model: Model
  readonly databases: NamedDatabases
  /** Has the folders of files. */
  readonly folder: string
  /** The database to copy. */
  readonly name: string
  /** Distinguishes the copies. */
  readonly run: number
}

/** Earlier responses that a request can depend on. */
const remembered = 200

/** Names tokens in the order in which they come, so that two sides can be compared by which are the same. */
function createNaming(kind: string): (token: string) => string {
  const names = new Map<string, string>()
  return (token) => {
    const name = names.get(token) ?? `(${kind} ${names.size + 1})`
    names.set(token, name)
    return name
  }
}

/**
 * Without what must differ: the secrets of new tokens and webhooks, encrypted positions and versions, and
 * the time to connect again. A version is encrypted, so only which versions are the same can be seen.
 */
function createMask(): (response: DirectResponse) => DirectResponse {
  const [versionName, tagName] = [createNaming('version'), createNaming('tag')]
  const mask = (one: string) =>
    replaceVersions(maskPositions(maskSecrets(one)), versionName).replaceAll(/^retry: \d{4}$/gm, 'retry')
  return ({ status, fields, text }) => {
    const maskedFields = Object.entries(fields).map(
      ([name, value]) => [name, typeof value === 'string' ? mask(value) : value] as const,
    )
    const masked = Object.fromEntries(maskedFields)
    // The entity tag of a content with a position, such as that of its own URI, differs too.
    if (positionsIn(text).length > 0 && fields.ETag !== undefined) masked.ETag = '(tag)'
    // So does that of a content with a version, or of one that was not sent.
    else if (text === '' || mask(text).includes('(version ')) {
      if (fields.ETag !== undefined) masked.ETag = tagName(String(fields.ETag))
    }
    return { status, fields: masked, text: mask(text) }
  }
}

/** Serves a copy of the database with a clock and identities of its own. */
export async function openSide({ model, databases, folder, name, run }: SideOptions): Promise<Side> {
  const copy = `${name}-${run}`
  await databases.copy(name, copy)
  const database = databases.urlOf(copy)
  const files = (of: string) => join(folder, `${of}-files`)
  if (existsSync(files(name))) cpSync(files(name), files(copy), { recursive: true })
  const { store, isReading } = watchReading(await openStore(database, schemaOf(model), () => {}))
  let clock = Date.parse('2026-11-15T12:00:00Z')
  const service: RunningService = await createService({
    model,
    store,
    observe: () => undefined,
    clock: { now: () => clock },
    rate: 100,
    overload: 'off',
    passwordCost: cheapPasswords,
    // What is sent would depend on the time.
    webhooks: 'off',
    files: { url: `file:${files(copy)}`, database },
  })
  const responses: DirectResponse[] = []
  const masked = createMask()
  let created = 5000
  return {
    async ask(step) {
      const { randomUUIDv7, randomUUID } = crypto
      const next = () => uuid(created++) as ReturnType<typeof randomUUID>
      Object.assign(crypto, { randomUUIDv7: next, randomUUID: next })
      syncBuiltinESMExports()
      try {
        clock += 1000
        await databases.settled(copy)
        const response = await handleDirectly(service, step(responses), isReading)
        responses.unshift(response)
        responses.splice(remembered)
        return masked(response)
      } finally {
        Object.assign(crypto, { randomUUIDv7, randomUUID })
        syncBuiltinESMExports()
      }
    },
    change: (work) => work(store, new Date(clock + 500).toISOString()),
    async [Symbol.asyncDispose]() {
      await service.close()
      await databases.remove(copy)
      await rm(files(copy), { force: true, recursive: true })
    },
  }
}

/** The store, and whether one of its methods has not ended. Slow statements run on a thread of their own. */
function watchReading(opened: Store): { readonly store: Store; readonly isReading: () => boolean } {
  let reading = 0
  const store = new Proxy(opened, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...values: readonly unknown[]) => {
        const result: unknown = Reflect.apply(member, target, values)
        if (!(result instanceof Promise)) return result
        reading += 1
        return result.finally(() => {
          reading -= 1
        })
      }
    },
  })
  return { store, isReading: () => reading > 0 }
}
