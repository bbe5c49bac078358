/** The workloads: the requests to every server, and the checks of their responses. */

import { type Answer, ask, type BenchRequest } from './ask.ts'
import { anyBelow, idOf, note } from './note.ts'
import type { Target } from './target.ts'

export interface Workload {
  readonly name: WorkloadName
  /** The requests of one round, sent in order and repeated at the end. */
  requests(target: Target): Promise<readonly BenchRequest[]>
  isRight(answer: Answer): boolean
}

export const workloadNames = [
  'item GET',
  'item GET by token',
  'list of 20',
  'list at any depth',
  'filtered list',
  '304 on item',
  '304 on list',
  'create',
  'patch',
  'delete',
  'mixed 90/10',
] as const
export type WorkloadName = (typeof workloadNames)[number]

/**
 * Enough to cover the table and to avoid repetitions within a round, and few enough for the memory
 * of a client.
 */
const variety = 30_000

export const workloads: readonly Workload[] = [
  {
    name: 'item GET',
    requests: async (target) => someIds(target).map(get),
    isRight: isNote,
  },
  {
    name: 'item GET by token',
    async requests(target) {
      const fields = { Authorization: `Bearer ${target.token}` }
      return someIds(target).map((id) => ({ ...get(id), fields }))
    },
    isRight: isNote,
  },
  {
    name: 'list of 20',
    // The same page each time, like the first page of a site.
    requests: async ({ dialect }) => [getPath(dialect.firstPage)],
    isRight: isPage,
  },
  {
    name: 'list at any depth',
    // Another page each time.
    requests: async (target) => (await target.deepPages()).map(getPath),
    isRight: isPage,
  },
  {
    name: 'filtered list',
    requests: async ({ dialect, rows }) => {
      const width = rows / 10
      return Array.from({ length: 8000 }, () => {
        const from = anyBelow(rows - 2 * width)
        return getPath(dialect.filtered(from, from + width + anyBelow(width)))
      })
    },
    isRight: isSortedPage,
  },
  {
    name: '304 on item',
    requests: (target) =>
      Promise.all(
        someIds(target)
          .slice(0, 300)
          .map((id) => conditional(target, get(id))),
      ),
    isRight: isEmpty,
  },
  {
    name: '304 on list',
    requests: async (target) => [await conditional(target, getPath(target.dialect.firstPage))],
    isRight: isEmpty,
  },
  {
    name: 'create',
    requests: async () => [creation],
    isRight: isNote,
  },
  {
    name: 'patch',
    requests: async (target) => patches(target),
    isRight: isNote,
  },
  {
    name: 'delete',
    requests: async (target) => (await target.spareIds()).map((id) => deletion(target, id)),
    isRight: (answer) => answer.status === 200 || isEmpty(answer),
  },
  {
    name: 'mixed 90/10',
    // Nine reads, then a create or a patch.
    requests: async (target) => {
      const changes = patches(target)
      return someIds(target).map((id, at) => {
        if (at % 10 > 0) return get(id)
        return at % 20 === 0 ? creation : (changes[at % changes.length] ?? creation)
      })
    },
    isRight: isNote,
  },
]

function someIds({ lasting }: Target): readonly string[] {
  return Array.from({ length: Math.min(lasting, variety) }, () => idOf(anyBelow(lasting)))
}

function get(id: string): BenchRequest {
  return getPath(`/notes/${id}`)
}

function getPath(path: string): BenchRequest {
  return { method: 'GET', path, status: 200 }
}

const creation: BenchRequest = {
  method: 'POST',
  path: '/notes',
  content: JSON.stringify(note),
  status: 201,
}

/** Each request changes a value: the numbers differ in each round. */
function patches(target: Target): readonly BenchRequest[] {
  const { rows } = target
  const ids = someIds(target).slice(0, variety / 2)
  const first = anyBelow(rows)
  return [0, 1].flatMap((turn) =>
    ids.map((id, at) => {
      const content = JSON.stringify({ stars: (first + at + turn) % rows })
      return { method: 'PATCH', path: `/notes/${id}`, content, status: 200 } as const
    }),
  )
}

function deletion({ deleted }: Target, id: string): BenchRequest {
  return { method: 'DELETE', path: `/notes/${id}`, status: deleted }
}

async function conditional({ url }: Target, request: BenchRequest): Promise<BenchRequest> {
  const { etag } = (await ask(url, request)).fields
  if (etag === undefined) throw new Error(`${url}${request.path} has no ETag`)
  return { ...request, fields: { 'If-None-Match': etag }, status: 304 }
}

function isNote({ text }: Answer): boolean {
  return isNoteValue(JSON.parse(text))
}

function isNoteValue(value: unknown): boolean {
  const { title, body, tags, id } = value as Record<string, unknown>
  const same = title === note.title && body === note.body
  return same && Array.isArray(tags) && typeof id === 'string'
}

function isPage({ text }: Answer): boolean {
  const values: unknown = JSON.parse(text)
  return Array.isArray(values) && values.length === 20 && values.every(isNoteValue)
}

function isSortedPage(answer: Answer): boolean {
  if (!isPage(answer)) return false
  const stars = (JSON.parse(answer.text) as { stars: number }[]).map((one) => one.stars)
  return stars.every((one, at) => at === 0 || one >= (stars[at - 1] as number))
}

function isEmpty({ text }: Answer): boolean {
  return text === ''
}
