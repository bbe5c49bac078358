/** The replies that the code of an action chooses by tools: 201 with a new item, and 303 to another URI. */

import { LogicFailure } from '../../requests/write/logic-runner.ts'

export type Reply =
  | { readonly kind: 'created'; readonly collection: string; readonly id: string; readonly result: unknown }
  | { readonly kind: 'see-other'; readonly uri: string }

/** The tools of one run of an action, and the replies that they gave. */
export class ActionReplies {
  readonly #place: string
  readonly #replies = new Map<unknown, Reply>()

  constructor(place: string) {
    this.#place = place
  }

  get tools(): object {
    return {
      created: (collection: unknown, id: unknown, result?: unknown) =>
        this.#add(result, { kind: 'created', collection: String(collection), id: String(id), result }),
      seeOther: (uri: unknown) => this.#add({}, { kind: 'see-other', uri: parseLocation(this.#place, uri) }),
    }
  }

  /** The reply that the code returned; undefined: another value. Throws a LogicFailure where it returned none of several. */
  replyOf(returned: unknown): Reply | undefined {
    const reply = this.#replies.get(returned)
    if (reply || this.#replies.size === 0) return reply
    throw new LogicFailure(
      this.#place,
      `${this.#place} must return the value of 'created' and 'seeOther'. Write: return created(…).`,
    )
  }

  /** A value to return, with the members of the given one. */
  #add(value: unknown, reply: Reply): object {
    const returned = Object.freeze({ ...Object(value) })
    this.#replies.set(returned, reply)
    return returned
  }
}

/** The URI as it is sent: an absolute one with https, or a path. */
function parseLocation(place: string, given: unknown): string {
  const text = String(given)
  const origin = 'https://service.invalid'
  const isPath = text.startsWith('/')
  const url = URL.parse(text, isPath ? origin : undefined)
  // Without its dot segments a path may begin with two slashes, and then names another host.
  const isOwn = url?.origin === origin && !url.pathname.startsWith('//')
  if (url && isPath && isOwn) return url.href.slice(origin.length)
  if (url?.protocol === 'https:' && !isPath && url.username === '' && url.password === '') return url.href
  throw new LogicFailure(place, `${place} must redirect to a path or to an https URI, not '${text}'.`)
}
