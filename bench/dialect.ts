/** How a kind of server is asked for the same things: where they are, and how a list is read. */

import { ask, type BenchRequest } from './ask.ts'
import { anyBelow, idOf } from './note.ts'

export interface Dialect {
  /** Below the collection itself. */
  readonly firstPage: string
  /** The notes with stars in the range, fewest first. */
  filtered(from: number, below: number): string
  /** Pages of 20 at depths from the first to the last, in no order. */
  deepPages(url: string, rows: number): Promise<readonly string[]>
}

const firstPage = '/notes?limit=20'
const depths = 100

/** Restwell: cursors are sealed, so that a list is walked through once to have them. */
export const ours: Dialect = {
  firstPage,
  filtered,
  async deepPages(url, rows) {
    const step = Math.min(1000, Math.max(20, rows / depths))
    const pages = [firstPage]
    let path = `/notes?limit=${step}&fields=stars`
    for (let seen = step; seen < rows; seen += step) {
      const next = await nextPage(url, path)
      if (next === undefined) break
      path = next
      const cursor = new URL(next, url).searchParams.get('after')
      pages.push(`${firstPage}&after=${cursor}`)
    }
    return pages
  },
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

/** By hand, as well as one knows how: the id of the last one seen is the position. */
export const byPosition: Dialect = {
  firstPage,
  filtered,
  deepPages: async (_, rows) =>
    Array.from({ length: depths }, () => `${firstPage}&after=${idOf(anyBelow(rows - 20))}`),
}

/** By hand, as most do it. */
export const byOffset: Dialect = {
  firstPage,
  filtered,
  deepPages: async (_, rows) =>
    Array.from({ length: depths }, () => `${firstPage}&offset=${anyBelow(rows - 20)}`),
}

export const jsonServer: Dialect = {
  firstPage: '/notes?_page=1&_limit=20',
  filtered: (from, below) =>
    `/notes?stars_gte=${from}&stars_lte=${below - 1}&_sort=stars&_page=1&_limit=20`,
  deepPages: async (_, rows) =>
    Array.from({ length: depths }, () => `/notes?_page=${1 + anyBelow(rows / 20)}&_limit=20`),
}
