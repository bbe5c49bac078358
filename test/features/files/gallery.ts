/** A definition with files, and files of each kind, for the tests of this folder. */

import { createHash } from 'node:crypto'
import {
  anyone,
  choice,
  email,
  file,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
} from 'restwell'
// Types only: processes that serve this definition need not load the tests.
import type { SendRequest } from '../../service.ts'

export const gallery = service({
  title: 'Gallery',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: role('admin'), create: anyone, update: role('admin') } },
    ),
    pictures: resource(
      {
        title: text(),
        image: file({ types: ['image/*', 'application/pdf', 'text/*', 'audio/*'], max: '2 MB' }).optional(),
        original: file({ types: ['*/*'], max: '100 MB' })
          .visibleTo(role('admin'))
          .optional(),
        locked: file({ types: ['image/png'], max: '1 kB' })
          .writableBy(role('admin'))
          .optional(),
      },
      {
        access: { read: anyone, create: anyone, update: anyone, delete: anyone },
        history: { keep: '1 year', read: anyone },
      },
    ),
    diaries: resource(
      {
        title: text(),
        author: ref('users').fromPrincipal(),
        scan: file({ types: ['*/*'], max: '1 MB' }).optional(),
      },
      {
        access: {
          read: owner('author'),
          create: signedIn,
          update: owner('author'),
          delete: owner('author'),
        },
      },
    ),
  },
})

export const png = Buffer.concat([
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  Buffer.from('0123456789'.repeat(10)),
])

export const asPng = { 'content-type': 'image/png' }

export function digestOf(octets: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(octets).digest('base64')}:`
}

/** A new picture; returns its URI. */
export async function newPicture(request: SendRequest, body: object = { title: 'A' }): Promise<string> {
  return String((await request('POST /pictures', {}, body)).fields.location)
}

/** A new account; returns its Authorization field. */
export async function newAccount(request: SendRequest, name: string) {
  const account = { email: `${name}@example.org`, password: 'correct horse battery' }
  await request('POST /users', {}, account)
  return { authorization: `Basic ${btoa(`${account.email}:${account.password}`)}` }
}

export default gallery
