/** A service with items and fields that some callers may not see. */

import {
  anyone,
  choice,
  email,
  nobody,
  owner,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  text,
  where,
} from 'restwell'
import { maskPositions } from '../positions.ts'
import { basic, type Reply, serve } from '../service.ts'

const vault = service({
  title: 'Vault',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique().visibleTo(self, role('admin')),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      {
        access: { read: anyone, create: anyone, update: [self, role('admin')], delete: self },
      },
    ),
    papers: resource(
      {
        title: text().unique(),
        reach: choice(['public', 'private']).default('private'),
        author: ref('users').fromPrincipal(),
      },
      {
        access: {
          read: [where({ reach: 'public' }), owner('author')],
          create: signedIn,
          update: [owner('author'), where({ title: 'wiki' })],
          delete: [owner('author'), where({ title: 'wiki' })],
        },
      },
    ),
    diaries: resource(
      { title: text(), author: ref('users').fromPrincipal() },
      {
        access: {
          read: owner('author'),
          create: signedIn,
          update: owner('author'),
          delete: owner('author'),
        },
      },
    ),
    remarks: resource(
      { paper: ref('papers').optional(), author: ref('users').fromPrincipal() },
      { access: { read: owner('author'), create: signedIn, update: owner('author') } },
    ),
    untouchable: resource({ title: text() }, {}),
    readable: resource({ title: text() }, { access: { read: anyone, create: nobody } }),
    drops: resource({ title: text() }, { access: { create: anyone, update: anyone } }),
  },
})

export const ada = { email: 'ada@example.org', password: 'analytical' }

export const bob = { email: 'bob@example.org', password: 'bob builds' }

export const asAda = basic(ada.email, ada.password)

export const asBob = basic(bob.email, bob.password)

export const absentId = '019a0000-0000-7000-8000-000000000000'

export async function start() {
  const s = await serve(vault)
  const adaUri = (await s.request('POST /users', {}, ada)).fields.location as string
  const bobUri = (await s.request('POST /users', {}, bob)).fields.location as string
  const paper = (await s.request('POST /papers', asAda, { title: 'secret' })).fields.location as string
  const diary = (await s.request('POST /diaries', asAda, { title: 'dear' })).fields.location as string
  return { s, adaUri, bobUri, paper, diary }
}

/** All that a client can see of a response but the instance, Date and Request-Id. */
export function visiblePart({ status, fields, text: body }: Reply) {
  const { date: _, 'request-id': __, link, ...rest } = fields
  return {
    status,
    rest: { ...rest, link: maskPositions(String(link)) },
    body: body.replace(/urn:uuid:[0-9a-f-]{36}/, ''),
  }
}
