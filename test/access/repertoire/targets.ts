/** What many requests have in common: URIs, fields, paths, preconditions, and the content of an article. */

import fc from 'fast-check'
import type { World } from './step.ts'

export function anyUri(world: World): fc.Arbitrary<string> {
  return fc.oneof(anyCollection, anyItem(world), anySubCollection(world))
}

export const anyCollection = fc.constantFrom(
  '/articles',
  '/notes',
  '/users',
  '/tokens',
  '/vaults',
  '/cases',
  '/pages',
  '/folders',
  '/webhooks',
  '/scans',
  '/jobs',
)

export function anyItem(world: World): fc.Arbitrary<string> {
  const uris = itemCollections.flatMap((name) => world[name].map((id) => `/${name}/${id}`))
  return fc.constantFrom(...uris)
}

const itemCollections = [
  'articles',
  'notes',
  'users',
  'tokens',
  'vaults',
  'cases',
  'pages',
  'folders',
  'webhooks',
  'scans',
  'jobs',
] as const

export function anySubCollection(world: World): fc.Arbitrary<string> {
  const uris = [
    ...world.articles.map((id) => `/articles/${id}/notes`),
    ...world.webhooks.map((id) => `/webhooks/${id}/deliveries`),
    ...world.users.flatMap((id) => [`/users/${id}/articles`, `/users/${id}/pages`, `/users/${id}/nothing`]),
    ...world.users.map((id) => `/users/${id}/credentials`),
  ]
  return fc.constantFrom(...uris)
}

export const anyField = fc.constantFrom(
  'title',
  'status',
  'secret',
  'email',
  'name',
  'role',
  'password',
  'author',
  'author.email',
  'author.name',
  'article',
  'article.secret',
  'article.title',
  'article.author.email',
  'rank',
  'text',
  'token',
  'passwordMark',
  'currentPassword',
  'roles',
  'session',
  'owner',
  'content',
  'code',
  'label',
  'articles',
  'kept',
  'image',
  'negative',
  'plates',
  'proofs',
  'ownerless',
  'creator',
  'progress',
  'endedAt',
  '_version',
  'nothing',
  'createdAt',
  'id',
)

export const anyDerived = fc.constantFrom(
  ...['written', 'drafts', 'pageCount', 'latest', 'domain', 'noted', 'first', 'marks'],
)

/** Through references and inverses, among them hidden and unknown ones. */
export const anyPath = fc.constantFrom(
  'author',
  'author.name',
  'author.email',
  'author.articles',
  'author.articles.title',
  'author.articles.secret',
  'author.articles.notes',
  'author.pages.code',
  'article.title',
  'article.author.name',
  'article.notes.text',
  'articles',
  'articles.title',
  'articles.status',
  'articles.notes',
  'articles.notes.rank',
  'notes',
  'notes.text',
  'notes.article.secret',
  'pages',
  'pages.label',
  'nothing.title',
  'articles.author.articles.title',
)

export const anyTag = fc.constantFrom<Record<string, string>>(
  {},
  {},
  { 'if-match': '*' },
  { 'if-match': '"x"' },
  { 'if-none-match': '*' },
)

export function anyArticle(world: World): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.record(
    {
      title: fc.constantFrom('new', ''),
      status: fc.constantFrom('draft', 'published'),
      author: fc.constantFrom(...world.users),
    },
    { requiredKeys: [] },
  )
}

export function anyArticleWrite(world: World) {
  const anyOne = fc.constantFrom(...world.articles, ...world.notes)
  return fc.oneof(
    fc.constant({ method: 'POST', path: '/articles' }),
    fc.record({ method: fc.constantFrom('PUT', 'PATCH'), path: anyOne.map((id) => `/articles/${id}`) }),
  )
}
