/**
 * `restwell/client`: a client with the types of a definition. It imports only the type of the
 * definition, so a browser bundle contains no code of the service.
 */

import type { AnyDefinition, DeclaredActionsOf, definitionBrand } from './definition/service-definition.ts'
import { connect } from './describe/client/runtime.ts'
import type { TokenShapes, WithActions } from './describe/client/shapes.ts'
import type { ClientOptions, Collections, MailMethods, Shapes } from './describe/client/types.ts'
import type { JobShapes } from './features/logic/jobs/client-shapes.ts'
import type { InvitationShapes } from './features/mail/invitations/client-shapes.ts'
import type { WebhookShapes } from './features/webhooks/client-shapes.ts'

export { isProblem, Problem } from './describe/client/exchange.ts'
export type { ProblemName } from './describe/client/problem-names.ts'
export { Conflict } from './describe/client/runtime.ts'
export type {
  Change,
  ClientOptions,
  Collection,
  ContentFault,
  Page,
  Query,
  Session,
  SubCollection,
  Version,
  Watch,
} from './describe/client/types.ts'

/**
 * A client: each collection of the service is a property.
 * @example
 * import { type Client, client, type ShapesOf } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const api: Client<ShapesOf<typeof definition>> = client('http://localhost:3000')
 */
export type Client<S extends Shapes = Shapes> = Collections<S> & MailMethods

/**
 * Returns a client with the types of a definition. Each collection is a property, with methods such as
 * `list`, `get`, `create` and `patch`. Their promises reject with a `Problem` when the service refuses.
 * @example
 * import { client } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * const api = client<typeof definition>('http://localhost:3000', { authorization: 'Bearer …' })
 * const note = await api.notes.create({ title: 'Buy milk' })
 * await api.notes.patch(note.id, { done: true })
 */
export function client<D extends AnyDefinition>(
  base: string | URL,
  options?: ClientOptions,
): Client<ShapesOf<D>> {
  return connect<ShapesOf<D>>(base, options)
}

/**
 * The collections of a definition as the client uses them: the type argument of `Client`.
 * @example
 * import type { Client, ShapesOf } from 'restwell/client'
 * import type definition from './service.ts'
 *
 * export type Api = Client<ShapesOf<typeof definition>>
 */
export type ShapesOf<D extends AnyDefinition> = TokenShapes &
  WebhookShapes &
  InvitationShapes<D> &
  JobShapes<D> &
  WithActions<D[typeof definitionBrand]['resources'], DeclaredActionsOf<D>>
