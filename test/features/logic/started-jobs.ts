/** A service with a background action, and its jobs. */

import assert from 'node:assert/strict'
import { eventually } from '../../eventually.ts'
import {
  admin,
  adminPassword,
  basic,
  type Reply,
  serve,
  type TestOptions,
  type TestService,
} from '../../service.ts'
import imports, { behaviour } from './fixtures/imports.ts'

export const day = 86_400_000
export const [ada, bob] = [basic('ada@example.org', adminPassword), basic('bob@example.org', adminPassword)]
export type Fields = Record<string, string>

export async function open(options: TestOptions = {}): Promise<TestService> {
  const s = await serve(imports, options)
  for (const email of ['ada@example.org', 'bob@example.org']) {
    const made = await s.request('POST /users', admin, { email, password: adminPassword })
    assert.ok(made.status === 201 || made.status === 409, made.text)
  }
  return s
}

/** The job when it has ended, or when the condition holds. */
export function jobWhen(
  s: TestService,
  uri: string,
  holds = ({ json }: Reply) => json.endedAt !== undefined,
  fields: Fields = admin,
): Promise<Reply> {
  return eventually(async () => {
    const reply = await s.request(`GET ${uri}`, fields)
    assert.equal(reply.status, 200, reply.text)
    return holds(reply) && reply
  })
}

export async function start(s: TestService, body: object, fields: Fields = ada): Promise<Reply> {
  const reply = await s.request('POST /notes/import', fields, body)
  assert.equal(reply.status, 202, reply.text)
  return reply
}

export const uriOf = ({ fields }: Reply) => String(fields.location)

/** Starts `test` with this code; returns the URI of its job. */
export async function startWith(
  s: TestService,
  run: typeof behaviour.run,
  fields: Fields = ada,
): Promise<string> {
  behaviour.run = run
  const reply = await s.request('POST /notes/test', fields)
  assert.equal(reply.status, 202, reply.text)
  return uriOf(reply)
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
