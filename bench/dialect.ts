/** The URIs and list parameters of each kind of server. */

import { ask, type BenchRequest } from './ask.ts'
import { anyBelow, idOf } from './note.ts'

export interface Dialect {
  /** The path of the collection. */
  readonly firstPage: string
  /** Notes with stars in the range, in ascending order. */
  filtered(from: number, below: number): string
  /** Pages of 20 at all depths, in random order. */
  deepPages(url: string, rows: number): Promise<readonly string[]>
}

const firstPage = '/notes?limit=20'
/** So many that a cache hardly helps within a round. */
const depths = 8000

/** Restwell: cursors are opaque, so the list is read once to collect some. */
export const ours: Dialect = {
  firstPage,
  filtered,
  async deepPages(url, rows) {
    const step = rows / 1000
    const cursors: string[] = []
    let path: string | undefined = `/notes?limit=${step}&fields=stars`
    for (let seen = step; seen <= rows - 20; seen += step) {
      path = await nextPage(url, path)
      if (path === undefined) throw new Error(`The list at ${url} ends after ${seen} notes`)
      cursors.push(String(new URL(path, url).searchParams.get('after')))
    }
    return shuffled(cursors.flatMap(spellings))
  },
}

/** The same page under different URIs, because a service may cache responses by URI. */
function spellings(cursor: string): readonly string[] {
  const [limit, after, format] = ['limit=20', `after=${cursor}`, 'format=json']
  const queries = [
    [limit, after],
    [after, limit],
    [limit, after, format],
    [limit, format, after],
    [after, limit, format],
    [after, format, limit],
    [format, limit, after],
    [format, after, limit],
  ]
  return queries.map((query) => `/notes?${query.join('&')}`)
}

function shuffled<Value>(values: readonly Value[]): readonly Value[] {
  const keyed = values.map((value) => ({ value, key: Math.random() }))
  return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value)
}

async function nextPage(url: string, path: string): Promise<string | undefined> {
  const request: BenchRequest = { method: 'GET', path, status: 200 }
  const { fields } = await ask(url, request)
  const link = /<([^>]*)>; rel="next"/.exec(String(fields.link))?.[1]
  return link === undefined ? undefined : pathOf(new URL(link, url))
}

function pathOf({ pathname, search }: URL): string {
  return pathname + search
}

function filtered(from: number, below: number): string {
  return `/notes?stars[gte]=${from}&stars[lt]=${below}&sort=stars&limit=20`
}

/** Hand-written with keyset pages: the last id is the position. */
export const byPosition: Dialect = {
  firstPage,
  filtered,
  deepPages: async (_, rows) =>
    Array.from({ length: depths }, () => `${firstPage}&after=${idOf(anyBelow(rows - 20))}`),
}

/** Hand-written with offsets. */
export const byOffset: Dialect = {
  firstPage,
  filtered,
  deepPages: async (_, rows) =>
    Array.from({ length: depths }, () => `${firstPage}&offset=${anyBelow(rows - 20)}`),
}

export const jsonServer: Dialect = {
  firstPage: '/notes?_page=1&_limit=20',
  filtered: (from, below) => `/notes?stars_gte=${from}&stars_lte=${below - 1}&_sort=stars&_page=1&_limit=20`,
  deepPages: async (_, rows) =>
    Array.from({ length: depths }, () => `/notes?_page=${1 + anyBelow(rows / 20)}&_limit=20`),
}
