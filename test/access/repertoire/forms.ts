/** Requests of forms in HTML pages. */

import { hash } from 'node:crypto'
import fc from 'fast-check'
import { type Kind, request } from './step.ts'
import { anyCollection, anyItem } from './targets.ts'

export const forms = {
  'the page of a form': (world) =>
    request(
      world,
      fc
        .tuple(
          fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS', 'DELETE'),
          fc.oneof(
            anyItem(world),
            fc.constantFrom('/pages', '/pages?_import=file', '/articles', '/scans', '/nothing'),
            fc
              .tuple(anyCollection, fc.constantFrom(...world.values, 'a', 'open', 'b x'))
              .map(([uri, text]) => `${uri}?_choices=${encodeURIComponent(String(text))}`),
          ),
        )
        .map(([method, uri]) => `${method} /forms${uri}`),
      fc.constantFrom<Record<string, string>>(
        { accept: 'text/html' },
        { accept: 'text/html', cookie: 'restwell-notice=saved' },
        { accept: 'application/json' },
      ),
    ),
  'a file that is imported, with one value twice': (world) =>
    request(
      world,
      fc.constant('POST /forms/pages?_import=file'),
      fc.constant({ accept: 'text/html', 'content-type': 'multipart/form-data; boundary=b' }),
      fc.array(fc.constantFrom(...world.values), { minLength: 1, maxLength: 5 }).map((codes) => {
        const rows = [...codes, codes[0]].map(
          (code, at) => `row${'abcdef'[at]},One of many,"${String(code).replaceAll('"', '""')}"`,
        )
        const head = 'Content-Disposition: form-data; name="file"; filename="a.csv"'
        return `--b\r\n${head}\r\n\r\n${['name,label,code', ...rows].join('\n')}\r\n--b--\r\n`
      }),
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
      fc.constantFrom({}, { prefer: 'return=minimal' }).map((prefer) => ({
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        ...prefer,
      })),
      fc.constantFrom('title=changed', 'status=closed', 'status=published&_action=publish', 'x=1'),
    ),
  'a form that creates an item': (world) =>
    request(
      world,
      fc.constantFrom('/pages', '/scans', '/nothing').map((uri) => `POST /forms${uri}`),
      fc.constantFrom({}, { prefer: 'return=minimal' }).map((prefer) => ({
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        ...prefer,
      })),
      fc.constantFrom('title=new&status=published', 'name=&label=x&_decimal=,', 'x=1', ''),
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
  'a form of an action': (world) =>
    request(
      world,
      fc
        .tuple(
          anyItem(world),
          fc.constantFrom('quote', 'survey', 'answer', 'compose'),
          fc.constantFrom('', '?match="x"'),
        )
        .map(([uri, name, query]) => `POST /forms${uri}/${name}${query}`),
      fc.constant({ accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' }),
      fc.constantFrom(...world.articles, 'nothing').map((other) => `other=${other}&words=y`),
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
} satisfies Readonly<Record<string, Kind>>

/** An entity tag as of the first version of an item, which is in no response. */
function olderTag(id: string): string {
  return `0-${id.slice(-12)}${id.slice(-17, -13)}.html`
}
