/** Requests that write items: one, many at once, by an action, as a dry run, in an older version. */

import fc from 'fast-check'
import { type Kind, request, type World } from './step.ts'
import {
  anyArticle,
  anyArticleWrite,
  anyCollection,
  anyDerived,
  anyField,
  anyItem,
  anySubCollection,
  anyTag,
} from './targets.ts'

export const writes = {
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
  'a new article with notes': (world) =>
    request(
      world,
      fc.constantFrom('POST /articles', 'POST /articles?dry-run=true', 'POST /articles?api-version=v1'),
      fc.constant({}),
      fc.record(
        {
          title: fc.constantFrom('new', ''),
          status: fc.constantFrom('draft', 'published'),
          notes: fc.array(
            fc.record(
              {
                text: fc.constantFrom('new', 1),
                rank: fc.constantFrom('high', 'low'),
                article: fc.constantFrom(...world.articles),
              },
              { requiredKeys: ['text'] },
            ),
            { maxLength: 3 },
          ),
        },
        { requiredKeys: ['notes'] },
      ),
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
  'a removal': (world) =>
    request(
      world,
      anyItem(world).map((uri) => `DELETE ${uri}`),
      anyTag,
    ),
  'a write under a key': (world) =>
    request(
      world,
      anyCollection.map((uri) => `POST ${uri}`),
      fc.constantFrom('a', 'b').map((key) => ({ 'idempotency-key': key })),
      fc.constantFrom({ title: 'keyed' }, { title: 'other' }),
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
  'a dry run': (world) =>
    request(
      world,
      fc
        .tuple(anyArticleWrite(world), fc.constantFrom('true', 'true', 'false'))
        .map(([{ method, path }, value]) => `${method} ${path}?dry-run=${value}`),
      anyTag,
      anyArticle(world),
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
  'an action': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('POST', 'POST', 'POST', 'GET', 'OPTIONS', 'PUT'),
          fc.oneof(anyItem(world), fc.constant('/pages')),
          fc.constantFrom('quote', 'survey', 'print', 'answer', 'compose', 'archive', 'nothing'),
        )
        .map(([method, uri, name]) => `${method} ${uri}/${name}`),
      anyTag,
      fc.constantFrom(...world.articles, 'nothing').map((other) => ({ other, words: 'x' })),
    ),
  'a query of the definition': (world) =>
    fc.oneof(
      request(
        world,
        fc
          .tuple(
            fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS', 'POST'),
            anyItem(world),
            fc.constantFrom('digest', 'related'),
            fc.constantFrom(...world.articles, 'nothing'),
            fc.constantFrom('', '&words=x', '&words=y', '&format=html', '&format=hal', '&format=csv'),
          )
          .map(([method, uri, name, other, more]) => `${method} ${uri}/${name}?other=${other}${more}`),
        anyTag,
      ),
      request(
        world,
        fc
          .tuple(anyItem(world), fc.constantFrom('digest', 'related'))
          .map(([uri, name]) => `QUERY ${uri}/${name}`),
        anyTag,
        fc.constantFrom(...world.articles, 'nothing').map((other) => ({ other, words: 'x' })),
      ),
    ),
  'an operation of the service': (world) => {
    const anyOne = fc.constantFrom(...world.articles, 'nothing')
    const words = fc.constantFrom('x', 'y')
    return fc.oneof(
      request(
        world,
        fc.constantFrom('POST /gather', 'POST /gather', 'POST /gather?dry-run=true', 'OPTIONS /gather'),
        fc.constantFrom<Record<string, string>>({}, { prefer: 'return=minimal' }, { accept: 'text/html' }),
        fc.record(
          {
            reply: fc.constantFrom('result', 'created', 'other', 'nothing'),
            article: anyOne,
            lines: fc.array(fc.record({ article: anyOne, words }), { maxLength: 3 }),
          },
          { requiredKeys: ['reply'] },
        ),
      ),
      request(
        world,
        fc
          .tuple(
            fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS'),
            fc.constantFrom('', '&format=html', '&words=y', '&nothing=1'),
            anyOne,
          )
          .map(([method, more, about]) => `${method} /overview?about=${about}${more}`),
        anyTag,
      ),
      request(
        world,
        fc.constant('QUERY /overview'),
        anyTag,
        fc.record({ about: anyOne, words }, { requiredKeys: [] }),
      ),
      request(world, fc.constantFrom('GET /overview', 'GET /overview?format=hal-forms'), anyTag),
    )
  },
  'a file of a query': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('GET', 'GET', 'HEAD', 'QUERY', 'OPTIONS'),
          anyItem(world),
          fc.constantFrom('', '?words=x', '?words=é', '?format=json'),
        )
        .map(([method, uri, query]) => `${method} ${uri}/sheet${encodeURI(query)}`),
      fc.oneof(
        anyTag,
        fc.constantFrom<Record<string, string>>(
          { range: 'bytes=0-0' },
          { range: 'bytes=9-' },
          { accept: 'text/html' },
        ),
      ),
    ),
  'a route': (world) =>
    request(
      world,
      fc.constantFrom('POST', 'POST', 'GET', 'OPTIONS').map((method) => `${method} /tools/survey`),
      fc.constant({}),
      fc.constantFrom(...world.articles).map((other) => ({ other })),
    ),
  'a route with the cookie': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PUT'), fc.constantFrom('a', 'a/b', '', '-/a'))
        .map(([method, path]) => `${method} /tools/pages/${path}`),
      fc.constantFrom<Record<string, string>>(
        {},
        { accept: 'text/html' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-origin', cookie: 'restwell=rw_unknown' },
      ),
    ),
  'a cancellation': (world) =>
    request(
      world,
      fc
        .tuple(fc.constantFrom('POST', 'POST', 'GET', 'OPTIONS'), fc.constantFrom(...world.jobs))
        .map(([method, id]) => `${method} /jobs/${id}/cancel`),
      fc.oneof(anyTag, fc.constant<Record<string, string>>({ accept: 'text/html' })),
    ),
} satisfies Readonly<Record<string, Kind>>

/** A write, or an assertion. */
function batchEntry(world: World): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  const headers = fc.constantFrom<Record<string, string>>({}, { 'if-match': '*' }, { 'if-match': '"x"' })
  const write = fc
    .tuple(anyArticleWrite(world), anyArticle(world))
    .map(([target, body]) => ({ ...target, body }))
  const assertion = fc.record({ path: anyItem(world), headers })
  return fc.oneof(write, assertion)
}
