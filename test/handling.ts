/** A service without a socket, for tests with many requests. */

import { randomUUIDv7 } from 'node:crypto'
import type { Body, HttpRequest } from '../src/http/message.ts'
import type { Observation } from '../src/observation.ts'
import { checkDefinition } from '../src/service/check-definition.ts'
import { createFirstAccount } from '../src/service/first-start.ts'
import { createService, type RunningService } from '../src/service/service.ts'
import type { CreateServiceOptions } from '../src/service/service-options.ts'
import { schemaOf } from '../src/store/schema/model-schema.ts'
import { openTestStore } from './database.ts'
import { cheapPasswords } from './password-cost.ts'
import { adminLogin, adminPassword } from './service.ts'

export interface Handled {
  readonly status: number
  readonly fields: Readonly<Record<string, string | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
  readonly json: any
}

export interface Handling extends AsyncDisposable {
  readonly service: RunningService
  readonly observations: readonly Observation[]
  handle(line: string, fields?: Readonly<Record<string, string>>, body?: unknown): Promise<Handled>
}

export interface HandlingOptions {
  readonly statementLimit?: number
  readonly overload?: CreateServiceOptions['overload']
  /** The variables that the definition names. */
  readonly variables?: Readonly<Record<string, string>>
  readonly limits?: NonNullable<CreateServiceOptions['limits']>
}

export async function handling(
  definition: unknown,
  { overload = 'off', limits = {}, variables = {}, ...options }: HandlingOptions = {},
): Promise<Handling> {
  const model = checkDefinition(definition)
  const observations: Observation[] = []
  const notice = (observation: Observation) => void observations.push(observation)
  const schema = schemaOf(model)
  const store = await openTestStore(schema, { notice, ...options })
  const passwordCost = cheapPasswords
  await createFirstAccount(model, store, { login: adminLogin, password: adminPassword, passwordCost })
  const service = await createService({
    model,
    store,
    observe: notice,
    rate: 'off',
    passwordCost,
    overload,
    limits,
    variables: new Map(Object.entries(variables)),
    // A folder for the files of a temporary database.
    files: { database: 'file::memory:' },
  })
  return {
    service,
    observations,
    async handle(line, fields = {}, body) {
      const { status, fields: sent, body: octets = '' } = await service.handle(requestOf(line, fields, body))
      const text = await textOf(octets)
      const lower = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), String(value)])
      return {
        status,
        fields: Object.fromEntries(lower),
        text,
        get json() {
          return JSON.parse(text)
        },
      }
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

function requestOf(line: string, fields: Readonly<Record<string, string>>, body: unknown): HttpRequest {
  const space = line.indexOf(' ')
  const octets = body === undefined ? undefined : octetsOf(body)
  const type = octets && !fields['content-type'] ? { 'content-type': 'application/json' } : {}
  return {
    id: randomUUIDv7(),
    method: line.slice(0, space),
    target: line.slice(space + 1),
    fields: { ...fields, ...type },
    content: {
      present: octets !== undefined,
      length: octets?.length ?? 0,
      read: async () => octets ?? new Uint8Array(),
      async *stream() {
        if (octets) yield octets
      },
    },
    client: { address: '127.0.0.1', secure: false },
  }
}

function octetsOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Returns the target of the link with that relation, or undefined. */
export function linkOf({ fields }: Pick<Handled, 'fields'>, rel: string): string | undefined {
  return new RegExp(`<([^>]*)>; rel="${rel}"`).exec(fields.link ?? '')?.[1]
}

async function textOf(body: Body): Promise<string> {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  let text = ''
  for await (const part of body) text += typeof part === 'string' ? part : Buffer.from(part)
  return text
}
