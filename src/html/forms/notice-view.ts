/** Notices: the effect of the last form, shown once on the next page. */

import type { ResourceModel } from '../../definition/model.ts'

/** `merged`: saved, beside the edit of another person. */
type PlainNotice = 'created' | 'saved' | 'merged' | 'deleted' | 'signed-up'

const plainNotices: ReadonlySet<string> = new Set<PlainNotice>([
  'created',
  'saved',
  'merged',
  'deleted',
  'signed-up',
])

/** `done`: a transition or an action, by its name. `imported`: so many items of a collection. */
export type Notice =
  | { readonly kind: PlainNotice }
  | { readonly kind: 'done'; readonly action: string }
  | { readonly kind: 'imported'; readonly collection: string; readonly count: number }

/** The text of the cookie. */
export function formatNotice(notice: Notice): string {
  switch (notice.kind) {
    case 'done':
      return `done.${notice.action}`
    case 'imported':
      return `imported.${notice.count}`
    default:
      return notice.kind
  }
}

/** The notice in the cookie; undefined unless it is one that the service sets: a cookie cannot contain other text. */
export function parseNotice(text: string, resource: ResourceModel | undefined): Notice | undefined {
  if (isPlainNotice(text)) return { kind: text }
  const [, count] = /^imported\.([1-9]\d{0,3})$/.exec(text) ?? []
  if (count !== undefined && resource) {
    return { kind: 'imported', collection: resource.name, count: Number(count) }
  }
  const action = text.startsWith('done.') ? text.slice('done.'.length) : undefined
  if (action === undefined || !resource || !actionNames(resource).has(action)) return undefined
  return { kind: 'done', action }
}

function isPlainNotice(text: string): text is PlainNotice {
  return plainNotices.has(text)
}

/** The names of all transitions and actions of the resource. */
export function actionNames({ fields, actions }: ResourceModel): ReadonlySet<string> {
  const transitions = fields.flatMap(({ state }) => state?.transitions ?? [])
  return new Set([...transitions.map(({ name }) => name), ...actions.keys()])
}
