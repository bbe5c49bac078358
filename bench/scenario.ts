/** What is asked of every server alike. */

export interface Scenario {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** The status of every right answer. */
  readonly status: number
  /** The requests that clients send one after another, over and over. */
  requests(ids: readonly string[]): readonly BenchRequest[]
  /** Whether the body of an answer is what was asked for. */
  isRight(body: unknown): boolean
}

export interface BenchRequest {
  readonly path: string
  readonly content?: string
}

export const note = {
  title: 'HTTP has the verbs',
  body: 'Bring the nouns, and the rest is there already. '.repeat(5).trim(),
  tags: ['http', 'rest'],
  stars: 3,
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'item GET',
    method: 'GET',
    status: 200,
    requests: (ids) => ids.map((id) => ({ path: `/notes/${id}` })),
    isRight: isNote,
  },
  {
    name: 'list of 20',
    method: 'GET',
    status: 200,
    requests: () => [{ path: '/notes?limit=20' }],
    isRight: (body) => Array.isArray(body) && body.length === 20 && body.every(isNote),
  },
  {
    name: 'create',
    method: 'POST',
    status: 201,
    requests: () => [{ path: '/notes', content: JSON.stringify(note) }],
    isRight: isNote,
  },
  {
    name: 'patch',
    method: 'PATCH',
    status: 200,
    // Twice through all of them with different values, so that each request changes something.
    requests: (ids) =>
      [1, 2].flatMap((stars) =>
        ids.map((id) => ({ path: `/notes/${id}`, content: JSON.stringify({ stars }) })),
      ),
    isRight: isNote,
  },
]

function isNote(body: unknown): boolean {
  const { title, tags, id } = body as { title?: unknown; tags?: unknown; id?: unknown }
  return title === note.title && Array.isArray(tags) && typeof id === 'string'
}
