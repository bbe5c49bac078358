/** The examples of problem types: each request that one message can show gets the response that is shown. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  anyone,
  choice,
  email,
  integer,
  password,
  ref,
  resource,
  role,
  self,
  service,
  state,
  text,
} from 'restwell'
import { problemTypes } from '../../src/refusal.ts'
import { RawClient } from '../server/raw.ts'
import { admin, serve } from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const transitions = {
  submit: { from: 'open', to: 'in review' },
  approve: { from: 'in review', to: 'done' },
} as const
const definition = service({
  title: 'Tracker',
  accounts: { resource: 'users', login: 'email', password: 'password', roles: 'role' },
  resources: {
    users: resource(
      {
        email: email().unique(),
        password: password({ min: 12 }),
        role: choice(['user', 'admin']).default('user').writableBy(role('admin')),
      },
      { access: { read: anyone, create: anyone, update: self } },
    ),
    projects: resource({ slug: text({ pattern: '^[a-z]+$', max: 40 }) }, { key: 'slug', access: open }),
    tasks: resource(
      {
        slug: text({ pattern: '^[a-z-]+$', max: 40 }),
        title: text({ min: 1, max: 200 }),
        project: ref('projects').optional(),
        hours: integer({ min: 0 }).optional(),
        status: state({ initial: 'open', transitions }),
      },
      { key: 'slug', access: open, tombstones: true },
    ),
  },
})

const iana = 'https://iana.org/assignments/http-problem-types#'
const registered = new Set(['mismatching-upload-offset', 'completed-upload', 'inconsistent-upload-length'])

/** Types that need an earlier request, a file, long content or a fault of the service. */
const needMore: readonly string[] = [
  'forbidden',
  'request-timeout',
  'request-in-progress',
  'mismatching-upload-offset',
  'completed-upload',
  'inconsistent-upload-length',
  'content-too-large',
  'quota-exceeded',
  'uri-too-long',
  'range-not-satisfiable',
  'key-reused',
  'precondition-required',
  'too-many-requests',
  'header-fields-too-large',
  'internal-error',
  'unavailable',
  'insufficient-storage',
  'unsupported-content-coding',
]

/** Members whose example leaves out a part of the list. */
const shortened: readonly string[] = ['not-acceptable', 'unsupported-media-type']

test('the example of a problem type has its status, its type and its title', async () => {
  await using s = await serve(definition)
  for (const [name, { status, title }] of Object.entries(problemTypes)) {
    const { example } = (await s.request(`GET /problems/${name}`)).json
    const [, json = ''] = example.response.split('\n\n')
    assert.ok(example.response.startsWith(`HTTP/1.1 ${status} `), name)
    assert.ok(!example.response.includes('undefined'), name)
    const problem = JSON.parse(json)
    assert.deepEqual(
      [problem.type, problem.title, problem.status],
      [`${registered.has(name) ? iana : '/problems/'}${name}`, title, status],
    )
  }
})

test('the request of an example gets the problem that is shown', async () => {
  await using s = await serve(definition)
  await s.request('POST /projects', {}, { slug: 'rocket' })
  await s.request('POST /tasks', {}, { slug: 'engine', title: 'Engine', project: 'rocket' })
  await s.request('POST /tasks', {}, { slug: 'old', title: 'Old' })
  await s.request('DELETE /tasks/old', admin)
  for (const name of Object.keys(problemTypes).filter((name) => !needMore.includes(name))) {
    const { example } = (await s.request(`GET /problems/${name}`)).json
    const shown = JSON.parse(example.response.split('\n\n')[1])
    const response = await send(s.port, example.request)
    const sent = JSON.parse(response.body)
    assert.deepEqual([sent.type, response.status], [shown.type, shown.status], response.body)
    if (!shortened.includes(name)) assert.equal(sent.detail, shown.detail)
  }
})

/** Sends a request as it is shown, with Host, and Content-Length where it has content. */
async function send(port: number, shown: string) {
  const [head = '', content = ''] = shown.split('\n\n')
  const length = content === '' ? [] : [`Content-Length: ${Buffer.byteLength(content)}`]
  const lines = [...head.split('\n'), 'Host: localhost', ...length, '', content]
  const client = new RawClient(port)
  try {
    await client.send(lines.join('\r\n'))
    const [response] = await client.take(1)
    assert.ok(response)
    return response
  } finally {
    client.socket.destroy()
  }
}
