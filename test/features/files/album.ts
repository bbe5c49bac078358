/** A definition with lists of files, for the tests of them. */

import assert from 'node:assert/strict'
import {
  anyone,
  choice,
  email,
  file,
  list,
  owner,
  password,
  ref,
  resource,
  role,
  service,
  signedIn,
  text,
} from '../../../src/index.ts'
import { serve } from '../../service.ts'

const access = { read: anyone, create: anyone, update: anyone, delete: anyone }

export const album = service({
  title: 'Album',
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
    tasks: resource(
      {
        title: text(),
        cover: file({ types: ['image/*'], max: '1 MB' }).optional(),
        photos: list(file({ types: ['image/*', 'text/plain'], max: '1 kB' }), { max: 4 }),
        secrets: list(file({ types: ['*/*'], max: '1 kB' }))
          .visibleTo(signedIn)
          .optional(),
        fixed: list(file({ types: ['*/*'], max: '1 kB' })).writableBy(signedIn),
      },
      { access, history: { keep: '1 year', read: anyone } },
    ),
    proofs: resource(
      { title: text(), scans: list(file({ types: ['*/*'], max: '1 kB' }), { min: 1 }) },
      { access },
    ),
    diaries: resource(
      {
        author: ref('users').fromPrincipal(),
        pages: list(file({ types: ['*/*'], max: '1 kB' })),
      },
      { access: { read: owner('author'), create: signedIn, update: owner('author') } },
    ),
  },
})

export const asText = { 'content-type': 'text/plain' }

/** The album with a task, and functions that add and list its photos. */
export async function serveTask() {
  const s = await serve(album)
  const task = String((await s.request('POST /tasks', {}, { title: 'A' })).fields.location)
  const add = async (content: string, name = `${content}.txt`): Promise<string> => {
    const fields = { ...asText, 'content-disposition': `attachment; filename="${name}"` }
    const added = await s.request(`POST ${task}/photos`, fields, content)
    assert.equal(added.status, 201, added.text)
    return String(added.fields.location)
  }
  const photos = async () => (await s.request(`GET ${task}`)).json.photos as { href: string; name: string }[]
  return { s, task, add, photos, [Symbol.asyncDispose]: () => s[Symbol.asyncDispose]() }
}
