/** An authenticator app and a browser for tests of second factors. */

import assert from 'node:assert/strict'
import { totpCode, totpStep } from '../../../src/access/totp.ts'
import type { Reply, TestService } from '../../service.ts'

export const browser = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
export const form = { ...browser, 'content-type': 'application/x-www-form-urlencoded' }

/** The cookies that a reply sets, for the next request; those that it deletes are left out. */
export function cookiesOf({ fields }: Reply): { readonly cookie: string } {
  const lines = (fields['set-cookie'] ?? []).filter((line) => !line.includes('Max-Age=0'))
  return { cookie: lines.map((line) => line.split(';')[0]).join('; ') }
}

export function post(s: TestService, uri: string, values: Readonly<Record<string, string>>, more = {}) {
  return s.request(`POST ${uri}`, { ...form, ...more }, new URLSearchParams(values).toString())
}

/** Signs in with the password only. */
export async function signInWithPassword(s: TestService, login: string, password: string) {
  const reply = await post(s, '/sign-in', { login, password })
  assert.equal(reply.status, 303, reply.text)
  return { reply, ...cookiesOf(reply) }
}

const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function parseBase32(text: string): Buffer {
  const bits = [...text].map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)))
}

export interface Authenticator {
  readonly uri: string
  readonly recoveryCodes: readonly string[]
  /** The code of the step that is so many steps after the present one of the service. */
  code(ahead?: number): string
}

/** Registers an authenticator for the account at the URI, and confirms it with the code of the previous step. */
export async function registerAuthenticator(
  s: Pick<TestService, 'request'>,
  account: string,
  credentials: Readonly<Record<string, string>>,
  now: () => number,
): Promise<Authenticator> {
  const made = await s.request(`POST ${account}/credentials`, credentials, { kind: 'totp' })
  assert.equal(made.status, 201, made.text)
  const uri = String(made.fields.location)
  const key = parseBase32(made.json.secret)
  const code = (ahead = 0) => totpCode(key, totpStep(now()) + ahead)
  const confirmed = await s.request(`POST ${uri}/confirm`, credentials, { code: code(-1) })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { uri, recoveryCodes: confirmed.json.recoveryCodes ?? [], code }
}
