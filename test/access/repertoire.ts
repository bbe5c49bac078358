/**
 * The requests of the non-interference test: every kind of request that a client can send, as one
 * table. Add a row here for every new kind of request.
 *
 * A caller can always learn three things (docs/reference/http.md, "Access"): that a unique value is
 * taken, that an item cannot be deleted, that a URI chosen by the client is taken. The table avoids
 * them: new logins are new, and other requests of these kinds are refused for another reason.
 */

import { hash } from 'node:crypto'
import fc from 'fast-check'
import { positionsIn } from '../positions.ts'
import type { DirectRequest, DirectResponse } from './direct.ts'
import { uuid } from './rows.ts'

export interface World {
  /** Items visible to the caller, items in only one of the databases, and items in neither. */
  readonly articles: readonly string[]
  readonly notes: readonly string[]
  readonly users: readonly string[]
  readonly tokens: readonly string[]
  readonly vaults: readonly string[]
  /** Visible to all callers, but not their states. */
  readonly cases: readonly string[]
  /** Visible to all callers, with members that are hidden. */
  readonly folders: readonly string[]
  /** Webhooks of the caller, of others and of nobody, and deliveries of each. */
  readonly webhooks: readonly string[]
  readonly deliveries: readonly string[]
  /** Second factors of the caller, of others and of nobody. */
  readonly accountCredentials: readonly string[]
  /** With files, among them hidden ones. */
  readonly scans: readonly string[]
  /** The contents of files that are visible, that only one of the databases has, and that neither has. */
  readonly contents: readonly string[]
  /** Names, of items that only one of the databases has among them. */
  readonly pages: readonly string[]
  readonly jobs: readonly string[]
  /** Authorization values, among them wrong ones; undefined: anonymous. */
  readonly credentials: readonly (string | undefined)[]
  /** Logins that exist in one database, in both, in neither. */
  readonly logins: readonly string[]
  /** Values that hidden fields have in one database, in both, in neither. */
  readonly values: readonly string[]
}

/** A request that may depend on earlier responses: their links and entity tags. */
export type Step = (responses: readonly DirectResponse[]) => DirectRequest

type Kind = (world: World) => fc.Arbitrary<Step>

export const repertoire: Readonly<Record<string, Kind>> = {
  'the entry point and its documents': (world) =>
    request(
      world,
      fc.constantFrom(
        'GET /',
        'HEAD /',
        'GET /problems',
        'GET /problems/forbidden',
        'GET /relations',
        'GET /relations/vaults',
        'GET /relations/owner',
        'GET /nothing',
        'GET /audit',
        'GET /vaults/',
      ),
    ),
  'what can be done somewhere': (world) =>
    request(
      world,
      anyUri(world).map((uri) => `OPTIONS ${uri}`),
    ),
  'links in mails': (world) =>
    fc.oneof(
      request(
        world,
        fc.constantFrom(
          'GET /password-resets',
          'GET /password-resets/unknown',
          'GET /verifications',
          'GET /verifications/unknown',
          'GET /invitations',
          'GET /invitations/unknown',
          'GET /mails',
        ),
      ),
      request(
        world,
        fc.constantFrom(
          'POST /password-resets',
          'POST /password-resets/unknown',
          'POST /verifications',
          'POST /verifications/unknown',
          'POST /invitations',
        ),
        fc.constant({}),
        fc.oneof(
          fc.constantFrom(...world.logins).map((login) => ({ login })),
          fc.constant({ password: 'a new password' }),
        ),
      ),
    ),
  'second factors of accounts': (world) =>
    fc.oneof(
      request(
        world,
        fc
          .tuple(fc.constantFrom('GET', 'HEAD', 'DELETE', 'OPTIONS'), anyCredential(world))
          .map(([method, uri]) => `${method} ${uri}`),
      ),
      request(
        world,
        fc
          .tuple(
            fc.constantFrom(...world.users),
            fc.constantFrom('', '?format=hal-forms', '?format=html', '?format=csv', '?kind=totp'),
          )
          .map(([id, query]) => `GET /users/${id}/credentials${query}`),
      ),
      request(
        world,
        anyCredential(world).map((uri) => `POST ${uri}/confirm`),
        fc.constant({}),
        fc.constant({ code: '000000' }),
      ),
      request(
        world,
        fc.constantFrom(
          'GET /sign-in/second-factor',
          'HEAD /sign-in/passkey',
          'GET /sign-in/id',
          'GET /sign-in/id/callback?code=x&state=y',
          'GET /users?embed=credentials&fields=name',
        ),
      ),
    ),
  'accounts that are disabled': (world) =>
    request(world, fc.constantFrom('GET /users?disabled=true', 'GET /users?disabled=false&limit=2')),
  'methods that are not offered': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PUT', 'DELETE', 'PATCH', 'TRACE'), anyCollection)
        .map(([method, uri]) => `${method} ${uri}`),
    ),
  'the changes of the service': (world) =>
    request(
      world,
      fc
        .constantFrom('', '?limit=1', '?limit=2', '?format=xml', '?format=hal', '?format=html', '?limit=0')
        .map((query) => `GET /events${query}`),
    ),
  'the history of an item': (world) =>
    request(
      world,
      fc
        .tuple(
          anyItem(world),
          fc.constantFrom('', '?limit=1', '?format=hal', '?format=xml', '?format=csv', '?format=html'),
        )
        .map(([uri, query]) => `GET ${uri}/history${query}`),
    ),
  'a former version of an item': (world) => formerVersion(world),
  'the changes after an earlier response': (world) => resumed(world, {}),
  'a stream of changes': (world) => resumed(world, { accept: 'text/event-stream' }),
  'a list': (world) =>
    request(
      world,
      fc
        .tuple(anyCollection, fc.constantFrom('', '?limit=1', '?limit=2', '?limit=1000', '?limit=0'))
        .map(([uri, query]) => `GET ${uri}${query}`),
    ),
  'a sub-collection': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'),
          anySubCollection(world),
          fc.constantFrom(
            '',
            '?limit=1',
            '?sort=-id',
            '?format=html',
            '?format=csv',
            '?embed=author',
            '?q=x',
          ),
        )
        .map(([method, uri, query]) => `${method} ${uri}${query}`),
    ),
  'a filter, a count or a QUERY of a sub-collection': (world) =>
    fc.oneof(
      request(
        world,
        fc
          .tuple(anySubCollection(world), anyField, fc.constantFrom(...world.values, 'true', 'draft'))
          .map(([uri, field, value]) => `GET ${uri}?${field}=${encodeURIComponent(value)}`),
        fc.constantFrom<Record<string, string>>({}, { prefer: 'count=exact' }),
      ),
      request(
        world,
        anySubCollection(world).map((uri) => `QUERY ${uri}`),
        fc.constant({}),
        fc
          .tuple(anyField, fc.constantFrom(...world.values, true))
          .map(([field, value]) => ({ [field]: value })),
      ),
    ),
  'a new item in a sub-collection': (world) =>
    request(
      world,
      anySubCollection(world).map((uri) => `POST ${uri}`),
      fc.constantFrom<Record<string, string>>({}, { 'idempotency-key': 'a' }, { 'if-match': '*' }),
      fc.record(
        {
          text: fc.constant('new'),
          title: fc.constantFrom('new', ''),
          article: fc.constantFrom(...world.articles),
          author: fc.constantFrom(...world.users),
          rank: fc.constantFrom('high', 'low'),
        },
        { requiredKeys: [] },
      ),
    ),
  'the next page': (world) => follow(world),
  'an item': (world) =>
    request(
      world,
      fc.tuple(fc.constantFrom('GET', 'HEAD'), anyItem(world)).map(([method, uri]) => `${method} ${uri}`),
    ),
  'what an account may do with an item': (world) =>
    request(
      world,
      fc
        .tuple(
          anyUri(world),
          fc.constantFrom(...world.logins),
          fc.constantFrom('', '&format=html', '&format=xml', '&format=hal'),
        )
        .map(([uri, login, format]) => `GET ${uri}?explain-access=${encodeURIComponent(login)}${format}`),
    ),
  'a page as an account or a role sees it': (world) =>
    request(
      world,
      fc
        .tuple(
          anyUri(world),
          fc.constantFrom(
            ...world.logins.map((login) => `view-as=${encodeURIComponent(login)}`),
            'view-as-role=admin',
          ),
          fc.constantFrom('', '&format=html'),
        )
        .map(([uri, who, format]) => `GET ${uri}?${who}${format}`),
    ),
  'an item or list under a condition': (world) => conditional(world),
  'a format': (world) =>
    request(
      world,
      fc
        .tuple(anyUri(world), fc.constantFrom('json', 'xml', 'hal', 'csv', 'ndjson', 'html', 'nothing'))
        .map(([uri, format]) => `GET ${uri}?format=${format}`),
    ),
  'a filter': (world) =>
    request(
      world,
      fc
        .tuple(
          anyCollection,
          anyField,
          fc.constantFrom('', '[ne]', '[in]', '[starts]', '[contains]', '[gte]', '[missing]', '[nothing]'),
          fc.constantFrom(...world.values, 'true', 'draft', 'published'),
        )
        .map(
          ([uri, field, operator, value]) =>
            `GET ${uri}?${field}${encodeURIComponent(operator)}=${encodeURIComponent(value)}`,
        ),
    ),
  'an order': (world) =>
    request(
      world,
      fc
        .tuple(anyCollection, fc.constantFrom('', '-'), anyField)
        .map(([uri, sign, field]) => `GET ${uri}?sort=${sign}${field}`),
    ),
  'a search, a selection, an embedding': (world) =>
    request(
      world,
      fc
        .tuple(
          anyCollection,
          fc.constantFrom('q', 'fields', 'embed'),
          fc.oneof(anyField, fc.constantFrom(...world.values)),
        )
        .map(([uri, name, value]) => `GET ${uri}?${name}=${encodeURIComponent(value)}`),
    ),
  'a path in a filter, an order or an embedding': (world) =>
    request(
      world,
      fc
        .tuple(anyUri(world), anyPath, fc.constantFrom(...world.values, 'true', 'draft', 'published'))
        .chain(([uri, path, value]) =>
          fc
            .constantFrom(
              `${path}=${encodeURIComponent(value)}`,
              `${path}[ne]=${encodeURIComponent(value)}`,
              `${path}[missing]=true`,
              `sort=${path}&limit=1`,
              `sort=-${path}`,
              `embed=${path}`,
              `embed=${path}&limit=1`,
              `embed=${path}&format=hal`,
              `embed=${path}&format=xml`,
              `embed=${path}&format=html`,
            )
            .map((query) => `GET ${uri}?${query}`),
        ),
    ),
  'a path in a QUERY': (world) =>
    request(
      world,
      anyCollection.map((uri) => `QUERY ${uri}`),
      fc.constant({}),
      fc
        .tuple(anyPath, fc.constantFrom<unknown>(...world.values, { missing: true }, { missing: false }))
        .chain(([path, value]) => fc.constantFrom<unknown>({ [path]: value }, { not: { [path]: value } })),
    ),
  'a derived field': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.oneof(anyUri(world), fc.constantFrom('/articles', '/users')),
          anyDerived,
          fc.constantFrom('0', '1', '2', '2026-01-01T00:00:00Z'),
        )
        .chain(([uri, name, value]) =>
          fc
            .constantFrom(
              `fields=${name}`,
              `fields=${name}&format=csv`,
              `fields=title,${name}&format=html`,
              `${name}=${value}`,
              `${name}[gte]=${value}&limit=1`,
              `${name}[missing]=true`,
              `author.${name}[lt]=${value}`,
              `sort=${name}&limit=1`,
              `sort=-${name}`,
              `sort=author.${name}&limit=1`,
              `group-by=${name}&aggregate=count`,
            )
            .map((query) => `GET ${uri}?${query}`),
        ),
    ),
  'a derived field in a change': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT', 'POST'), anyItem(world))
        .map(([method, uri]) => `${method} ${uri}`),
      anyTag,
      fc
        .tuple(anyDerived, fc.constantFrom<unknown>(0, 1, 2, 'example.org', null))
        .map(([name, value]) => ({ [name]: value, title: 'changed', status: 'draft' })),
    ),
  'a count': (world) =>
    request(
      world,
      anyCollection.map((uri) => `GET ${uri}?limit=1`),
      fc.constant({ prefer: 'count=exact' }),
    ),
  'an aggregation': (world) =>
    request(
      world,
      fc
        .tuple(
          anyCollection,
          fc.constantFrom('', '', 'group-by='),
          fc.oneof(anyField, fc.constantFrom('createdAt.year', 'author.month')),
          fc.constantFrom('count', 'createdAt.max', 'count,updatedAt.min', 'secret.sum', 'nothing.sum'),
          fc.constantFrom('', '&sort=-count', '&format=csv', '&format=html', '&status=draft', '&limit=1'),
        )
        .map(([uri, group, field, aggregate, rest]) => {
          const groups = group === '' ? '' : `${group}${field}&`
          return `GET ${uri}?${groups}aggregate=${aggregate}${rest}`
        }),
    ),
  'a QUERY': (world) =>
    request(
      world,
      anyCollection.map((uri) => `QUERY ${uri}`),
      fc.constant({}),
      fc
        .tuple(
          anyField,
          fc.constantFrom('eq', 'ne', 'in', 'starts', 'missing', 'any', 'not'),
          fc.constantFrom(...world.values, true, null),
        )
        .map(([field, operator, value]) => {
          if (operator === 'any') return { any: [{ [field]: value }, { title: 'His' }] }
          if (operator === 'not') return { not: { [field]: value } }
          return {
            [field]: operator === 'eq' ? value : { [operator]: operator === 'in' ? [value] : value },
          }
        }),
    ),
  'a new article': (world) =>
    request(
      world,
      fc.constant('POST /articles'),
      fc.constant({}),
      fc.record(
        {
          title: fc.constantFrom('new', ''),
          status: fc.constantFrom('draft', 'published', 'x'),
          secret: fc.constantFrom('s', 1),
          author: fc.constantFrom(...world.users),
        },
        { requiredKeys: [] },
      ),
    ),
  'a dry run': (world) =>
    request(
      world,
      fc
        .tuple(anyArticleWrite(world), fc.constantFrom('true', 'true', 'false'))
        .map(([{ method, path }, value]) => `${method} ${path}?dry-run=${value}`),
      anyTag,
      anyArticle(world),
    ),
  'reads in an older version': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.oneof(anyItem(world), anyCollection, anySubCollection(world), fc.constant('/events')),
          fc.constantFrom(
            '',
            '&sort=words',
            '&hidden=x',
            '&secret=x',
            '&fields=all',
            '&sort=phase',
            '&mail=x',
            '&embed=author',
          ),
        )
        .map(([path, query]) => `GET ${path}?api-version=v1${query}`),
    ),
  'writes in an older version': (world) =>
    request(
      world,
      fc
        .tuple(anyArticleWrite(world), fc.constantFrom('', '&dry-run=true'))
        .map(([{ method, path }, query]) => `${method} ${path}?api-version=v1${query}`),
      anyTag,
      fc.record(
        {
          heading: fc.constantFrom('new', ''),
          status: fc.constantFrom('draft', 'published'),
          hidden: fc.constantFrom('s', 1),
          secret: fc.constantFrom('s', 1),
          author: fc.constantFrom(...world.users),
        },
        { requiredKeys: [] },
      ),
    ),
  'a batch': (world) =>
    request(
      world,
      fc.constantFrom('POST /batch', 'POST /batch?dry-run=true', 'POST /batch?api-version=v1'),
      fc.constant({}),
      fc.array(batchEntry(world), { minLength: 1, maxLength: 3 }).map((requests) => ({ requests })),
    ),
  'a form for selected items': (world) =>
    request(
      world,
      fc.constantFrom(
        'POST /batch/articles',
        'POST /batch/notes',
        'POST /batch/vaults',
        'GET /batch/articles',
      ),
      fc.constantFrom('text/html', 'application/json').map((accept) => ({
        accept,
        'content-type': 'application/x-www-form-urlencoded',
      })),
      fc
        .tuple(
          fc.array(fc.constantFrom(...world.articles, ...world.notes), { minLength: 1, maxLength: 4 }),
          fc.constantFrom('change=transition:publish', 'change=set&field=title&value=x', 'change=none'),
        )
        .map(([ids, change]) => `${ids.map((id) => `id=${id}`).join('&')}&${change}`),
    ),
  'a new note on an article': (world) =>
    request(
      world,
      fc.constant('POST /notes'),
      fc.constant({}),
      fc.record(
        {
          text: fc.constant('new'),
          article: fc.constantFrom(...world.articles),
          rank: fc.constantFrom('high', 'low'),
        },
        { requiredKeys: ['text', 'article'] },
      ),
    ),
  'a new token': (world) =>
    request(
      world,
      fc.constant('POST /tokens'),
      fc.constant({}),
      fc.record(
        {
          scopes: fc.constantFrom(['articles:read'], ['vaults:read'], ['nothing:read'], []),
          expiresIn: fc.constantFrom(60, 0),
        },
        { requiredKeys: [] },
      ),
    ),
  'a change': (world) =>
    request(
      world,
      fc.tuple(fc.constantFrom('PATCH', 'PUT'), anyItem(world)).map(([method, uri]) => `${method} ${uri}`),
      anyTag,
      fc.record(
        {
          title: fc.constantFrom('changed', 'again'),
          status: fc.constantFrom('draft', 'published'),
          secret: fc.constantFrom('s', null),
          text: fc.constant('changed'),
          name: fc.constant('Changed'),
          role: fc.constant('admin'),
          article: fc.constantFrom(...world.articles),
          author: fc.constantFrom(...world.users),
          token: fc.constant('x'),
          email: fc.constantFrom('new@example.org', 'newer@example.org'),
          password: fc.constantFrom('a good password', 'short'),
          currentPassword: fc.constantFrom('a good password', 'wrong password', null),
        },
        { requiredKeys: [] },
      ),
    ),
  'a transition of a hidden state': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT'), fc.constantFrom(...world.cases))
        .map(([method, id]) => `${method} /cases/${id}`),
      anyTag,
      fc.record(
        { status: anyState, title: fc.constantFrom('changed', 'again') },
        { requiredKeys: ['status'] },
      ),
    ),
  'a hidden state in a JSON Patch': (world) =>
    request(
      world,
      fc.constantFrom(...world.cases).map((id) => `PATCH /cases/${id}`),
      fc.constant({ 'content-type': 'application/json-patch+json' }),
      fc
        .tuple(fc.constantFrom('add', 'replace', 'test'), anyState)
        .map(([op, value]) => [{ op, path: '/status', value }]),
    ),
  'a hidden immutable field': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT'), fc.constantFrom(...world.cases))
        .map(([method, id]) => `${method} /cases/${id}`),
      anyTag,
      fc.record(
        {
          mark: fc.constantFrom<unknown>(...world.values, null),
          title: fc.constantFrom('changed', 'again'),
        },
        { requiredKeys: ['mark'] },
      ),
    ),
  'a set of references': (world) =>
    request(
      world,
      fc.tuple(fc.constantFrom('PATCH', 'PUT'), anyFolder(world)).map(([method, uri]) => `${method} ${uri}`),
      anyTag,
      fc.record(
        {
          // A new name, so that the version does not tell whether a hidden set is the same.
          name: fc.uuid(),
          articles: fc.array(fc.constantFrom(...world.articles), { maxLength: 5 }),
          kept: fc.array(fc.constantFrom(...world.articles), { maxLength: 2 }),
        },
        { requiredKeys: ['name'] },
      ),
    ),
  'a member of a set': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('PUT', 'DELETE', 'GET', 'OPTIONS'),
          anyFolder(world),
          fc.constantFrom('articles', 'kept', 'nothing'),
          fc.constantFrom(...world.articles),
        )
        .map(([method, uri, set, id]) => `${method} ${uri}/${set}/${id}`),
      anyTag,
    ),
  'an index of a set in a JSON Patch': (world) =>
    request(
      world,
      anyFolder(world).map((uri) => `PATCH ${uri}`),
      fc.constant({ 'content-type': 'application/json-patch+json' }),
      fc
        .tuple(
          fc.constantFrom('add', 'remove', 'replace', 'test'),
          fc.constantFrom('articles', 'kept'),
          fc.constantFrom('-', '0', '1'),
          fc.constantFrom(...world.articles),
        )
        .map(([op, set, index, value]) => [{ op, path: `/${set}/${index}`, value }]),
    ),
  'a filter by a set': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('articles', 'kept'),
          fc.constantFrom('[has]', '[missing]', '.title', '.secret', '.status', '.author.name'),
          fc.constantFrom(...world.articles, 'true', 'draft', 'Hidden in two', 'two'),
        )
        .map(
          ([set, end, value]) => `GET /folders?${encodeURIComponent(set + end)}=${encodeURIComponent(value)}`,
        ),
    ),
  'a file': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('GET', 'GET', 'HEAD', 'DELETE', 'OPTIONS'), anyFile(world))
        .map(([method, uri]) => `${method} ${uri}`),
      fc.oneof(
        anyTag,
        fc.constantFrom('bytes=0-1', 'bytes=9-', 'bytes=-2').map((range) => ({ range })),
      ),
    ),
  'a file that is sent': (world) =>
    request(
      world,
      anyFile(world).map((uri) => `PUT ${uri}`),
      fc
        .tuple(anyTag, fc.constantFrom('text/plain', 'text/plain', 'image/png', 'application/zip'))
        .map(([tag, type]) => ({ ...tag, 'content-type': type })),
      fc.constantFrom(...world.contents),
    ),
  'a file that is added to a list': (world) =>
    request(
      world,
      anyFileList(world).map((uri) => `POST ${uri}`),
      fc
        .tuple(
          anyTag,
          fc.constantFrom('text/plain', 'text/plain', 'image/png'),
          fc.constantFrom<Record<string, string>>(
            {},
            { 'idempotency-key': 'a' },
            { 'upload-draft-interop-version': '8', 'upload-complete': '?1' },
          ),
        )
        .map(([tag, type, more]) => ({ ...tag, ...more, 'content-type': type })),
      fc.constantFrom(...world.contents),
    ),
  'a form with files for a list': (world) =>
    request(
      world,
      fc.oneof(
        anyFileList(world).map((uri) => `POST /forms${uri}`),
        anyFileList(world).map((uri) => `POST ${uri}`),
        fc
          .tuple(fc.constantFrom(...world.scans), anyListedFile, fc.constantFrom('DELETE', 'PUT'))
          .map(([id, file, method]) => `POST /forms/scans/${id}/${file}?method=${method}`),
      ),
      fc.constant({ accept: 'text/html', 'content-type': 'multipart/form-data; boundary=b' }),
      fc
        .tuple(
          fc.constantFrom('plates', 'proofs'),
          fc.array(fc.constantFrom(...world.contents), { maxLength: 3 }),
        )
        .map(([name, contents]) => {
          const head = `Content-Disposition: form-data; name="${name}"; filename="a.txt"`
          const parts = contents.map((content) => `--b\r\n${head}\r\n\r\n${content}\r\n`)
          return `${parts.join('')}--b--\r\n`
        }),
    ),
  'an edit form on an older version': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom(...world.articles), fc.constantFrom('PATCH', 'PUT'))
        .map(([id, method]) => `POST /forms/articles/${id}?method=${method}&match=%22${olderTag(id)}%22`),
      fc.constantFrom('same-origin', 'cross-site').map((site) => ({
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': site,
      })),
      fc.tuple(fc.constantFrom(...world.values), fc.constantFrom('title', 'secret')).map(([guess, name]) => {
        const digest = hash('sha256', JSON.stringify(guess), 'base64url').slice(0, 12)
        const originals = `${name}=${digest}`
        return new URLSearchParams({ _action: 'default', _originals: originals, [name]: 'new' }).toString()
      }),
    ),
  'a search for the items of a reference in a form': (world) =>
    request(
      world,
      fc.constantFrom(...world.folders).map((id) => `POST /forms/folders/${id}?method=PATCH&match=*`),
      fc.constant({ accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }),
      fc
        .tuple(fc.constantFrom('articles', 'kept'), fc.constantFrom(...world.values, ...world.articles, 'a'))
        .map(([name, words]) => new URLSearchParams({ [`_find.${name}`]: words }).toString()),
    ),
  'files of a list that are copied': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT'), fc.constantFrom(...world.scans))
        .map(([method, id]) => `${method} /scans/${id}`),
      anyTag,
      fc
        .tuple(
          fc.uuid(),
          fc.constantFrom('plates', 'plates', 'proofs'),
          fc.array(anyFileMember(world), { maxLength: 4 }),
        )
        .map(([title, name, value]) => ({ title, [name]: value })),
    ),
  'an upload that is begun': (world) =>
    request(
      world,
      anyFile(world).map((uri) => `PUT ${uri}`),
      // The id of an upload that is not complete is random.
      anyTag.map((tag) => ({
        ...tag,
        'content-type': 'text/plain',
        'upload-draft-interop-version': '8',
        'upload-complete': '?1',
      })),
      fc.constantFrom(...world.contents),
    ),
  'an upload that does not exist': (world) =>
    request(
      world,
      fc.constantFrom('HEAD', 'PATCH', 'DELETE', 'OPTIONS').map((method) => `${method} /uploads/abc`),
      fc.constantFrom<Record<string, string>>({ 'upload-offset': '0', 'upload-complete': '?1' }, {}),
    ),
  'a form with a file': (world) =>
    request(
      world,
      fc
        .tuple(anyFile(world), fc.constantFrom('', '&match="x"', '&none-match=*'))
        .map(([uri, condition]) => `POST /forms${uri}?method=PUT${condition}`),
      fc.constant({ accept: 'text/html', 'content-type': 'multipart/form-data; boundary=b' }),
      fc
        .tuple(fc.constantFrom('image', 'negative'), fc.constantFrom(...world.contents))
        .map(([name, content]) => {
          const head = `Content-Disposition: form-data; name="${name}"; filename="a.txt"`
          return `--b\r\n${head}\r\n\r\n${content}\r\n--b--\r\n`
        }),
    ),
  'a file that is copied': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT'), fc.constantFrom(...world.scans))
        .map(([method, id]) => `${method} /scans/${id}`),
      anyTag,
      fc
        .tuple(fc.uuid(), fc.constantFrom('image', 'image', 'negative'), anyFileMember(world))
        // A new title, so that the version does not tell whether a hidden file is the same.
        .map(([title, name, value]) => ({ title, [name]: value })),
    ),
  'a new item with a file': (world) =>
    request(
      world,
      fc.constant('POST /scans'),
      fc.constantFrom<Record<string, string>>({}, { 'idempotency-key': 'a' }),
      anyFileMember(world).map((image) => ({ title: 'new', status: 'published', image })),
    ),
  'a named item that cannot be written': (world) =>
    request(
      world,
      fc.constantFrom(...world.pages).map((name) => `PUT /pages/${name}`),
      anyTag,
      fc.oneof(
        fc.constantFrom<unknown>([], 'x', { label: 'long enough', extra: 1 }),
        fc.record({ label: fc.constantFrom('', 'x', 7), code: fc.constantFrom(...world.values) }),
        fc.record({ label: fc.constant('long enough'), name: fc.constant('elsewhere') }),
      ),
    ),
  'many items at once, one value twice': (world) =>
    request(
      world,
      fc.constant('POST /pages'),
      fc.constant({}),
      fc.array(fc.constantFrom(...world.values), { minLength: 1, maxLength: 5 }).map((codes) =>
        [...codes, codes[0]].map((code, at) => ({
          name: `row${'abcdef'[at]}`,
          label: 'One of many',
          code,
        })),
      ),
    ),
  'a form of a page': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('PATCH', 'PUT', 'DELETE'), anyItem(world), fc.constantFrom('', 'x'))
        .map(([method, uri, match]) => {
          const condition = match === '' ? '' : `&match=${encodeURIComponent(`"${match}"`)}`
          return `POST /forms${uri}?method=${method}${condition}`
        }),
      fc.constant({
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
      }),
      fc.constantFrom('title=changed', 'status=closed', 'status=published&_action=publish', 'x=1'),
    ),
  'the page of a form': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS', 'DELETE'),
          fc.oneof(anyItem(world), fc.constantFrom('/pages', '/articles', '/scans', '/nothing')),
        )
        .map(([method, uri]) => `${method} /forms${uri}`),
      fc.constantFrom<Record<string, string>>(
        { accept: 'text/html' },
        { accept: 'text/html', cookie: 'restwell-notice=saved' },
        { accept: 'application/json' },
      ),
    ),
  'a form that creates an item': (world) =>
    request(
      world,
      fc.constantFrom('/pages', '/scans', '/nothing').map((uri) => `POST /forms${uri}`),
      fc.constant({ accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }),
      fc.constantFrom('title=new&status=published', 'name=&label=x', 'x=1', ''),
    ),
  'an action': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('POST', 'POST', 'POST', 'GET', 'OPTIONS', 'PUT'),
          fc.oneof(anyItem(world), fc.constant('/pages')),
          fc.constantFrom('quote', 'answer', 'compose', 'archive', 'nothing'),
        )
        .map(([method, uri, name]) => `${method} ${uri}/${name}`),
      anyTag,
      fc.constantFrom(...world.articles, 'nothing').map((other) => ({ other, words: 'x' })),
    ),
  'a cancellation': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('POST', 'POST', 'GET', 'OPTIONS'), fc.constantFrom(...world.jobs))
        .map(([method, id]) => `${method} /jobs/${id}/cancel`),
      fc.oneof(anyTag, fc.constant<Record<string, string>>({ accept: 'text/html' })),
    ),
  'a form of an action': (world) =>
    request(
      world,
      fc
        .tuple(
          anyItem(world),
          fc.constantFrom('quote', 'answer', 'compose'),
          fc.constantFrom('', '?match="x"'),
        )
        .map(([uri, name, query]) => `POST /forms${uri}/${name}${query}`),
      fc.constant({ accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }),
      fc.constantFrom(...world.articles, 'nothing').map((other) => `other=${other}&words=y`),
    ),
  'signing out': (world) =>
    request(
      world,
      fc.constant('POST /sign-out'),
      fc.constantFrom('same-origin', 'cross-site', 'none').map((site) => ({ 'sec-fetch-site': site })),
    ),
  'a JSON Patch': (world) =>
    request(
      world,
      anyItem(world).map((uri) => `PATCH ${uri}`),
      fc.constant({ 'content-type': 'application/json-patch+json' }),
      fc
        .tuple(
          fc.constantFrom('test', 'remove', 'replace', 'copy'),
          anyField,
          fc.constantFrom(...world.values),
        )
        .map(([op, field, value]) => [{ op, path: `/${field}`, value, from: `/${field}` }]),
    ),
  'another media type': (world) =>
    request(
      world,
      anyUri(world).map((uri) => `GET ${uri}`),
      fc
        .constantFrom(
          'application/xml',
          'application/hal+json',
          'application/prs.hal-forms+json',
          'text/csv',
          'application/x-ndjson',
          'image/png',
        )
        .map((accept) => ({ accept })),
    ),
  'a write under a key': (world) =>
    request(
      world,
      anyCollection.map((uri) => `POST ${uri}`),
      fc.constantFrom('a', 'b').map((key) => ({ 'idempotency-key': key })),
      fc.constantFrom({ title: 'keyed' }, { title: 'other' }),
    ),
  'a removal': (world) =>
    request(
      world,
      anyItem(world).map((uri) => `DELETE ${uri}`),
      anyTag,
    ),
  'a new or changed webhook': (world) =>
    fc.oneof(
      request(world, fc.constant('POST /webhooks'), fc.constant({}), anyWebhook),
      request(
        world,
        fc.constantFrom(...world.webhooks).map((id) => `PUT /webhooks/${id}`),
        anyTag,
        anyWebhook,
      ),
      request(
        world,
        fc.constantFrom(...world.webhooks).map((id) => `PATCH /webhooks/${id}`),
        anyTag,
        fc.constantFrom({ active: true }, { active: false }, { owner: 'x' }, { secret: 'x' }),
      ),
    ),
  'a delivery of a webhook': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('GET', 'HEAD', 'OPTIONS', 'DELETE'), anyDelivery(world))
        .map(([method, uri]) => `${method} ${uri}`),
    ),
  'an operation on a webhook or a delivery': (world) =>
    request(
      world,
      fc.oneof(
        fc
          .tuple(fc.constantFrom(...world.webhooks), fc.constantFrom('ping', 'rotate', 'redeliver'))
          .map(([id, name]) => `POST /webhooks/${id}/${name}`),
        anyDelivery(world).map((uri) => `POST ${uri}/redeliver`),
      ),
      anyTag,
    ),
  'a login that may or may not exist': (world) =>
    fc.tuple(fc.constantFrom(...world.logins), anyUri(world)).map(([login, uri]) => () => ({
      line: `GET ${uri}`,
      fields: {
        authorization: `Basic ${Buffer.from(`${login}:wrong password`).toString('base64')}`,
      },
    })),
}

/** Any request of the repertoire, each row as likely as the other. */
export function anyStep(world: World): fc.Arbitrary<Step> {
  return fc.oneof(...Object.values(repertoire).map((kind) => kind(world)))
}

const anyCollection = fc.constantFrom(
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

const anyState = fc.constantFrom('open', 'reviewed', 'closed', 'flagged', 'nothing')

const anyField = fc.constantFrom(
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

const anyDerived = fc.constantFrom(
  ...['written', 'drafts', 'pageCount', 'latest', 'domain', 'noted', 'first', 'marks'],
)

/** Through references and inverses, among them hidden and unknown ones. */
const anyPath = fc.constantFrom(
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

const anyTag = fc.constantFrom<Record<string, string>>(
  {},
  {},
  { 'if-match': '*' },
  { 'if-match': '"x"' },
  { 'if-none-match': '*' },
)

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

function anyItem(world: World): fc.Arbitrary<string> {
  const uris = itemCollections.flatMap((name) => world[name].map((id) => `/${name}/${id}`))
  return fc.constantFrom(...uris)
}

/** An entity tag as of the first version of an item, which is in no response. */
function olderTag(id: string): string {
  return `0-${id.slice(-12)}${id.slice(-17, -13)}.html`
}

function anyArticle(world: World): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fc.record(
    {
      title: fc.constantFrom('new', ''),
      status: fc.constantFrom('draft', 'published'),
      author: fc.constantFrom(...world.users),
    },
    { requiredKeys: [] },
  )
}

function anyArticleWrite(world: World) {
  const anyOne = fc.constantFrom(...world.articles, ...world.notes)
  return fc.oneof(
    fc.constant({ method: 'POST', path: '/articles' }),
    fc.record({ method: fc.constantFrom('PUT', 'PATCH'), path: anyOne.map((id) => `/articles/${id}`) }),
  )
}

/** A write, or an assertion. */
function batchEntry(world: World): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const headers = fc.constantFrom<Record<string, string>>({}, { 'if-match': '*' }, { 'if-match': '"x"' })
  const write = fc
    .tuple(anyArticleWrite(world), anyArticle(world))
    .map(([target, body]) => ({ ...target, body }))
  const assertion = fc.record({ path: anyItem(world), headers })
  return fc.oneof(write, assertion)
}

function anySubCollection(world: World): fc.Arbitrary<string> {
  const uris = [
    ...world.articles.map((id) => `/articles/${id}/notes`),
    ...world.webhooks.map((id) => `/webhooks/${id}/deliveries`),
    ...world.users.flatMap((id) => [`/users/${id}/articles`, `/users/${id}/pages`, `/users/${id}/nothing`]),
    ...world.users.map((id) => `/users/${id}/credentials`),
  ]
  return fc.constantFrom(...uris)
}

const anyWebhook = fc.record({
  url: fc.constantFrom('https://hooks.example/', 'https://127.0.0.1/', 'x'),
  events: fc.constantFrom(['articles.created'], ['notes.*'], ['vaults.*'], ['nothing.*'], []),
})

function anyDelivery(world: World): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...world.webhooks), fc.constantFrom(...world.deliveries))
    .map(([id, delivery]) => `/webhooks/${id}/deliveries/${delivery}`)
}

function anyCredential(world: World): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...world.users), fc.constantFrom(...world.accountCredentials))
    .map(([id, credential]) => `/users/${id}/credentials/${credential}`)
}

function anyFile(world: World): fc.Arbitrary<string> {
  const single = fc.constantFrom('image', 'image', 'negative', 'nothing')
  return fc
    .tuple(fc.constantFrom(...world.scans), fc.oneof(single, anyListedFile))
    .map(([id, name]) => `/scans/${id}/${name}`)
}

/** A file of a visible or of a hidden list. */
const anyListedFile = fc
  .tuple(fc.constantFrom('plates', 'plates', 'proofs', 'image'), fc.constantFrom(1, 2, 3))
  .map(([name, number]) => `${name}/${uuid(number)}`)

function anyFileList(world: World): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...world.scans), fc.constantFrom('plates', 'plates', 'proofs'))
    .map(([id, name]) => `/scans/${id}/${name}`)
}

/** The member of a file, with the digest of any content: of the file, of a former one, of a hidden one. */
function anyFileMember(world: World): fc.Arbitrary<unknown> {
  const digests = world.contents.map((content) => `sha-256=:${hash('sha256', content, 'base64')}:`)
  return fc.oneof(
    anyFile(world).map((href) => ({ href })),
    fc.tuple(anyFile(world), fc.constantFrom(...digests)).map(([href, digest]) => ({ href, digest })),
    fc.constantFrom<unknown>(...digests.map((digest) => ({ digest })), null),
  )
}

function anyFolder(world: World): fc.Arbitrary<string> {
  return fc.constantFrom(...world.folders).map((id) => `/folders/${id}`)
}

function anyUri(world: World): fc.Arbitrary<string> {
  return fc.oneof(anyCollection, anyItem(world), anySubCollection(world))
}

function anyCredentials(world: World): fc.Arbitrary<Record<string, string>> {
  return fc
    .constantFrom(...world.credentials)
    .map((authorization): Record<string, string> => (authorization === undefined ? {} : { authorization }))
}

function request(
  world: World,
  line: fc.Arbitrary<string>,
  fields: fc.Arbitrary<Record<string, string>> = fc.constant({}),
  body: fc.Arbitrary<unknown> = fc.constant(undefined),
): fc.Arbitrary<Step> {
  return fc
    .tuple(line, fields, body, anyCredentials(world))
    .map(([line, fields, body, credentials]) => () => ({
      line,
      fields: { ...fields, ...credentials },
      body,
    }))
}

/** A link of the latest response with links. */
function follow(world: World): fc.Arbitrary<Step> {
  return fc.tuple(anyCredentials(world), fc.nat()).map(([fields, at]) => (responses) => {
    const links = responses.flatMap(({ fields: { Link } }) => [...String(Link ?? '').matchAll(/<([^>]*)>/g)])
    return { line: `GET ${links[at % links.length]?.[1] ?? '/'}`, fields }
  })
}

/** From a position of an earlier response to any caller, or from none. */
function resumed(world: World, extra: Record<string, string>): fc.Arbitrary<Step> {
  const uris =
    Object.keys(extra).length === 0 ? fc.constant('/events') : fc.oneof(fc.constant('/events'), anyUri(world))
  return fc.tuple(uris, anyCredentials(world), fc.nat()).map(([uri, fields, at]) => (responses) => {
    const positions = responses.flatMap(({ fields: { Link }, text }) => positionsIn(`${Link} ${text}`))
    const token = positions[at % (positions.length + 1)]
    const query = token === undefined ? '' : `?last-event-id=${token}`
    return { line: `GET ${uri}${query}`, fields: { ...fields, ...extra } }
  })
}

/** A version of an earlier response to any caller, of this item or of another. */
function formerVersion(world: World): fc.Arbitrary<Step> {
  const formats = fc.constantFrom('', '?format=hal-forms', '?format=html')
  return fc
    .tuple(anyItem(world), formats, anyCredentials(world), fc.nat())
    .map(([uri, format, fields, at]) => (responses) => {
      const versions = responses.flatMap(({ text }) =>
        [...text.matchAll(/"version":"([\w-]{22})"|\/history\/([\w-]{22})/g)].map(([, a, b]) => a ?? b),
      )
      return { line: `GET ${uri}/history/${versions[at % versions.length] ?? 'x'}${format}`, fields }
    })
}

/** With an entity tag of an earlier response to any caller. */
function conditional(world: World): fc.Arbitrary<Step> {
  return fc.tuple(anyUri(world), anyCredentials(world), fc.nat()).map(([uri, fields, at]) => (responses) => {
    const tags = responses.flatMap(({ fields: { ETag } }) => (ETag === undefined ? [] : [String(ETag)]))
    const tag = tags[at % tags.length] ?? '"1"'
    return { line: `GET ${uri}`, fields: { ...fields, 'if-none-match': tag } }
  })
}
