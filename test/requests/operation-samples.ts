/** A definition with every kind of target, and a request for each operation of the table. */

import {
  action,
  anyone,
  choice,
  email,
  file,
  integer,
  items,
  list,
  password,
  query,
  ref,
  refs,
  resource,
  role,
  route,
  service,
  text,
} from 'restwell'
import type { operations } from '../../src/requests/context/operations.ts'
import {
  admin,
  basic,
  type Reply,
  type SendRequest,
  serve,
  type TestOptions,
  type TestService,
} from '../service.ts'

const open = { read: anyone, create: anyone, update: anyone, delete: anyone }
const small = { types: ['text/plain', 'image/png'], max: '1 kB' } as const

const atlas = service(
  {
    title: 'Atlas',
    accounts: {
      resource: 'people',
      login: 'email',
      password: 'password',
      roles: 'role',
      secondFactor: ['auditor'],
      signUp: 'by-mail',
    },
    mail: { from: 'atlas@example.org' },
    webhooks: { by: role('admin') },
    paths: { webhooks: 'hooks' },
    resources: {
      people: resource(
        {
          email: email().unique(),
          password: password(),
          label: ref('labels', { inverse: 'people' }).optional(),
          role: choice(['member', 'auditor', 'admin']).default('member').writableBy(role('admin')),
        },
        { access: { ...open, update: role('admin') } },
      ),
      labels: resource({ name: text() }, { key: 'name', tombstones: true, access: open }),
      notes: resource(
        {
          slug: text({ max: 20 }),
          title: text({ max: 20 }).unique().optional(),
          labels: refs('labels', { max: 1 }),
          cover: file(small).optional(),
          pages: list(file(small), { max: 9 }),
        },
        { key: 'slug', put: 'create', conditional: 'required', tombstones: true, history: {}, access: open },
      ),
      remarks: resource(
        { note: ref('notes', { inverse: 'remarks', onDelete: 'restrict' }), words: text({ max: 20 }) },
        { access: open },
      ),
    },
  },
  {
    '/': {
      routes: {
        '/echo': route({
          methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
          by: role('admin'),
          async run(request, { notes, refuse }) {
            const sent = await request.text()
            if (sent === 'invalid') refuse('invalid-content', 'Send another text.')
            if (request.method !== 'GET') await notes.patch('one', { title: `${Math.random()}`.slice(0, 20) })
            return new Response(sent)
          },
        }),
      },
    },
    notes: {
      actions: {
        publish: action({
          on: 'item',
          by: anyone,
          input: { reason: text({ max: 20 }).optional() },
          async run(_note, { reason }, { refuse, seeOther }) {
            if (reason === 'none') refuse('state-conflict', 'Give a reason.')
            if (reason === 'elsewhere') return seeOther('/notes')
          },
        }),
        measure: action({
          on: 'item',
          by: anyone,
          input: { unit: text({ max: 20 }).default('words') },
          result: { length: integer(), unit: text() },
          run({ slug }, { unit }, { created, seeOther }) {
            if (unit === 'elsewhere') return seeOther('/notes')
            const result = { length: slug.length, unit }
            return unit === 'notes' ? created('notes', slug, result) : result
          },
        }),
        copy: action({
          on: 'item',
          by: anyone,
          input: { how: text({ max: 20 }).default('plainly') },
          result: file(small),
          run({ slug }, { how }, { created, seeOther }) {
            if (how === 'elsewhere') return seeOther('/notes')
            const copy = new Blob([slug], { type: 'text/plain' })
            return how === 'in notes' ? created('notes', slug, copy) : copy
          },
        }),
        print: action({
          on: 'item',
          background: true,
          by: anyone,
          input: { copies: text({ max: 20 }).optional() },
          async run() {},
        }),
      },
      queries: {
        size: query({
          by: anyone,
          input: { unit: text({ max: 20 }).default('words') },
          result: { length: integer(), unit: text() },
          run: ({ slug }, { unit }) => ({ length: slug.length, unit }),
        }),
        others: query({
          by: anyone,
          input: { unit: text({ max: 20 }).default('words') },
          result: items('notes'),
          run: (_, _input, { notes }) => notes.list(),
        }),
        sheet: query({
          by: anyone,
          input: { unit: text({ max: 20 }).default('words') },
          result: file(small),
          run: ({ slug }) => new Blob([slug], { type: 'text/plain' }),
        }),
      },
    },
  },
)

export interface Sample {
  readonly uri: string
  readonly fields?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Content that is 422. */
  readonly invalid?: unknown
}

/** Exactly the operations of the table. */
type Samples = {
  readonly [Kind in keyof typeof operations]: {
    readonly [Method in keyof (typeof operations)[Kind]]: Sample
  }
}

export interface Atlas extends AsyncDisposable {
  readonly s: TestService
  readonly samples: Samples
}

const plain = { 'content-type': 'text/plain' }
export const beginUpload = { ...plain, 'upload-draft-interop-version': '8', 'upload-complete': '?0' }
const current = { 'if-match': '*' }

/** `one` exists, `gone` was deleted, and `old` was the id of `one`. */
export async function openAtlas(options: TestOptions = {}): Promise<Atlas> {
  const s = await serve(atlas, { mail: 'page', publicUrl: 'https://atlas.example', ...options })
  const ask = asAdmin(s.request)
  await ask('POST /people', {}, { email: 'olga@example.org', password: 'correct horse', role: 'auditor' })
  for (const name of ['red', 'blue', 'gone']) await ask('POST /labels', {}, { name })
  await ask('DELETE /labels/gone')
  for (const slug of ['old', 'gone']) await ask('POST /notes', {}, { slug, title: slug })
  await ask('PATCH /notes/old', current, { slug: 'one' })
  await ask('DELETE /notes/gone', current)
  await ask('PUT /notes/one/cover', { ...plain, 'if-none-match': '*' }, 'text')
  const hook = (await ask('POST /hooks', {}, { url: 'https://hooks.example/', events: ['notes.*'] })).json.id
  const begun = await ask('POST /notes/one/pages', beginUpload)
  const upload = new URL(String(begun.fields.location), s.url).pathname
  const storedFile = String((await ask('GET /notes/one/cover')).fields['content-location'])
  return {
    s,
    samples: samplesOf({ hook, storedFile, upload }),
    [Symbol.asyncDispose]: () => s[Symbol.asyncDispose](),
  }
}

function asAdmin(request: SendRequest) {
  return async (
    line: string,
    fields: Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Reply> => {
    const reply = await request(line, { ...admin, ...fields }, body)
    if (reply.status >= 400) throw new Error(`${line}: ${reply.status} ${reply.text}`)
    return reply
  }
}

export const auditor = basic('olga@example.org', 'correct horse')

function samplesOf({
  hook,
  storedFile,
  upload,
}: Readonly<Record<'hook' | 'storedFile' | 'upload', string>>): Samples {
  const note = '/notes/one'
  const long = 'x'.repeat(30)
  const read = (uri: string) => ({ GET: { uri }, HEAD: { uri }, OPTIONS: { uri } })
  const list = (uri: string, body: object, invalid: object) => ({
    ...read(uri),
    POST: { uri, body, invalid },
    QUERY: { uri, body: {}, invalid: { nothing: 1 } },
  })
  const change = { uri: note, fields: current, invalid: { title: long } }
  return {
    item: {
      ...read(note),
      PUT: { ...change, body: { slug: 'one' } },
      PATCH: { ...change, body: { title: 'A' } },
      DELETE: { uri: note, fields: current },
    },
    collection: list('/notes', { slug: 'two' }, { slug: long }),
    subCollection: list(`${note}/remarks`, { words: 'a' }, { words: long }),
    itemLinks: read(`${note}/-/links`),
    collectionLinks: read(`${note}/remarks/-/links`),
    collectionEvents: read(`${note}/remarks/-/events`),
    aggregate: {
      ...read(`${note}/remarks/-/aggregate?aggregate=count`),
      QUERY: { uri: `${note}/remarks/-/aggregate?aggregate=count`, body: {}, invalid: { nothing: 1 } },
    },
    element: {
      PUT: { uri: `${note}/labels/red`, fields: current },
      DELETE: { uri: `${note}/labels/red`, fields: current },
      OPTIONS: { uri: `${note}/labels/red` },
    },
    action: {
      POST: { uri: `${note}/publish`, body: {}, invalid: { reason: long } },
      OPTIONS: { uri: `${note}/publish` },
    },
    result: {
      POST: { uri: `${note}/measure`, body: {}, invalid: { unit: long } },
      OPTIONS: { uri: `${note}/measure` },
    },
    madeFile: {
      POST: { uri: `${note}/copy`, body: {}, invalid: { how: long } },
      OPTIONS: { uri: `${note}/copy` },
    },
    job: {
      POST: { uri: `${note}/print`, body: {}, invalid: { copies: long } },
      OPTIONS: { uri: `${note}/print` },
    },
    query: {
      ...read(`${note}/size`),
      QUERY: { uri: `${note}/size`, body: {}, invalid: { unit: long } },
    },
    itemsQuery: {
      ...read(`${note}/others`),
      QUERY: { uri: `${note}/others`, body: {}, invalid: { unit: long } },
    },
    fileQuery: {
      ...read(`${note}/sheet`),
      QUERY: { uri: `${note}/sheet`, body: {}, invalid: { unit: long } },
    },
    ownAction: { POST: { uri: `/hooks/${hook}/rotate` }, OPTIONS: { uri: `/hooks/${hook}/rotate` } },
    file: {
      ...read(`${note}/cover`),
      PUT: { uri: `${note}/cover`, fields: { ...plain, ...current }, body: 'text' },
      DELETE: { uri: `${note}/cover`, fields: current },
    },
    storedFile: read(storedFile),
    fileList: {
      POST: { uri: `${note}/pages`, fields: plain, body: 'text' },
      OPTIONS: { uri: `${note}/pages` },
    },
    document: read('/problems/gone'),
    postedDocument: {
      ...read('/sign-in'),
      POST: { uri: '/password-resets', body: { login: 'olga@example.org' }, invalid: { login: 1 } },
    },
    batch: {
      ...read('/batch'),
      POST: {
        uri: '/batch',
        body: { requests: [{ method: 'POST', path: '/labels', body: { name: 'green' } }] },
        invalid: { requests: 1 },
      },
    },
    selection: {
      ...read('/batch/labels'),
      POST: {
        uri: '/batch/labels',
        fields: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'id=blue&change=delete',
        invalid: '',
      },
    },
    upload: {
      HEAD: { uri: upload },
      PATCH: {
        uri: upload,
        fields: {
          'content-type': 'application/partial-upload',
          'upload-offset': '0',
          'upload-complete': '?1',
        },
        body: 'text',
      },
      DELETE: { uri: upload },
      OPTIONS: { uri: upload },
    },
    route: {
      GET: { uri: '/echo' },
      HEAD: { uri: '/echo' },
      POST: { uri: '/echo', body: 'text', invalid: 'invalid' },
      PUT: { uri: '/echo', body: 'text', invalid: 'invalid' },
      PATCH: { uri: '/echo', body: 'text', invalid: 'invalid' },
      DELETE: { uri: '/echo', body: 'text', invalid: 'invalid' },
      OPTIONS: { uri: '/echo' },
    },
    asterisk: { OPTIONS: { uri: '*' } },
  }
}
