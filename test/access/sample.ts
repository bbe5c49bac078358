/** The definition of most access tests: accounts, drafts, notes on drafts. */

import {
  action,
  anyone,
  choice,
  computed,
  count,
  email,
  file,
  integer,
  items,
  list,
  max,
  min,
  not,
  owner,
  password,
  query,
  ref,
  refs,
  resource,
  role,
  route,
  self,
  service,
  signedIn,
  state,
  text,
  where,
} from '../../src/index.ts'
import { admin, basic, type SendRequest } from '../service.ts'

const userFields = {
  email: email().unique().visibleTo(self, role('admin')),
  name: text({ min: 1, max: 100 }),
  password: password({ min: 8 }),
  role: choice(['member', 'editor', 'admin']).default('member').writableBy(role('admin')),
}

const userOptions = {
  access: {
    read: anyone,
    create: anyone,
    update: [self, role('admin')],
    delete: [self, role('admin')],
  },
  history: { read: signedIn },
}

export const users = resource(userFields, userOptions)

const articleFields = {
  title: text({ max: 200 }),
  status: choice(['draft', 'published']).default('draft'),
  rating: choice(['good', 'bad']).optional(),
  secret: text({ max: 200 }).optional().visibleTo(owner('author'), role('admin')),
  author: ref('users', { inverse: 'articles', onDelete: 'cascade' }).fromPrincipal(),
}

const articleOptions = {
  access: {
    read: [where({ status: 'published' }), owner('author'), role('admin')],
    create: signedIn,
    update: [owner('author'), role('admin')],
    delete: [owner('author'), role('admin')],
  },
  history: {},
}

export const articles = resource(articleFields, { ...articleOptions, title: '{title} · {secret}' })

/** Visible to and writable by the owner of their article. */
export const notes = resource(
  {
    text: text({ max: 200 }),
    article: ref('articles', { inverse: 'notes', onDelete: 'cascade' }),
    rank: choice(['high', 'low']).optional(),
  },
  {
    access: {
      read: [owner('article.author'), not(where({ rank: ['high', 'low'] }))],
      create: owner('article.author'),
      update: owner('article.author'),
      delete: owner('article.author'),
    },
    title: '{text}, {article.title} ({article.secret})',
  },
)

/** Given to people with an invitation, by the owner of the article. */
const seats = resource(
  {
    article: ref('articles', { onDelete: 'cascade' }),
    user: ref('users', { onDelete: 'cascade' }),
    rank: choice(['high', 'low']).default('low'),
  },
  { access: { read: owner('article.author'), create: owner('article.author') } },
)

/** No access is declared. */
export const vaults = resource({ content: text({ max: 200 }) })

/** Signed-in callers may write the state and the mark, and only admins see them. */
export const cases = resource(
  {
    title: text({ max: 200 }),
    status: state({
      initial: 'open',
      transitions: {
        review: { from: 'open', to: 'reviewed', by: role('admin'), exclusive: true },
        close: { from: 'reviewed', to: 'closed', by: role('admin') },
        flag: { from: ['open', 'reviewed', 'closed'], to: 'flagged' },
      },
    }).visibleTo(role('admin')),
    mark: text({ max: 200 }).immutable().optional().visibleTo(role('admin')),
  },
  {
    access: { read: anyone, create: signedIn, update: signedIn },
    history: { keep: '1 year' },
    title: '{title} ({mark}) {status}',
  },
)

/** Named by their authors; visible only to them. */
export const pages = resource(
  {
    name: text({ pattern: '^[a-z]+$' }),
    label: text({ min: 3, max: 200 }),
    code: text({ max: 200 }).unique().optional(),
    author: ref('users', { inverse: 'pages', onDelete: 'cascade' }).fromPrincipal(),
  },
  {
    key: 'name',
    put: 'create',
    bulk: true,
    access: {
      read: owner('author'),
      create: signedIn,
      update: owner('author'),
      delete: owner('author'),
    },
  },
)

/** Visible to all; the set `kept` only to admins. */
export const folders = resource(
  {
    name: text({ max: 200 }),
    articles: refs('articles', { max: 4 }),
    kept: refs('articles').visibleTo(role('admin')),
  },
  { access: { read: anyone, create: signedIn, update: signedIn } },
)

/** Those of others are visible where published; the file `negative` and the list `proofs` only to admins. */
export const scans = resource(
  {
    title: text({ max: 200 }),
    status: choice(['draft', 'published']).default('draft'),
    image: file({ types: ['text/*', 'image/png'], max: '1 kB' }).optional(),
    negative: file({ types: ['*/*'], max: '1 kB' })
      .optional()
      .visibleTo(role('admin')),
    plates: list(file({ types: ['text/*'], max: '1 kB' }), { max: 3 }),
    proofs: list(file({ types: ['*/*'], max: '1 kB' })).visibleTo(role('admin')),
    author: ref('users', { onDelete: 'cascade' }).fromPrincipal(),
  },
  {
    access: {
      read: [where({ status: 'published' }), owner('author')],
      create: signedIn,
      update: owner('author'),
      delete: owner('author'),
    },
    history: {},
  },
)

export const accounts = {
  resource: 'users',
  login: 'email',
  password: 'password',
  roles: 'role',
} as const

export const definition = service({
  title: 'Access',
  accounts,
  resources: { users, articles, notes, vaults },
})

const derivedUsers = resource(userFields, {
  ...userOptions,
  derived: {
    written: count('articles').always(),
    drafts: count('articles', where({ status: 'draft' })),
    pageCount: count('pages'),
    latest: max('pages', 'updatedAt'),
    domain: computed(text(), ['email'], ({ email }) => email.slice(email.indexOf('@') + 1)),
  },
})

const derivedArticles = resource(articleFields, {
  ...articleOptions,
  nested: ['notes'],
  derived: {
    noted: count('notes').always(),
    first: min('notes', 'createdAt', where({ rank: 'high' })),
    marks: computed(integer(), ['title', 'secret'], ({ title, secret = '' }) => title.length + secret.length),
  },
})

/**
 * Fields that can be written but not seen: hidden states, named items, hidden unique values; sets; derived
 * fields; files; actions, and the jobs of one in the background.
 */
export const wideDefinition = service(
  {
    title: 'Access',
    name: 'access',
    accounts,
    versions: {
      v1: {
        articles: {
          fields: { all: text() },
          renamed: { heading: 'title', hidden: 'secret' },
          // It shows everything that the code gets.
          down: ({ id, ...article }) => ({ id, heading: article.title, all: JSON.stringify(article) }),
          up: () => ({}),
        },
        notes: { renamed: { words: 'text' } },
        users: { renamed: { call: 'name', mail: 'email' } },
        cases: { renamed: { phase: 'status' } },
      },
    },
    // Rows of tests are of the past; they must not be pruned while two services are compared.
    log: '10 years',
    mail: { from: 'service@example.org' },
    signIn: { links: true },
    invitations: { by: signedIn, record: 'seats.user' },
    webhooks: { by: signedIn },
    resources: {
      users: derivedUsers,
      articles: derivedArticles,
      notes,
      seats,
      vaults,
      cases,
      pages,
      folders,
      scans,
    },
  },
  {
    '/': {
      actions: {
        // Its replies name what was sent, and what the caller may read.
        gather: action({
          input: {
            reply: choice(['result', 'created', 'other']),
            article: ref('articles').optional(),
            lines: list({ article: ref('articles'), words: text({ max: 20 }) }, { max: 2 }).optional(),
          },
          by: signedIn,
          result: { seen: integer(), lines: list({ article: ref('articles') }) },
          async run({ reply, article, lines = [] }, { as, caller, created, seeOther }) {
            const mine = as(caller)
            const seen = await mine.articles.count()
            const result = { seen, lines: lines.map(({ article }) => ({ article })) }
            if (reply === 'result') return result
            if (reply === 'other') return seeOther(`/articles/${article ?? ''}`)
            const { id } = await mine.articles.create({ title: 'Gathered' })
            return created('articles', article ?? id, result)
          },
        }),
      },
      queries: {
        overview: query({
          input: { about: ref('articles').optional(), words: text({ max: 20 }).optional() },
          by: anyone,
          cache: { maxAge: 60 },
          result: { seen: integer(), titles: list(text()), about: ref('articles').optional() },
          async run({ about, words }, { as, caller, refuse }) {
            const { articles } = as(caller)
            if (words === 'y') return refuse('not-found', 'No y.', { field: 'words' })
            const shown = await articles.list({ sort: 'title' })
            const titles = shown.map(({ title }) => title)
            return { seen: await articles.count(), titles, ...(about !== undefined && { about }) }
          },
        }),
      },
      routes: {
        // It shows what the caller may read, by the cookie too, and its code reads hidden rows to verify.
        '/tools/pages/*': route({
          methods: ['GET', 'POST'],
          by: anyone,
          cookie: true,
          verify: async (_, { notes }) => ({ id: `${(await notes.list({ limit: 1 })).length > 0}` }),
          run: async (request, { as, caller }) => {
            const { notes, articles } = as(caller)
            const shown = {
              caller,
              notes: await notes.count(),
              articles: await articles.list({ sort: 'title' }),
            }
            return Response.json({ ...shown, path: new URL(request.url).pathname })
          },
        }),
        '/tools/survey': route({
          methods: ['POST'],
          by: signedIn,
          run: async (_, { as, caller }) => Response.json({ seen: await as(caller).articles.count() }),
        }),
      },
    },
    articles: {
      actions: {
        quote: action({
          input: { other: ref('articles'), words: text({ max: 20 }).optional() },
          by: [owner('author'), role('admin')],
          run: (article, { words = '' }, { articles }) =>
            articles.patch(article.id, { title: `Quotes ${words}` }),
        }),
        // It counts what the caller may read; its refusal names what was sent.
        survey: action({
          input: { other: ref('articles').optional(), words: text({ max: 20 }).optional() },
          by: signedIn,
          result: { seen: integer(), title: text(), other: ref('articles').optional() },
          async run({ title }, { other, words }, { as, caller, refuse }) {
            if (words === 'y') return refuse('invalid-content', 'No y.', { field: 'words' })
            const seen = await as(caller).articles.count()
            return { seen, title, ...(other !== undefined && { other }) }
          },
        }),
        // Its refusals depend on what the caller may read alone.
        print: action({
          input: { other: ref('articles').optional(), words: text({ max: 20 }).optional() },
          by: signedIn,
          result: file({ types: ['text/plain'], max: '1 kB' }),
          async run({ title }, { words = '' }, { as, caller }) {
            const seen = await as(caller).articles.count()
            return new Blob([`${title} ${words} ${seen}`], { type: 'text/plain' })
          },
        }),
        answer: action({
          by: owner('author'),
          run: (article, _, { as, caller }) =>
            as(caller).notes.create({ text: 'Answer', article: article.id }),
        }),
      },
      queries: {
        digest: query({
          input: { other: ref('articles').optional(), words: text({ max: 20 }).optional() },
          by: signedIn,
          cache: { maxAge: 60 },
          result: { seen: integer(), title: text(), other: ref('articles').optional() },
          async run({ title }, { other, words }, { as, caller, refuse }) {
            if (words === 'y') return refuse('invalid-content', 'No y.', { field: 'words' })
            const seen = await as(caller).articles.count()
            return { seen, title, ...(other !== undefined && { other }) }
          },
        }),
        // Its code reads hidden articles; the response has those of the caller.
        related: query({
          input: { other: ref('articles').optional(), words: text({ max: 20 }).optional() },
          by: signedIn,
          result: items('articles'),
          async run({ id }, { other }, { articles }) {
            const all = await articles.list({ sort: 'title', limit: 100 })
            return [...all, id, ...(other === undefined ? [] : [other])]
          },
        }),
        sheet: query({
          input: { words: text({ max: 20 }).optional() },
          by: signedIn,
          result: file({ types: ['text/plain'], max: '1 kB' }),
          async run({ title }, { words = title }, { as, caller }) {
            const seen = await as(caller).articles.count()
            return new File([`${seen}`], `${words}.txt`, { type: 'text/plain' })
          },
        }),
      },
    },
    pages: {
      actions: {
        compose: action({
          on: 'collection',
          input: { label: text({ min: 3, max: 20 }) },
          by: role('admin'),
          run: () => undefined,
        }),
        archive: action({
          on: 'collection',
          background: true,
          input: { label: text({ min: 3, max: 20 }) },
          by: role('admin'),
          run: () => undefined,
        }),
      },
    },
  },
)

export const pass = 'a good password'

/** Creates an account and returns its credentials. */
export async function account(request: SendRequest, name: string, role = 'member') {
  const login = `${name}@example.org`
  const body = { email: login, name, password: pass, ...(role === 'member' ? {} : { role }) }
  const created = await request('POST /users', admin, body)
  if (created.status !== 201) throw new Error(created.text)
  return { ...basic(login, pass), id: created.json.id as string, login }
}

/** Just the field. */
export function as({ authorization }: { readonly authorization: string }) {
  return { authorization }
}

export function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}
