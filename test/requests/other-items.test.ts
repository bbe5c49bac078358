/** RFC 9110 §8.8.2, §12.5.5 and RFC 9111: representations that other items, rights and the page change. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  anyone,
  caller,
  choice,
  email,
  exists,
  its,
  password,
  ref,
  resource,
  role,
  self,
  service,
  signedIn,
  state,
  text,
} from 'restwell'
import { type Handling, handling } from '../handling.ts'
import { admin } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const definition = service({
  title: 'Projects',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique().visibleTo(self),
        password: password(),
        role: choice(['member', 'admin']).default('member').writableBy(role('admin')),
      },
      { access: { read: anyone, create: anyone, update: self } },
    ),
    teams: resource({ slug: text(), name: text().optional() }, { key: 'slug', access: open }),
    members: resource({ team: ref('teams'), person: ref('users') }, { access: open }),
    projects: resource(
      {
        title: text(),
        team: ref('teams').optional(),
        budget: text()
          .optional()
          .visibleTo(exists('members', { team: its('team'), person: caller })),
      },
      { access: open },
    ),
    tasks: resource({ title: text(), project: ref('projects', { inverse: 'tasks' }) }, { access: open }),
    // All access is open, but a member and an action are not.
    pages: resource(
      {
        title: text(),
        locked: text().optional().writableBy(role('admin')),
        status: state({
          initial: 'draft',
          transitions: { publish: { from: 'draft', to: 'shown', by: role('admin') } },
        }),
      },
      { access: open, cache: { maxAge: 60 } },
    ),
    secrets: resource({ name: text() }, { access: { read: signedIn, create: anyone } }),
    remarks: resource({ title: text(), about: ref('secrets') }, { access: open, cache: { maxAge: 60 } }),
  },
})

let s: Handling
before(async () => {
  s = await handling(definition)
})
after(() => s[Symbol.asyncDispose]())

async function create(uri: string, body: object): Promise<string> {
  const created = await s.handle(`POST ${uri}`, admin, body)
  assert.equal(created.status, 201, created.text)
  return created.fields.location ?? ''
}

const idOf = (uri: string) => uri.slice(uri.lastIndexOf('/') + 1)
const later = { 'if-modified-since': new Date(Date.now() + 86_400_000).toUTCString() }

describe('Last-Modified', () => {
  it('is sent where only changes of the item change the representation', async () => {
    const team = await create('/teams', { slug: 'alpha' })
    for (const uri of [team, `${team}?format=xml`]) {
      assert.ok((await s.handle(`GET ${uri}`)).fields['last-modified'], uri)
      assert.equal((await s.handle(`GET ${uri}`, later)).status, 304, uri)
    }
  })

  it('is not sent where a reference shows a key, which can change without the item', async () => {
    await create('/teams', { slug: 'bravo' })
    const project = await create('/projects', { title: 'P', team: 'bravo' })
    const shown = await s.handle(`GET ${project}`)
    assert.equal(shown.json.team, 'bravo')
    assert.equal(shown.fields['last-modified'], undefined)
    assert.equal((await s.handle('PATCH /teams/bravo', {}, { slug: 'bravissimo' })).status, 200)
    const again = await s.handle(`GET ${project}`, later)
    assert.equal(again.status, 200)
    assert.equal(again.json.team, 'bravissimo')
  })

  it('is not sent where a record elsewhere decides which fields the caller sees', async () => {
    const uri = await create('/projects', { title: 'Q' })
    const { fields } = await s.handle(`GET ${uri}`)
    assert.equal(fields['last-modified'], undefined)
    assert.equal((await s.handle(`GET ${uri}`, later)).status, 200)
  })

  it('is not sent with pages and links, which show other items', async () => {
    const team = await create('/teams', { slug: 'charlie' })
    for (const format of ['html', 'hal', 'hal-forms']) {
      const target = `${team}?format=${format}`
      assert.equal((await s.handle(`GET ${target}`)).fields['last-modified'], undefined, target)
      assert.equal((await s.handle(`GET ${target}`, later)).status, 200, target)
    }
  })

  it('a write is still conditional on the date of the item (§13.1.4)', async () => {
    const uri = await create('/projects', { title: 'R' })
    const earlier = { 'if-unmodified-since': new Date(Date.now() - 3_600_000).toUTCString() }
    assert.equal((await s.handle(`PATCH ${uri}`, earlier, { title: 'S' })).status, 412)
    const now = { 'if-unmodified-since': new Date(Date.now() + 60_000).toUTCString() }
    assert.equal((await s.handle(`PATCH ${uri}`, now, { title: 'S' })).status, 200)
  })
})

describe('Vary and Cache-Control', () => {
  async function differ(target: string): Promise<void> {
    const anonymous = await s.handle(`GET ${target}`)
    const known = await s.handle(`GET ${target}`, admin)
    assert.notEqual(anonymous.text + anonymous.fields.link, known.text + known.fields.link, target)
    assert.match(anonymous.fields.vary ?? '', /Authorization, Cookie/, target)
    assert.equal(known.fields['cache-control'], 'private, no-cache', target)
  }

  it('know that links to referenced items depend on the right to read these', async () => {
    const about = idOf(await create('/secrets', { name: 'A' }))
    const remark = await create('/remarks', { title: 'A', about })
    await differ(`${remark}/-/links`)
    await differ('/remarks?format=hal')
  })

  it('know that data without links is the same for every caller', async () => {
    const about = idOf(await create('/secrets', { name: 'A' }))
    const remark = await create('/remarks', { title: 'A', about })
    for (const target of [`${remark}?format=json`, '/remarks?format=json']) {
      const anonymous = await s.handle(`GET ${target}`)
      const known = await s.handle(`GET ${target}`, admin)
      assert.deepEqual([anonymous.text, anonymous.fields.etag], [known.text, known.fields.etag])
      assert.doesNotMatch(String(known.fields.vary), /Authorization/)
      assert.equal(known.fields['cache-control'], 'max-age=60')
    }
  })

  it('know that actions depend on the rules of fields and transitions', async () => {
    const page = await create('/pages', { title: 'A' })
    await differ(`${page}?format=hal-forms`)
  })
})
